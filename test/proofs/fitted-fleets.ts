/** Large fleets whose frequent strings are fitted together: so many reports that collisions would be most of every error. */

import { hashString, MODULUS, type RapporLaw, rapporLaw, type StringHashingLaw, stringHashingLaw } from '@murmuration/shared';
import type { Population } from '#collector/estimation/covariance.ts';
import type { Estimate } from '#collector/estimation/estimate.ts';
import { estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import type { Tallies } from '#collector/estimation/tally.ts';
import { rapporTally, stringHashingTally } from '../kit/coverage/bit-tallies.ts';
import { binomialAt, multinomialOf } from '../kit/coverage/multinomial.ts';
import { type Uniform, uniforms } from '../kit/random.ts';
import { range } from './channel.ts';

/** A fleet: shares fall as 1 / rank, and there are as many candidates that nobody has as strings. */
export interface Fleet {
  readonly law: RapporLaw | StringHashingLaw;
  /** Devices, as a multiple of those whose number gives the law its cohorts. */
  readonly over: number;
  readonly strings: number;
  /** How many of the most frequent strings are no candidates. */
  readonly unlisted: number;
  /** How often each device reports its stored symbol. */
  readonly days?: number;
}

/** The most devices for which a law has this number of cohorts. */
function devicesOf({ law, over }: Fleet): number {
  const { epsilon, cells } =
    law.mechanism === 'rappor'
      ? { epsilon: Math.log((MODULUS - law.zero) / law.zero), cells: law.bits }
      : { epsilon: Math.log((law.truth * (law.buckets - 1)) / (MODULUS - law.truth)), cells: law.buckets - 1 };
  const variance = (4 * Math.exp(epsilon)) / (Math.exp(epsilon) - 1) ** 2;
  return Math.round((over * (law.cohorts * cells) ** 2 * variance) / 900);
}

/** So many reports of each stored symbol. */
function again({ irr }: RapporLaw, stored: Tallies, days: number, uniform: Uniform): Tallies {
  if (irr === undefined) return stored;
  const [ofOne, ofZero] = [irr.one / MODULUS, irr.zero / MODULUS];
  return new Map(
    [...stored].map(([cohort, { reports, cells }]) => [
      cohort,
      {
        reports: days * reports,
        cells: cells.map((ones) => binomialAt(days * ones, ofOne, uniform()) + binomialAt(days * (reports - ones), ofZero, uniform())),
      },
    ]),
  );
}

/** The estimates of a fleet's candidates, and what its devices have. */
export function estimatesIn(fleet: Fleet, seed: number): Population & { readonly estimates: readonly Estimate[] } {
  const { law, strings: size, unlisted, days = 1 } = fleet;
  const uniform = uniforms(seed);
  const devices = devicesOf(fleet);
  const weights = range(size).map((rank) => 1 / (rank + 1));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const having = multinomialOf(
    devices,
    weights.map((weight) => weight / all),
    uniform,
  );
  const strings = range(size).map((rank) => `${seed}/${rank}`);
  const hashes = strings.map(hashString);
  const { irr: _irr, ...first } = law as RapporLaw;
  const tallies =
    law.mechanism === 'rappor'
      ? again(law, rapporTally(first, hashes, having, uniform), days, uniform)
      : stringHashingTally(law, hashes, having, uniform);
  const candidates = [...strings.slice(unlisted), ...range(size).map((rank) => `${seed}/nobody ${rank}`)];
  return {
    candidates,
    counts: candidates.map((_, i) => (i < size - unlisted ? (having[i + unlisted] as number) : 0)),
    others: new Map(strings.slice(0, unlisted).map((text, i) => [text, having[i] as number])),
    estimates: estimatesOf(law, { tallies, perDevice: days, candidates }),
  };
}

export const FITTED: readonly (readonly [name: string, fleet: Fleet])[] = [
  ['at the expected number of devices', { law: { ...rapporLaw(2, 1), cohorts: 32 }, over: 1, strings: 100, unlisted: 0 }],
  ['of 30 times as many', { law: { ...rapporLaw(2, 1), cohorts: 16 }, over: 30, strings: 100, unlisted: 0 }],
  ['of a year', { law: { ...rapporLaw(4, 1), cohorts: 16 }, over: 365, strings: 100, unlisted: 0 }],
  ['in eight cohorts', { law: { ...rapporLaw(2, 1), cohorts: 8 }, over: 100, strings: 60, unlisted: 0 }],
  ['with the two most frequent unlisted', { law: { ...rapporLaw(2, 1), cohorts: 16 }, over: 30, strings: 60, unlisted: 2 }],
  ['of local hashing', { law: { ...stringHashingLaw(2, 1), cohorts: 128 }, over: 30, strings: 60, unlisted: 0 }],
  [
    'that report a stored symbol on twenty days',
    { law: { ...rapporLaw(2, 1, 4), cohorts: 16 }, over: 30, strings: 60, unlisted: 0, days: 20 },
  ],
];

/** One candidate of each fleet, often a frequent one: those of one fleet depend on each other. */
export const oneOfEach = (fleet: Fleet, fleets: number): readonly (readonly [estimate: Estimate, truth: number])[] =>
  range(fleets).map((i) => {
    const { estimates, counts, others } = estimatesIn(fleet, 88_000 + i);
    const devices = [...counts, ...others.values()].reduce((sum, count) => sum + count, 0);
    const at = i % 2 === 0 ? (i / 2) % 10 : (7 * i) % estimates.length;
    return [estimates[at] as Estimate, (counts[at] as number) / devices];
  });
