/** The moments of estimates against brute force: every report of a small law, with its probability, through the estimator itself. */

import { estimatesOf, momentsOf } from '@murmuration/collector';
import {
  bloomBit,
  bloomBits,
  bucketOf,
  countMeanSketchLaw,
  familyOf,
  hadamardCountMeanSketchLaw,
  hadamardLaw,
  hashString,
  kAry,
  kAryLaw,
  localHashingLaw,
  MODULUS,
  mechanismOf,
  overBuckets,
  permanentKAryLaw,
  projectiveLaw,
  rapporLaw,
  type StringLaw,
  stringHashingLaw,
  subsetLaw,
  unaryLaw,
} from '@murmuration/shared';
import { expect, test } from 'vitest';
import type { MomentsLaw } from '#collector/estimation/covariance.ts';
import type { Specimen } from '../../conformance/specimens/specimen.ts';
import { specimens } from '../../conformance/specimens.ts';
import type { Distribution } from '../../proofs/enumerate.ts';
import { toNumber } from '../../proofs/rational.ts';

/** A possible report of a device, and its probability. */
interface Possible {
  readonly cohort: number;
  readonly cells: readonly number[];
  readonly probability: number;
}

const subsets = (size: number): readonly (readonly number[])[] =>
  Array.from({ length: 2 ** size }, (_, mask) => Array.from({ length: size }, (__, bit) => bit).filter((bit) => (mask >> bit) & 1));

/** Of a law whose rows the conformance suite writes down. */
const rowReports = (law: MomentsLaw, row: Distribution): readonly Possible[] =>
  [...row].map(([report, probability]) => ({
    ...mechanismOf(law).decode(law, Uint8Array.from(Buffer.from(report, 'hex'))),
    probability: toNumber(probability),
  }));

function listReports(law: Exclude<MomentsLaw, StringLaw>, answer: number): readonly Possible[] {
  if (law.mechanism === 'k-ary') {
    const { p, q } = mechanismOf(law).support(law);
    return Array.from({ length: law.size }, (_, cell) => ({ cohort: 0, cells: [cell], probability: cell === answer ? p : q }));
  }
  if (law.mechanism === 'unary') {
    const { p, q } = mechanismOf(law).support(law);
    return subsets(law.size).map((cells) => {
      const bits = Array.from({ length: law.size }, (_, bit) => [bit === answer ? p : q, cells.includes(bit)] as const);
      return { cohort: 0, cells, probability: bits.reduce((product, [chance, isOne]) => product * (isOne ? chance : 1 - chance), 1) };
    });
  }
  if (law.mechanism === 'local-hashing') {
    const { buckets } = law;
    const { cohorts } = familyOf(law.size, buckets);
    const { p: same, q: other } = kAry.support(overBuckets(law));
    return Array.from({ length: cohorts * buckets }, (_, at) => {
      const own = bucketOf(buckets, Math.floor(at / buckets), answer) === at % buckets;
      return { cohort: 0, cells: [at], probability: (own ? same : other) / cohorts };
    });
  }
  if (law.mechanism !== 'subset') {
    const { row } = specimens[law.mechanism] as Specimen<MomentsLaw>;
    return rowReports(law, row(law, answer, MODULUS));
  }
  const sets = subsets(law.size).filter(({ length }) => length === law.subset);
  const include = law.include / MODULUS;
  const holding = sets.filter((set) => set.includes(answer)).length;
  return sets.map((cells) => {
    const probability = cells.includes(answer) ? include / holding : (1 - include) / (sets.length - holding);
    return { cohort: 0, cells, probability };
  });
}

function stringReports(law: StringLaw, text: string): readonly Possible[] {
  if (law.mechanism === 'string-hashing') {
    const { p: same, q: other } = kAry.support(overBuckets(law));
    return Array.from({ length: law.cohorts * law.buckets }, (_, at) => {
      const [cohort, bucket] = [Math.floor(at / law.buckets), at % law.buckets];
      const own = bloomBit(hashString(text), cohort, 0, law.buckets) === bucket;
      return { cohort, cells: [bucket], probability: (own ? same : other) / law.cohorts };
    });
  }
  const { p, q } = mechanismOf(law).support(law);
  return Array.from({ length: law.cohorts }, (_, cohort) => {
    const own = bloomBits(hashString(text), cohort, law.hashes, law.bits);
    return subsets(law.bits).map((cells) => {
      const chance = (bit: number): number => (own.includes(bit) ? p : q);
      const bits = Array.from({ length: law.bits }, (__, bit) => (cells.includes(bit) ? chance(bit) : 1 - chance(bit)));
      return { cohort, cells, probability: bits.reduce((product, x) => product * x, 1 / law.cohorts) };
    });
  }).flat();
}

