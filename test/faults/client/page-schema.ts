/** What the page of closing.ts asks. */

import { choice, defineSchema, flag } from '@murmuration/client';

export const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 2, per: 'month' },
  metrics: {
    dark: flag({ epsilon: 1, description: 'Is dark mode on?' }),
    plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan?' }),
  },
});
