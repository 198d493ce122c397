/** Tallies of bits that are drawn at once have the law of those that the shipping randomizers' reports are counted into. */

import { createCoins } from '@murmuration/client/testing';
import {
  bloomBits,
  dBitFlipLaw,
  drawnSupport,
  hashString,
  hierarchicalLaw,
  type Law,
  type LevelLaw,
  mechanismOf,
  rapporFromParameters,
  type Support,
  stringHashingLaw,
  widthOf,
} from '@murmuration/shared';
import { expect, test } from 'vitest';
import { randomizeDBitFlip } from '#client/randomizers/d-bit-flip.ts';
import { randomizeHierarchical } from '#client/randomizers/hierarchical.ts';
import { randomizeRappor } from '#client/randomizers/rappor.ts';
import { randomizeStringHashing } from '#client/randomizers/string-hashing.ts';
import type { Tallies } from '#collector/estimation/tally.ts';
import { Accumulator } from '#collector/storage/tallying/accumulator.ts';
import { dBitFlipTally, hierarchicalTally, rapporTally, stringHashingTally } from '../../kit/coverage/bit-tallies.ts';
import { type Uniform, uniforms } from '../../kit/coverage/drawing.ts';
import { bitDrawings } from '../../kit/coverage/drawn-bits.ts';
import { binomialsOf } from '../../kit/coverage/multinomial.ts';
import { drawn, failuresOf } from '../../kit/coverage/targets.ts';
import { range } from '../../proofs/channel.ts';
import { type ChiSquared, pooled, upperTail } from '../../proofs/statistics.ts';
import { EFFORT } from '../../setup/effort.ts';

/** Of each statistical test below: a correct system fails it this often. */
const FALSE_ALARM = 1e-6;

const uniform = uniforms(12);
const coins = createCoins(() => Math.floor(uniform() * 2 ** 32));

/** A law both ways, over a few answers. */
interface Both {
  readonly name: string;
  readonly law: Law;
  readonly answers: number;
  readonly draw: (having: readonly number[], from: Uniform) => Tallies;
  readonly report: (answer: number) => Uint8Array;
  /** P(1) of a cohort's cells: of those that an answer has, and of the others. */
  readonly support: (cohort: number) => Support;
  readonly has: (answer: number, cohort: number, cell: number) => boolean;
}

const STRINGS = ['one', 'two', 'three'];
const HASHES = STRINGS.map(hashString);

const bitFlip = (size: number, bits: number): Both => {
  const law = dBitFlipLaw(size, bits, 1);
  return {
    name: `dBitFlip, ${bits} of ${size}`,
    law,
    answers: size,
    draw: (having, from) => dBitFlipTally(law, having, from),
    report: (answer) => randomizeDBitFlip(law, answer, coins),
    support: () => drawnSupport(law),
    has: (answer, place, bit) => (place + bit) % size === answer,
  };
};

const rappor = (hashes: number): Both => {
  const law = rapporFromParameters({ bits: 4, hashes, cohorts: 2, f: 0.5, p: 0, q: 1 });
  return {
    name: `RAPPOR, ${hashes} hashes`,
    law,
    answers: STRINGS.length,
    draw: (having, from) => rapporTally(law, HASHES, having, from),
    report: (answer) => randomizeRappor(law, STRINGS[answer] as string, coins),
    support: () => mechanismOf(law).support(law),
    has: (answer, cohort, bit) => bloomBits(HASHES[answer] as readonly [number, number], cohort, hashes, 4).includes(bit),
  };
};

const hashing = (epsilon: number): Both => {
  const law = { ...stringHashingLaw(epsilon, 100), cohorts: 2 };
  return {
    name: `local hashing of strings, ${law.buckets} buckets`,
    law,
    answers: STRINGS.length,
    draw: (having, from) => stringHashingTally(law, HASHES, having, from),
    report: (answer) => randomizeStringHashing(law, STRINGS[answer] as string, coins),
    support: () => mechanismOf(law).support(law),
    has: (answer, cohort, bucket) => bloomBits(HASHES[answer] as readonly [number, number], cohort, 1, law.buckets).includes(bucket),
  };
};

const intervals = (cells: number, epsilon: number, branching: number): Both => {
  const law = hierarchicalLaw(cells, epsilon, branching);
  return {
    name: `hierarchical, ${cells} cells, ${law.levels.map((level) => (level.mechanism === 'subset' ? `${level.subset} of ` : '') + level.size)}`,
    law,
    answers: cells,
    draw: (having, from) => hierarchicalTally(law, having, from),
    report: (answer) => randomizeHierarchical(law, answer, coins),
    support: (level) => {
      const own = law.levels[level] as LevelLaw;
      return mechanismOf(own).support(own);
    },
    has: (answer, level, node) => Math.floor(answer / widthOf(law, level)) === node,
  };
};

const all = [
  bitFlip(4, 2),
  bitFlip(3, 3),
  rappor(1),
  rappor(2),
  hashing(1),
  hashing(2),
  intervals(5, 2, 3),
  intervals(5, 0.3, 5),
  intervals(6, 0.2, 6),
  intervals(9, 0.5, 3),
];

