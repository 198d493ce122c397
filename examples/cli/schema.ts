/** What the program asks: `murmuration serve --open --schema examples/cli/schema.ts`. */

import { choice, count, defineSchema } from '@murmuration/client';

export const schema = defineSchema({
  app: 'notes-cli',
  version: 1,
  budget: { epsilon: 2, per: 'year' },
  metrics: {
    command: choice(['add', 'list', 'share'], { epsilon: 1, description: 'Which command is used first in a year?' }),
    notes: count(100, { epsilon: 1, description: 'How many notes are there?' }),
  },
});
