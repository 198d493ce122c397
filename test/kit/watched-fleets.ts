/** Fleets for the poisoning watch, of any mechanism that has a specimen: honest by its shipped randomizer, and crafted in part. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { bigEndian, type Law, mechanismOf, toBase64url } from '@murmuration/shared';
import { type Watch, watchOf } from '#collector/estimation/watch/watch.ts';
import { Accumulator } from '#collector/storage/tallying/accumulator.ts';
import type { Subject } from '../conformance/subject.ts';

/** How answers are spread: everybody's the first, all alike, or falling as 1/rank. */
export const POPULATIONS = ['one', 'even', 'zipf'] as const;

type Population = (typeof POPULATIONS)[number];

/** A source of reports with a seed. */
export interface Fleet {
  /** The reports of so many devices, on so many days each where the law is permanent. */
  readonly honest: (devices: number, days?: number) => readonly Uint8Array[];
  /** A whole number below n. */
  readonly uniform: (n: number) => number;
}

const FINE = 2 ** 30;

/** The devices of a population. */
export function fleetOf(subject: Subject, law: Law, population: Population, seed: number): Fleet {
  const coins = createCoins(words(seededRng(seed)));
  const { randomize, respond } = subject.specimen;
  const inputs = subject.inputs(law);
  const weights = Array.from({ length: inputs }, (_, i) =>
    population === 'one' ? Number(i === 0) : population === 'even' ? 1 : 1 / (i + 1),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const draw = (): number => {
    let left = (coins.uniform(FINE) / FINE) * total;
    const found = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return Math.max(0, found);
  };
  return {
    honest: (devices, days = 1) =>
      Array.from({ length: devices }, () => {
        const symbol = randomize(law, draw(), coins, 2 ** 32);
        return Array.from({ length: days }, () => ('irr' in law && respond ? respond(law, symbol, coins) : symbol));
      }).flat(),
    uniform: coins.uniform,
  };
}

/** What liars send: one report again and again; one report, or the last symbol, in any cohort; or vectors of ones in any cohort. */
export const ATTACKS = ['one report', 'one symbol', 'all ones'] as const;

/** So many crafted reports; undefined where the law's reports can't be such. */
export function craftedOf(
  law: Law,
  attack: (typeof ATTACKS)[number],
  { honest, uniform }: Fleet,
  count: number,
): readonly Uint8Array[] | undefined {
  const { cohorts, cells, form, ones, limits } = mechanismOf(law).shape(law);
  const [first] = honest(1) as [Uint8Array];
  if (attack === 'one report') return Array(count).fill(first);
  if (attack === 'one symbol' && law.mechanism === 'local-hashing') {
    const { buckets } = law; // a cell is a cohort and a bucket of it
    if (buckets === cells) return undefined; // one cohort: the reports of those who all have one answer
    return Array.from({ length: count }, () => Uint8Array.from(bigEndian((uniform(cells / buckets) + 1) * buckets - 1, cells - 1)));
  }
  if (attack === 'one symbol' ? cohorts === 1 || limits : form === 'symbol' || ones || limits) return undefined;
  const front = cohorts === 1 ? 0 : cohorts <= 256 ? 1 : 2;
  return Array.from({ length: count }, () => {
    const report = Uint8Array.from(first);
    const cohort = uniform(cohorts);
    if (front > 0) report[front - 1] = cohort & 255;
    if (front > 1) report[0] = cohort >> 8;
    if (attack === 'one symbol' && form === 'symbol') report.set(bigEndian(cells - 1, cells - 1), front);
    if (attack === 'all ones')
      for (let bit = 0; bit < report.length - front; bit++) report[front + bit] = 255 >> Math.max(0, 8 * (bit + 1) - cells);
    return report;
  });
}

/** The watch of reports of one day. */
export function watchReports(law: Law, reports: readonly Uint8Array[], perDevice = 1): Watch {
  const folder = new Accumulator(mechanismOf(law).shape(law));
  folder.addPayloads(reports.map(toBase64url));
  const ones = folder.ones();
  return watchOf(law, folder.tallies(), ones.size > 0 && perDevice === 1 ? [{ day: 1, reports: ones }] : [], perDevice);
}