/** The cells of a cohort that hold counts: a level has its nodes. */
const cellsIn = (law: Law, cohort: number): number =>
  law.mechanism === 'hierarchical' ? (law.levels[cohort] as LevelLaw).size : mechanismOf(law).shape(law).cells;

const keyOf = (tallies: Tallies): string =>
  JSON.stringify([...tallies].sort(([a], [b]) => a - b).map(([cohort, { reports, cells }]) => [cohort, reports, ...cells]));

/** Whether two samples of one size are of one law; what is rare is counted together. */
function sameLaw(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): ChiSquared {
  const pairs = [...new Set([...one.keys(), ...other.keys()])].map((key) => [one.get(key) ?? 0, other.get(key) ?? 0] as const);
  const often = pairs.filter(([a, b]) => a + b >= 20);
  const rest = pairs.filter(([a, b]) => a + b < 20).reduce((sum, [a, b]) => [sum[0] + a, sum[1] + b] as const, [0, 0] as const);
  const cells = rest[0] + rest[1] >= 20 ? [...often, rest] : often;
  return { statistic: cells.reduce((sum, [a, b]) => sum + (a - b) ** 2 / (a + b), 0), degrees: cells.length - 1 };
}

test('whole tallies of two devices are drawn as often as they are counted', () => {
  const rounds = 5_000 * EFFORT;
  const fits = all.map(({ law, answers, draw, report }) => {
    const [drawnKeys, countedKeys] = [new Map<string, number>(), new Map<string, number>()];
    const add = (keys: Map<string, number>, key: string): unknown => keys.set(key, (keys.get(key) ?? 0) + 1);
    const two = [0, answers - 1];
    const having = range(answers).map((answer) => two.filter((each) => each === answer).length);
    for (let i = 0; i < rounds; i++) {
      add(drawnKeys, keyOf(draw(having, uniform)));
      const counted = new Accumulator(mechanismOf(law).shape(law));
      for (const answer of two) counted.addReport(report(answer));
      add(countedKeys, keyOf(counted.tallies()));
    }
    return sameLaw(drawnKeys, countedKeys);
  });
  for (const { degrees } of fits) expect(degrees).toBeGreaterThan(5);
  expect(upperTail(pooled(fits))).toBeGreaterThan(FALSE_ALARM);
});

test('counts of many devices have the mean and the variance of the law, and not of one that is 1 % off', () => {
  const devices = 30_000;
  const fits = all.flatMap(({ law, answers, draw, support, has }) => {
    const { cohorts } = mechanismOf(law).shape(law);
    const having = range(answers).map((answer) => (answer + 1) * Math.floor(devices / answers / answers));
    return range(100).map(() => {
      const cohort = Math.floor(uniform() * cohorts);
      const cell = Math.floor(uniform() * cellsIn(law, cohort));
      const { p, q } = support(cohort);
      const count = draw(having, uniform).get(cohort)?.cells[cell] as number;
      // A sum of independent devices; one cell of each tally, so that the statistics are independent too.
      const off = (by: number): ChiSquared => {
        const chances = range(answers).map((answer) => (by * (has(answer, cohort, cell) ? p : q)) / cohorts);
        const mean = chances.reduce((sum, chance, answer) => sum + (having[answer] as number) * chance, 0);
        const variance = chances.reduce((sum, chance, answer) => sum + (having[answer] as number) * chance * (1 - chance), 0);
        return { statistic: (count - mean) ** 2 / variance, degrees: 1 };
      };
      return [off(1), off(1.01)] as const;
    });
  });
  expect(upperTail(pooled(fits.map(([right]) => right)))).toBeGreaterThan(FALSE_ALARM);
  expect(upperTail(pooled(fits.map(([, wrong]) => wrong)))).toBeLessThan(FALSE_ALARM);
});

test('a count of few trials takes the same part of uniform numbers as that of its probabilities', () => {
  const parts = 100_000;
  for (const [trials, chance] of [
    [5, 0.5],
    [15, 0.02],
    [200, 0.3],
  ] as const) {
    let next = 0;
    const draw = binomialsOf(chance, () => (next++ + 0.5) / parts);
    const found = new Float64Array(trials + 1);
    for (let i = 0; i < parts; i++) {
      const count = draw(trials);
      found[count] = (found[count] as number) + 1;
    }
    let term = (1 - chance) ** trials;
    for (const k of range(trials + 1)) {
      expect(Math.abs((found[k] as number) - parts * term)).toBeLessThan(1.01);
      term *= ((trials - k) / (k + 1)) * (chance / (1 - chance));
    }
  }
});

/** Each law and target misses its gate by chance with a probability below 3e-7 (kit/coverage/targets.ts). */
test.each([
  [100, bitDrawings],
  [10_000, bitDrawings],
  [1_000_000, bitDrawings.filter(({ isLong }) => !isLong)],
])('drawn tallies of %d devices: of both targets 93 to 97 in a hundred are covered', (devices, drawings) => {
  expect(failuresOf(drawn(devices, 10 * EFFORT, 1, drawings))).toEqual([]);
});
