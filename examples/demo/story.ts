/**
 * The story of the demo's app, which is invented: 60 past days, a release that changes two things, and what goes wrong. Days count from
 * the first. `npm start` says what the dashboard can be asked about it.
 */

import type { ARMS } from './schema.ts';

/** The days before today. */
export const DAYS = 60;

/** New devices on an average day. */
export const PER_DAY = 800;

/** The day of release 2.0, and the days until all devices have it. */
export const RELEASE = 40;
export const ROLLOUT_DAYS = 7;

export type Version = '1.9' | '2.0';
export type Arm = (typeof ARMS)[number];
export type Platform = 'desktop' | 'android' | 'ios';

/** What somebody wrote on a day. */
export const NOTE = { day: 12, text: 'Reviewed in a newspaper' } as const;

/** The share with dark mode: with these platforms' parts of the devices, 34 % in 1.9 and 41 % in 2.0. */
export const DARK: { readonly [version in Version]: { readonly [platform in Platform]: number } } = {
  '1.9': { desktop: 0.31, android: 0.33, ios: 0.46 },
  '2.0': { desktop: 0.38, android: 0.4, ios: 0.53 },
};

/** How long a start takes, in ms, and how often: 2.0 is faster. */
export const STARTS: { readonly [version in Version]: { readonly [ms: number]: number } } = {
  '1.9': { 350: 0.2, 800: 0.36, 1500: 0.3, 3000: 0.14 },
  '2.0': { 350: 0.44, 800: 0.36, 1500: 0.14, 3000: 0.06 },
};

/** The share of searches that find a film, in each arm of the experiment that began with 2.0. */
export const FOUND: { readonly [arm in Arm]: number } = { old: 0.5, new: 0.62 };

/** On this day a tenth of the reports of `word` are one report that somebody sends again and again. */
export const POISONED = { day: 24, metric: 'word', part: 0.1, word: 'back' } as const;

/** From this day on the app no longer records `parts`. */
export const SILENT = { day: 52, metric: 'parts' } as const;

/** 2.0 asks this, and no line of the app records it. */
export const MISSING = { metric: 'trailer' } as const;

/** 2.0 records the length of films in hours. The question asks for minutes. */
export const WRONG_UNIT = { metric: 'runtime', version: '2.0', factor: 1 / 60 } as const;

/** The share of devices that watched a trailer, which nobody is told. */
export const TRAILER = 0.3;

export const PLANS = { free: 0.71, plus: 0.2, family: 0.09 } as const;
export const HOMES = { browses: 0.47, keeps: 0.37, follows: 0.16 } as const;
export const TIMES = { weekdays: 0.22, weekends: 0.47, both: 0.31 } as const;

/** Which parts are in use together. */
export const PARTS = [
  { parts: ['watchlist'], share: 0.26 },
  { parts: ['diary'], share: 0.17 },
  { parts: ['watchlist', 'diary'], share: 0.21 },
  { parts: ['watchlist', 'favourites'], share: 0.12 },
  { parts: ['diary', 'statistics'], share: 0.09 },
  { parts: ['watchlist', 'diary', 'friends'], share: 0.08 },
  { parts: ['diary', 'lists', 'friends'], share: 0.04 },
  { parts: [], share: 0.03 },
] as const;

/** Films seen in 30 days: the shares of 0, 1, 2 and so on. */
export const SEEN = [0.06, 0.1, 0.13, 0.14, 0.13, 0.11, 0.09, 0.07, 0.05, 0.04, 0.03, 0.02, 0.02, 0.01] as const;

/** Devices that come on a day, against the average: more on weekends. */
export const WEEK = [0.9, 0.88, 0.9, 0.92, 1.0, 1.24, 1.16] as const;
