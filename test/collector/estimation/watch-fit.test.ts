/** The watch over every mechanism that has a specimen: how often honest fleets alarm it, what crafted ones it finds, how far one report reaches. */

import { type Law, mechanismOf } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import type { Tallies, Tally } from '#collector/estimation/tally.ts';
import { tailOf } from '#collector/estimation/watch/fit.ts';
import { basisOf, leftInverse, residual } from '#collector/estimation/watch/residual.ts';
import { leverageOf, shiftOf, watchOf } from '#collector/estimation/watch/watch.ts';
import { isPermanent } from '../../conformance/specimens.ts';
import { subjects } from '../../conformance/subjects.ts';
import { ATTACKS, craftedOf, fleetOf, POPULATIONS, watchReports } from '../../kit/watched-fleets.ts';
import { range } from '../../proofs/channel.ts';
import { atMost } from '../../proofs/statistics.ts';
import { EFFORT } from '../../setup/effort.ts';

const FALSE_ALARM = 1e-6;

/** Alarms at one in a hundred, and the fifth more that chi squared of small classes may cost (classes.ts). */
const [LEVEL, LEVEL_OF_ALL] = [0.01, 0.012];

describe.each(subjects)('$name', ({ subject }) => {
  const laws = [...subject.specimen.laws, ...subject.specimen.large] as readonly Law[];

  test('honest fleets alarm it at one in a hundred at most one time in a hundred, whatever they answer', () => {
    let [fleets, alarms, seed] = [0, 0, 1];
    for (const law of laws)
      for (const population of POPULATIONS) {
        const fleet = fleetOf(subject, law, population, seed++);
        for (const devices of [30, ...Array<number>(3 * EFFORT).fill(300)]) {
          fleets++;
          if (watchReports(law, fleet.honest(devices)).pValue <= LEVEL) alarms++;
        }
      }
    expect(1 - atMost(alarms - 1, fleets, LEVEL_OF_ALL)).toBeGreaterThan(FALSE_ALARM);
  });

  test('it says a p-value for no reports, one, all equal, and a thousand million', () => {
    for (const law of laws) {
      const { cells, cohorts, form } = mechanismOf(law).shape(law);
      const fill = (count: number) =>
        new Map(
          range(Math.min(cohorts, 64)).map(
            (cohort) => [cohort, { reports: count * (form === 'bits' ? 1 : cells), cells: new Float64Array(cells).fill(count) }] as const,
          ),
        );
      const one = new Map([[0, { reports: 1, cells: Float64Array.from({ length: cells }, (_, cell) => Number(cell === 0)) }]]);
      for (const tallies of [new Map(), one, fill(1), fill(1e9 / cells)])
        for (const [name, value] of Object.entries(watchOf(law, tallies, [], 1))) {
          expect(value, name).toBeGreaterThanOrEqual(0);
          if (name !== 'perPercent') expect(value, name).toBeLessThanOrEqual(1);
        }
    }
  });
});

describe.each(subjects.filter(({ subject }) => subject.specimen.respond !== undefined))('$name, permanent', ({ subject }) => {
  const laws = [...subject.specimen.laws, ...subject.specimen.large].filter(isPermanent) as readonly Law[];

  test('devices that report on many days are not mistaken for crafted ones', () => {
    let [fleets, alarms, seed] = [0, 0, 1];
    for (const law of laws)
      for (const population of POPULATIONS) {
        const fleet = fleetOf(subject, law, population, seed++);
        for (const [devices, days] of range(4 * EFFORT).flatMap(
          () =>
            [
              [25, 30],
              [120, 5],
            ] as const,
        )) {
          fleets++;
          if (watchReports(law, fleet.honest(devices, days), days).pValue <= LEVEL) alarms++;
        }
      }
    expect(1 - atMost(alarms - 1, fleets, LEVEL_OF_ALL)).toBeGreaterThan(FALSE_ALARM);
  });
});

describe('crafted reports', () => {
  const REPORTS = 20_000;
  /**
   * By mechanism, the share of one report repeated that is found at one in a million in every large law that leaves something
   * to test. A k-ary answer and a bit of one-bit can be everybody's, so that no share below that of the truth itself is forbidden.
   */
  const found: { readonly [name: string]: number } = {
    subset: 0.1,
    unary: 0.05,
    rappor: 0.05,
    'd-bit-flip': 0.02,
    hadamard: 0.02,
    'count-mean-sketch': 0.02,
    'hadamard-count-mean-sketch': 0.02,
    piecewise: 0.05,
    hybrid: 0.05,
    geometric: 0.02,
    laplace: 0.2,
    hierarchical: 0.05,
    exponential: 0.1,
  };

  test.each(Object.entries(found))('of %s, one report repeated is found at a share of %d', (name, share) => {
    const { subject } = subjects.find((each) => each.name === name) as (typeof subjects)[number];
    for (const law of subject.specimen.large as readonly Law[]) {
      const fleet = fleetOf(subject, law, 'zipf', 5);
      const crafted = craftedOf(law, 'one report', fleet, share * REPORTS) as readonly Uint8Array[];
      expect(watchReports(law, [...fleet.honest((1 - share) * REPORTS), ...crafted]).pValue).toBeLessThan(FALSE_ALARM);
    }
  });

  test.each(ATTACKS.slice(1))('%s from many fake devices are found at a share of a fifth, where reports can be so', (attack) => {
    let tried = 0;
    for (const { subject } of subjects)
      for (const law of subject.specimen.large as readonly Law[]) {
        const fleet = fleetOf(subject, law, 'zipf', 6);
        const crafted = craftedOf(law, attack, fleet, REPORTS / 5);
        if (crafted === undefined) continue;
        tried++;
        expect(watchReports(law, [...fleet.honest((REPORTS * 4) / 5), ...crafted]).pValue).toBeLessThan(FALSE_ALARM);
      }
    expect(tried).toBeGreaterThan(10);
  });
});

