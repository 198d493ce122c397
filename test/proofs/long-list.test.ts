/** Proofs of chooser 1 over long lists: short wherever it may be, within 3 % of the proven bound, and asked for by name. */

import { choice, defineSchema, histogram, joint, longList, permanent } from '@murmuration/client';
import {
  dimensionFor,
  familyOf,
  isFieldOrder,
  isPrime,
  listLaw,
  longListLaw,
  meanVariance,
  mechanismOf,
  permanentListLaw,
  pointCount,
  type Support,
  subsetIdeal,
} from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { optimum } from '#collector/estimation/mechanisms/subset.ts';
import { device } from '../client/device.ts';
import { EPSILONS, overBound, SIZES } from '../kit/lists.ts';
import { expectHeld } from './asked.ts';
import { range } from './channel.ts';
import { expectSupportSaid } from './preview.ts';

describe.each(EPSILONS)('at ε = %d', (epsilon) => {
  test.each(SIZES)('%i answers have at most 1.03 times the least error, and a short report wherever that allows one', (size) => {
    const law = longListLaw(size, epsilon);
    mechanismOf(law).validate(law);
    expectHeld(mechanismOf(law).odds(law).report, epsilon);
    // Chosen by the real ε; integers add some millionths.
    expect(overBound(law, epsilon)).toBeLessThan(1.03 + 1e-5);
    const plain = listLaw(size, epsilon);
    if (size <= 64 || plain.mechanism === 'k-ary') return expect(law).toEqual(plain);

    const most = 1.03 * meanVariance(size, subsetIdeal(size, plain.subset, epsilon));
    const allowed = range(Math.min(size, 1449)).flatMap((g) => {
      if (g < 2 || (g !== 4 && !isPrime(g))) return [];
      const { cohorts, collisions: c } = familyOf(size, g);
      const { p, q } = subsetIdeal(g, 1, epsilon);
      const isNear = meanVariance(size, { p, q: c * p + (1 - c) * q }) <= most;
      return isNear && cohorts * g <= 2 ** 21 ? [cohorts * g] : [];
    });
    if (allowed.length === 0) return expect(law).toEqual(plain);
    const { mechanism } = law;
    expect(mechanism).toBe('local-hashing');
    expect(mechanismOf(law).shape(law)).toMatchObject({ cohorts: 1, cells: Math.min(...allowed), form: 'symbol' });
    expect(mechanismOf(law).reportBytes(law)).toBeLessThanOrEqual(3);
  });
});

test('no law within 3 % is short for 65 to 67 answers at ε = 1, 65 to 104 at 2, 65 to 190 at 3 and 85 to 715 at 4; all others are', () => {
  const isShort = (size: number, epsilon: number): boolean => longListLaw(size, epsilon).mechanism !== 'subset';
  const long = (epsilon: number): readonly number[] => range(1200).filter((size) => size > 64 && !isShort(size, epsilon));
  expect([0.5, 0.75, 1.25, 1.5].map(long)).toEqual([[], [], [], []]);
  expect(long(1)).toEqual([65, 66, 67]);
  expect(long(2)).toEqual(range(140).filter((size) => (size >= 65 && size <= 104) || (size >= 122 && size <= 139)));
  expect(long(3)).toEqual(range(191).filter((size) => size >= 65));
  expect(long(4)).toEqual(range(716).filter((size) => size >= 85));
});

test('other powers of primes and projective geometry would make few more lists short', () => {
  const sizes = range(20).map((i) => Math.floor(65 * 1.4 ** i));
  /** Whether a design of some order is near, with supports p and q, and a tally that can be kept. */
  const isNear = (size: number, epsilon: number, supportOf: (order: number) => Support | undefined): boolean => {
    const most = 1.03 * optimum(size, epsilon).variance;
    return range(Math.min(1449, Math.ceil(2 * Math.exp(epsilon) + 4), size)).some((order) => {
      const support = isFieldOrder(order) ? supportOf(order) : undefined;
      return support !== undefined && meanVariance(size, support) <= most;
    });
  };
  const counts = { long: 0, chosen: 0, powers: 0, projective: 0 };
  for (const size of sizes) {
    for (const epsilon of EPSILONS) {
      if (listLaw(size, epsilon).mechanism === 'k-ary') continue;
      const e = Math.exp(epsilon);
      counts.long++;
      counts.chosen += Number(longListLaw(size, epsilon).mechanism === 'local-hashing');
      counts.powers += Number(
        isNear(size, epsilon, (g) => {
          const { cohorts, collisions: c } = familyOf(size, g);
          const { p, q } = subsetIdeal(g, 1, epsilon);
          return cohorts * g > 2 ** 21 ? undefined : { p, q: c * p + (1 - c) * q };
        }),
      );
      counts.projective += Number(
        isNear(size, epsilon, (order) => {
          const dimension = dimensionFor(order, size);
          const [all, set, both] = [0, 1, 2].map((less) => pointCount(order, dimension - less)) as [number, number, number];
          const p = (set * e) / (set * e + (all - set));
          return all > 2 ** 21 ? undefined : { p, q: (p * both) / set + ((1 - p) * (set - both)) / (all - set) };
        }),
      );
    }
  }
  expect(counts).toEqual({ long: 195, chosen: 148, powers: 150, projective: 152 });
});

