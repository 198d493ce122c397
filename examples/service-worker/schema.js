// What the app asks: murmuration serve --open --schema examples/service-worker/schema.js

import { choice, defineSchema } from '@murmuration/client';

export const schema = defineSchema({
  app: 'reader',
  version: 1,
  budget: { epsilon: 1, per: 'month' },
  metrics: { text: choice(['small', 'medium', 'large'], { epsilon: 1, description: 'Which size of text?' }) },
});
