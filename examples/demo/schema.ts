/** The demo's schema: seven questions of different kinds. `murmuration schema --schema examples/demo/schema.ts`. */

import { choice, defineSchema, discover, flag, joint, permanent, text } from '@murmuration/client';

export const schema = defineSchema({
  app: 'demo',
  version: 1,
  budget: { epsilon: 8, per: 'year' },
  segments: { platform: ['desktop', 'android', 'ios'] },
  devices: 100_000,
  // A simulated device is opened once, so its reports go together. 192 groups of segment and cohort leave 520 devices in each.
  reports: 'together',
  metrics: {
    browser: choice(
      [
        'Chrome for Android',
        'Chrome',
        'Safari on iOS',
        'Edge',
        'Safari',
        'Firefox',
        'Samsung Internet',
        'Opera Mobile',
        'Opera',
        'UC Browser for Android',
        'Firefox for Android',
        'IE',
      ],
      { epsilon: 1, other: true, description: 'Which browser is this?', owner: 'web platform' },
    ),
    film: joint(
      {
        genre: [
          'Action',
          'Adventure',
          'Black Comedy',
          'Comedy',
          'Concert/Performance',
          'Documentary',
          'Drama',
          'Horror',
          'Musical',
          'Romantic Comedy',
          'Thriller/Suspense',
          'Western',
        ],
        rating: ['G', 'PG', 'PG-13', 'R', 'Not Rated'],
      },
      { epsilon: 1, description: 'Which kind of film was watched last, and how is it rated?', owner: 'recommendations' },
    ),
    rain: flag({ epsilon: 0.5, description: 'Did it rain here yesterday?', owner: 'weather' }),
    cylinders: permanent(
      choice(['3', '4', '5', '6', '8'], {
        epsilon: 0.5,
        every: 'day',
        description: 'How many cylinders has the car?',
        owner: 'navigation',
      }),
      { epsilon: 1, renew: 'year' },
    ),
    word: text({ epsilon: 1, description: 'Which word did the keyboard complete last?', owner: 'keyboard' }),
    airport: permanent(text({ epsilon: 1, every: 'day', description: 'Which airport is the nearest?', owner: 'travel' }), {
      epsilon: 1.5,
      renew: 'year',
    }),
    make: discover({ epsilon: 2, longest: 14, description: 'Who made the car?', owner: 'navigation' }),
  },
});