test('an answer is one number below the tally’s cells, and a preview says the answers that it supports', () => {
  for (const law of [longListLaw(100, 1), longListLaw(249, 2), longListLaw(1024, 0.5), longListLaw(70, 4), longListLaw(80, 2)]) {
    expectSupportSaid(longList(), law);
  }
});

const answers = (count: number): string[] => range(count).map((i) => `answer ${i}`);
const ask = { epsilon: 1, description: 'a question' };
const define = (question: Parameters<typeof defineSchema>[0]['metrics'][string]) => () =>
  defineSchema({ app: 'long', version: 1, budget: { epsilon: 10, per: 'month' }, metrics: { question } }).document.metrics['question']?.law;

describe('a schema in development', () => {
  test('asks for longList() where a list has more than 64 answers and short reports, and says how short', () => {
    const said =
      'schema.metrics.question: expected mechanism: longList() of @murmuration/client for a list of 249 answers, got none: reports would have 32 bytes, and with it 2';
    expect(define(choice(answers(249), ask))).toThrow(said);
    expect(define(choice(answers(248), { ...ask, other: true }))).toThrow(said);
    expect(define(histogram(range(248), ask))).toThrow(said);
    expect(define(joint({ a: answers(3), b: answers(83) }, ask))).toThrow(said);
  });

  test('takes a list of up to 64, one whose law is short, and one that has no short law, without it', () => {
    for (const [size, epsilon] of [
      [64, 1],
      [65, 1],
      [100, 2],
      [300, 8],
    ] as const) {
      expect(define(choice(answers(size), { ...ask, epsilon }))()).toEqual(listLaw(size, epsilon));
      expect(define(choice(answers(size), { ...ask, epsilon, mechanism: longList() }))()).toEqual(listLaw(size, epsilon));
    }
  });

  test('takes choices, joint questions and histograms that name it', () => {
    const law = longListLaw(249, 1);
    const named = { ...ask, mechanism: longList() };
    expect(law).toMatchObject({ mechanism: 'local-hashing', buckets: 4 });
    expect(define(choice(answers(249), named))()).toEqual(law);
    expect(define(histogram(range(248), named))()).toEqual(law);
    expect(define(joint({ a: answers(3), b: answers(83) }, named))()).toEqual(law);
  });

  test('leaves a permanent list its bits, and refuses longList() there, for short reports would be linked', () => {
    const permanence = { epsilon: 3, renew: 'year' } as const;
    expect(define(permanent(choice(answers(249), ask), permanence))()).toEqual(permanentListLaw(249, 1, 3));
    expect(define(permanent(choice(answers(249), { ...ask, mechanism: longList() }), permanence))).toThrow(
      'schema.metrics.question: longList: expected a list that is not permanent',
    );
  });
});

test('a device sends what the collector takes', async () => {
  const schema = defineSchema({
    app: 'long',
    version: 1,
    budget: { epsilon: 1, per: 'month' },
    metrics: { country: choice(answers(249), { ...ask, mechanism: longList() }) },
  });
  const { telemetry, uploads } = device(schema);
  telemetry.record('country', 'answer 7');
  await telemetry.flush();
  const { reports } = JSON.parse(uploads[0]?.body as string) as { readonly reports: readonly [string, string][] };
  expect(reports).toHaveLength(1);
  expect(reports[0]?.[1]).toMatch(/^[\w-]{3}$/);
});
