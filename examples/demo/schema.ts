/**
 * The schemas of the demo's app, a film diary: every type of question. Release 2.0 came with version 2, which asks two questions more.
 * `murmuration schema --schema examples/demo/schema.ts`.
 */

import {
  best,
  choice,
  choices,
  count,
  defineSchema,
  discover,
  distribution,
  flag,
  histogram,
  joint,
  mean,
  permanent,
  text,
} from '@murmuration/client';

/** The arms of the experiment with the search. */
export const ARMS = ['old', 'new'] as const;

const segments = { platform: ['desktop', 'android', 'ios'], version: ['1.9', '2.0'] } as const;

const questions = {
  darkMode: flag({ epsilon: 0.75, every: 'year', description: 'Is dark mode on?', owner: 'design', publish: true }),
  plan: choice(['free', 'plus', 'family'], { epsilon: 0.4, every: 'year', description: 'Which plan?', owner: 'growth' }),
  browser: choice(
    ['Chrome for Android', 'Chrome', 'Safari on iOS', 'Edge', 'Safari', 'Firefox', 'Samsung Internet', 'Opera Mobile', 'Opera'],
    { epsilon: 0.4, every: 'year', other: true, description: 'Which browser is this?', owner: 'web' },
  ),
  parts: choices(['watchlist', 'diary', 'favourites', 'lists', 'friends', 'statistics'], {
    epsilon: 0.4,
    every: 'year',
    atMost: 3,
    description: 'Which parts of the app are in use?',
    owner: 'growth',
  }),
  home: best(['new films', 'diary', 'friends'], {
    utility: { browses: [1, 0.3, 0.2], keeps: [0.3, 1, 0.1], follows: [0.4, 0.2, 1] },
    epsilon: 0.2,
    every: 'year',
    description: 'Which page should open first?',
    owner: 'design',
  }),
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
    { epsilon: 0.75, every: 'year', description: 'Which kind of film was watched last, and how is it rated?', owner: 'catalogue' },
  ),
  runtime: mean([0, 180], {
    epsilon: 0.2,
    every: 'year',
    unit: 'min',
    description: 'How long was the film that was watched last?',
    owner: 'catalogue',
  }),
  score: distribution([0, 10], {
    epsilon: 0.4,
    every: 'year',
    cells: 20,
    description: 'Which score did the film get that was watched last?',
    owner: 'catalogue',
  }),
  word: text({ epsilon: 0.4, every: 'year', description: 'Which word was looked up last in subtitles?', owner: 'search' }),
  studio: discover({
    epsilon: 1,
    every: 'year',
    longest: 13,
    description: 'Which studio made the film that was watched last?',
    owner: 'catalogue',
  }),
  seen: count(20, {
    epsilon: 0.2,
    every: 'month',
    unit: 'films',
    description: 'How many films were watched in the last 30 days?',
    owner: 'growth',
  }),
  start: histogram([500, 1000, 2000], {
    epsilon: 0.4,
    every: 'year',
    unit: 'ms',
    description: 'How long does a start take?',
    owner: 'web',
  }),
  when: permanent(
    choice(['weekdays', 'weekends', 'both'], {
      epsilon: 0.2,
      every: 'week',
      description: 'When are films watched?',
      owner: 'growth',
    }),
    { epsilon: 0.4, renew: 'year' },
  ),
};

/** The questions of version 2 spend 6.5 of it: a new question can be planned. */
const common = { app: 'matinee', budget: { epsilon: 8, per: 'month' }, devices: 100_000, reports: 'together' } as const;

/** What version 1.9 of the app asks. */
export const before = defineSchema({
  ...common,
  version: 1,
  segments,
  metrics: questions,
});

/** What 2.0 asks. 12 groups of segments leave 8,000 devices in each. */
const latest = {
  segments: { ...segments, search: ARMS },
  metrics: {
    ...questions,
    found: flag({ epsilon: 0.4, every: 'year', description: 'Did the last search find a film?', owner: 'search' }),
    trailer: flag({ epsilon: 0.2, every: 'year', description: 'Was the trailer watched before the film?', owner: 'catalogue' }),
  },
};

/** A simulated device is opened once, so its reports go together. */
export const schema = defineSchema({ ...common, version: 2, ...latest });

/** The same questions through a relay, which takes one report at a time: `npm start -- --relay`. */
export const relayed = defineSchema({ ...common, version: 3, reports: 'alone', relay: 'required', ...latest });
