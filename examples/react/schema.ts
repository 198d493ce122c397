/** What the app asks. The collector reads the same file: `murmuration serve --open --schema examples/react/schema.ts`. */

import { choice, defineSchema, flag } from '@murmuration/client';

export const schema = defineSchema({
  app: 'recipes',
  version: 1,
  budget: { epsilon: 2, per: 'year' },
  metrics: {
    metric: flag({ epsilon: 1, description: 'Are quantities metric?' }),
    diet: choice(['everything', 'vegetarian', 'vegan'], { epsilon: 1, description: 'Which diet?' }),
  },
});
