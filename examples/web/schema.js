// What the app asks, and what each answer may cost. The collector reads the same file:
// murmuration serve --open --schema examples/web/schema.js --candidates favouriteWord=words.txt

import { choice, defineSchema, flag, permanent, text } from './murmuration.js';

export const schema = defineSchema({
  app: 'notebook',
  version: 1,
  budget: { epsilon: 6, per: 'month' },
  reports: 'together', // one upload; the word's 64 cohorts leave 1,600 of 100,000 devices in each (murmuration audit)
  metrics: {
    darkMode: flag({ epsilon: 1, description: 'Is dark mode on?' }),
    plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan?' }),
    favouriteWord: permanent(text({ epsilon: 1, every: 'day', description: 'What is the favourite word?' }), { epsilon: 4, renew: 'year' }),
  },
});
