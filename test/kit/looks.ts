/** A metric that is looked at again and again while reports arrive: the tally at each look, drawn from its exact law. */

import { listLaw, type MetricDocument, mechanismOf } from '@murmuration/shared';
import type { Tallies } from '#collector/estimation/tally.ts';
import { multinomialOf } from './coverage/multinomial.ts';
import type { Uniform } from './random.ts';

/** Sizes of so many looks, after each day's reports. */
export const daily = (looks: number, reports: number): readonly number[] => Array.from({ length: looks }, (_, day) => (day + 1) * reports);

/** Sizes of looks at 20 a doubling. */
export function geometric(from: number, to: number): readonly number[] {
  const looks = Math.round(20 * Math.log2(to / from));
  return Array.from({ length: looks + 1 }, (_, look) => Math.round(from * 2 ** (look / 20)));
}

/** A list whose reports name one answer each. The tally is about people who are drawn from a population with these shares. */
export interface ArrivingList {
  readonly document: MetricDocument;
  readonly shares: readonly number[];
}

/** A choice of as many answers as there are shares, by its default law; a flag for two. */
export function arrivingList(shares: readonly number[], epsilon: number): ArrivingList {
  const law = listLaw(shares.length, epsilon);
  if (law.mechanism !== 'k-ary') throw new RangeError(`expected a list that is asked by k-ary response, got ${law.mechanism}`);
  const answers = shares.map((_, i) => String.fromCharCode(97 + i));
  return { document: { type: 'choice', answers, every: 'month', epsilon, law } as unknown as MetricDocument, shares };
}

/** The tallies of a list at each of these sizes. */
export function* arriving({ document: { law }, shares }: ArrivingList, sizes: Iterable<number>, uniform: Uniform): Generator<Tallies> {
  if (law.mechanism !== 'k-ary') throw new RangeError(`expected k-ary response, got ${law.mechanism}`);
  const { p, q } = mechanismOf(law).support(law);
  const chances = shares.map((share) => q + (p - q) * share);
  const cells = new Float64Array(shares.length);
  let reports = 0;
  for (const size of sizes) {
    multinomialOf(size - reports, chances, uniform).forEach((count, answer) => {
      cells[answer] = (cells[answer] as number) + count;
    });
    reports = size;
    yield new Map([[0, { reports, cells: cells.slice() }]]);
  }
}