/** Mean and covariance of the estimates of one report. */
function bruteForce(
  law: MomentsLaw,
  reports: readonly Possible[],
  candidates: readonly string[],
): { readonly mean: number[]; readonly covariance: number[][] } {
  const { cells: size } = mechanismOf(law).shape(law);
  const outcomes = reports.map(({ cohort, cells, probability }) => {
    const tally = { reports: 1, cells: Float64Array.from({ length: size }, (_, cell) => Number(cells.includes(cell))) };
    const estimates = estimatesOf(law, { tallies: new Map([[cohort, tally]]), perDevice: 1, candidates });
    return { probability, estimates: estimates.map(({ estimate }) => estimate) };
  });
  const width = outcomes[0]?.estimates.length ?? 0;
  const expectation = (of: (estimates: readonly number[]) => number): number =>
    outcomes.reduce((sum, { probability, estimates }) => sum + probability * of(estimates), 0);
  const mean = Array.from({ length: width }, (_, u) => expectation((estimates) => estimates[u] as number));
  const covariance = mean.map((a, u) =>
    mean.map((b, v) => expectation((estimates) => ((estimates[u] as number) - a) * ((estimates[v] as number) - b))),
  );
  return { mean, covariance };
}

/** Of n devices: the mean of their means, and the sum of their covariances over n². */
function expectMoments(
  law: MomentsLaw,
  devices: readonly (readonly [reports: readonly Possible[], count: number])[],
  candidates: readonly string[],
  counts: readonly number[],
  others: ReadonlyMap<string, number>,
): void {
  const n = devices.reduce((sum, [, count]) => sum + count, 0);
  const parts = devices.map(([reports, count]) => ({ count, ...bruteForce(law, reports, candidates) }));
  const moments = momentsOf(law, { counts, others, candidates });
  counts.forEach((_, u) => {
    expect(moments.mean[u]).toBeCloseTo(
      parts.reduce((sum, { count, mean }) => sum + (count / n) * (mean[u] as number), 0),
      10,
    );
    counts.forEach((__, v) => {
      const expected = parts.reduce((sum, { count, covariance }) => sum + (count / n ** 2) * (covariance[u]?.[v] as number), 0);
      expect(moments.covariance.get(u, v)).toBeCloseTo(expected, 10);
    });
  });
}

test.each([
  ['k-ary response', kAryLaw(4, 1.2)],
  ['permanent k-ary response', permanentKAryLaw(4, 1, 3)],
  ['unary encoding', unaryLaw(4, 1)],
  ['permanent unary encoding', unaryLaw(5, 1, 3)],
  ['subset selection of two', subsetLaw(4, 2, 1)],
  ['subset selection of three', subsetLaw(5, 3, 0.7)],
  ['local hashing', localHashingLaw(5, 1, undefined, 3)],
  ['local hashing in 4 buckets', localHashingLaw(5, 1, undefined, 4)],
  ['local hashing of as many answers as vectors', localHashingLaw(4, 1, undefined, 2)],
  ['local hashing without collisions', localHashingLaw(4, 1, undefined, 4)],
  ['permanent local hashing', localHashingLaw(5, 1, 3, 2)],
  ['Hadamard response', hadamardLaw(5, 1, 2)],
  ['Hadamard response over GF(4)', hadamardLaw(5, 1, 4)],
  ['projective geometry response', projectiveLaw(5, 1, 2)],
  ['projective geometry response over all points', projectiveLaw(4, 1, 3)],
  ['count mean sketch', countMeanSketchLaw(5, 2, undefined, 3)],
  ['Hadamard count mean sketch', hadamardCountMeanSketchLaw(5, 1, 2)],
] as const)('%s: mean and covariance are those of all its reports', (_, law) => {
  const counts = Array.from({ length: law.size }, (__, answer) => [5, 0, 2, 11, 1][answer] as number);
  expectMoments(
    law,
    counts.map((count, answer) => [listReports(law, answer), count]),
    [],
    counts,
    new Map(),
  );
});

test.each([
  ['one-time', { ...rapporLaw(1, 1_000), bits: 6, cohorts: 4 }],
  ['permanent', { ...rapporLaw(1, 1_000, 2), bits: 6, cohorts: 2 }],
  ['as local hashing', { ...stringHashingLaw(1, 1_000), cohorts: 4 }],
  ['as permanent local hashing', { ...stringHashingLaw(1, 1_000, 2), cohorts: 2 }],
  ['two hashes', { ...rapporLaw(1, 1_000), bits: 6, hashes: 2, cohorts: 4 }],
] as const)('strings, %s: mean and covariance are those of all its reports, whatever the strings share', (_, law) => {
  const candidates = ['a', 'b', 'c', 'd', 'e'];
  const [counts, others] = [
    [7, 0, 3, 1, 2],
    new Map([
      ['f', 4],
      ['g', 9],
    ]),
  ];
  const devices = [...candidates.map((text, i) => [text, counts[i] as number] as const), ...others];
  expectMoments(
    law,
    devices.map(([text, count]) => [stringReports(law, text), count]),
    candidates,
    counts,
    others,
  );
});