describe('leverage', () => {
  /** Strings are estimated for candidates, by their hash: their score is the one of the bits, tested with the others' formula. */
  test.each(subjects.filter(({ name }) => !['rappor', 'string-hashing', 'prefix-hashing'].includes(name)))(
    'of $name: no report moves an estimate further, and one moves it as far where all reports count for all answers',
    ({ name, subject }) => {
      for (const law of subject.specimen.laws as readonly Law[]) {
        const leverage = leverageOf(law);
        if (leverage === undefined) continue;
        const { decode, shape } = mechanismOf(law);
        const { cohorts, cells } = shape(law);
        const honest: Tallies = new Map(
          range(cohorts).map((cohort) => [cohort, { reports: 4_000, cells: new Float64Array(cells).fill(1_000) }]),
        );
        const estimates = (tallies: Tallies): readonly number[] =>
          estimatesOf(law, { tallies, perDevice: 1, candidates: [] }).map(({ estimate }) => estimate);
        const before = estimates(honest);
        const [all, share] = [4_000 * cohorts, 0.1];
        const crafted = (share * all) / (1 - share);
        let [low, high, shift] = [0, 0, 0];
        for (const hex of new Set(range(subject.inputs(law)).flatMap((input) => [...subject.specimen.row(law, input, 2 ** 32).keys()]))) {
          const { cohort, cells: set } = decode(law, Uint8Array.from(Buffer.from(hex, 'hex')));
          const tally = honest.get(cohort) as Tally;
          const more = tally.cells.map((count, cell) => count + (set.includes(cell) ? crafted : 0));
          const after = estimates(new Map(honest).set(cohort, { reports: tally.reports + crafted, cells: more }));
          after.forEach((estimate, i) => {
            const own = before[i] as number;
            const score = (estimate - (1 - share) * own) / share;
            [low, high] = [Math.min(low, score), Math.max(high, score)];
            if (own >= 0 && own <= 1) shift = Math.max(shift, Math.abs(estimate - own));
          });
        }
        expect(shift).toBeLessThanOrEqual((shiftOf(law, share) as number) * (1 + 1e-9));
        if (leverage.drawn < 1 || name === 'hierarchical') continue;
        expect(low).toBeCloseTo(leverage.low, 6);
        expect(high).toBeCloseTo(leverage.high, 6);
      }
    },
  );
});

describe('what is left of counts', () => {
  test('is what no combination of columns explains, with as many degrees as they leave', () => {
    const columns = [
      [1, 1, 1, 1],
      [1, 2, 3, 4],
      [3, 5, 7, 9], // twice the second and the first
    ];
    const { statistic, degrees } = residual([1, 3, 2, 4], basisOf(columns, [1, 1, 1, 1]));
    expect(degrees).toBe(2);
    expect(statistic).toBeCloseTo(1.8, 12); // of the line 0.5 + 0.8 x
    expect(residual([2, 4, 6, 8], basisOf(columns, [1, 2, 3, 4])).statistic).toBeCloseTo(0, 12);
  });

  test('is orthogonal to scores that tell each column from the others', () => {
    const columns = [
      [0.5, 0.3, 0.1, 0.1],
      [0.1, 0.2, 0.3, 0.4],
      [0.2, 0.5, 0.2, 0.1],
    ];
    const scores = leftInverse(basisOf(columns, [0.3, 0.3, 0.2, 0.2])) as readonly Float64Array[];
    const products = scores.map((row) => columns.map((column) => column.reduce((sum, chance, j) => sum + chance * (row[j] as number), 0)));
    for (const [x, row] of products.entries()) for (const [y, product] of row.entries()) expect(product).toBeCloseTo(Number(x === y), 12);
    expect(leftInverse(basisOf([...columns, [0.3, 0.25, 0.2, 0.25]], [1, 1, 1, 1]))).toBeUndefined(); // half of each of the first two
  });

  test('has a power of the tail of chi squared, stretched where squares have unequal weights', () => {
    expect(tailOf({ statistic: 4, degrees: 2 })).toBeCloseTo(Math.exp(-2) ** 0.85, 12);
    expect(tailOf({ statistic: 8, degrees: 4, stretch: 2 })).toBeCloseTo(Math.exp(-2), 12);
  });
});
