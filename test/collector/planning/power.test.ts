/** What the plan says is found four times in five is found so often, by the tests that readers get: enumerated, or drawn. */

import { choice, defineSchema, flag, joint } from '@murmuration/client';
import { type KAryLaw, kAry, kAryLaw, listLaw, meanLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { association } from '#collector/answers/association.ts';
import { compare } from '#collector/answers/compare.ts';
import { type EstimateRequest, rowsOf } from '#collector/answers/estimates.ts';
import { smallestShare } from '#collector/estimation/precision.ts';
import { noncentralTail, normalTail } from '#collector/estimation/statistics/tails.ts';
import { experimentOf } from '#collector/planning/plan/experiment.ts';
import { createCatalog, type PublishedMetric } from '#collector/schemas/catalog.ts';
import { uniforms } from '../../kit/coverage/drawing.ts';
import { drawTally } from '../../kit/coverage/drawn.ts';
import { atMost } from '../../proofs/statistics.ts';
import { runCommand } from '../../setup/command.ts';

const names = (size: number) => Array.from({ length: size }, (_, i) => `answer ${i}`) as [string, string];

type AnyQuestion = Parameters<typeof defineSchema>[0]['metrics'][string];

function metricOf(question: AnyQuestion): PublishedMetric {
  const { document } = defineSchema({ app: 'a', version: 1, budget: { epsilon: 100, per: 'month' }, metrics: { m: question } });
  return createCatalog([document]).metrics[0] as PublishedMetric;
}

const requestOf = (metric: PublishedMetric, tallies: EstimateRequest['evidence']['tallies'], reports: number): EstimateRequest => ({
  metric,
  evidence: { tallies, reports, from: 20_000, to: 20_000, ones: [] },
  minimum: 20,
  candidates: [],
  verdicts: { looks: 'once', planned: reports },
});

describe('the smallest share told from zero', () => {
  /** The least count from which `together`, the interval that holds for all answers, is above 0. */
  function criticalCount(size: number, epsilon: number, reports: number): number {
    const metric = metricOf(choice(names(size), { epsilon, description: 'Is it so?' }) as AnyQuestion);
    for (let count = 0; ; count++) {
      const cells = Float64Array.from({ length: size }, (_, i) => (i === 0 ? reports - count : i === 1 ? count : 0));
      const { answers } = rowsOf({ ...requestOf(metric, new Map([[0, { reports, cells }]]), reports), together: true });
      if ((answers[1]?.together?.low ?? 0) > 0) return count;
    }
  }
  const powerOf = (law: KAryLaw, reports: number, count: number, share: number): number => {
    const { p, q } = kAry.support(law);
    return 1 - atMost(count - 1, reports, q + (p - q) * share);
  };

  test.each([
    [20, 8, 300],
    [64, 8, 1_000],
    [5, 4, 1_000],
    [5, 2, 2_000],
  ])('of %d answers at ε %d and %d reports is found four times in five, and a smaller one less often', (size, epsilon, reports) => {
    const law = listLaw(size, epsilon) as KAryLaw;
    const share = smallestShare(law, reports, size) as number;
    const count = criticalCount(size, epsilon, reports);
    expect(powerOf(law, reports, count, share)).toBeGreaterThan(0.8 - 1e-9);
    expect(powerOf(law, reports, count, 0.99 * share)).toBeLessThan(0.8);
  });

  test('is one of which all answers together give a false find at most one time in twenty', () => {
    const [size, epsilon, reports] = [8, 2, 1_000];
    const count = criticalCount(size, epsilon, reports);
    expect((size - 1) * powerOf(listLaw(size, epsilon) as KAryLaw, reports, count, 0)).toBeLessThan(0.05);
  });

  test('is the normal one where counts are large', () => {
    const law = kAryLaw(2, 1);
    const exact = smallestShare(law, 39_000) as number;
    const normal = smallestShare(law, 52_000) as number;
    expect((normal / exact) * Math.sqrt(52 / 39)).toBeCloseTo(1, 2);
  });

  test('of reports that a device sends several of is that of as many devices that vary alike', () => {
    const law = kAryLaw(5, 4);
    const [once, often, fewer] = [smallestShare(law, 1_000, 5), smallestShare(law, 1_000, 5, 5), smallestShare(law, 200, 5)] as number[];
    expect(often).toBeGreaterThan(once as number);
    expect(often).toBeLessThan(fewer as number);
  });

  test('grows with the number of answers that are tested, and is none where reports are few', () => {
    const law = listLaw(64, 2);
    expect(smallestShare(law, 10_000, 64) as number).toBeGreaterThan(1.3 * (smallestShare(law, 10_000) as number));
    expect(smallestShare(kAryLaw(2, 0.1), 100)).toBeNull();
  });
});

describe('an experiment', () => {
  const ask = { epsilon: 1, description: 'Is it so?' };

  test('of 100,000 users in each arm finds 1.36 points of a flag at 50 %, with the arm in clear', () => {
    const { perArm, inClear } = experimentOf({ type: 'flag', law: kAryLaw(2, 1), epsilon: 1 }, 200_000, 0.5);
    expect(perArm).toBe(100_000);
    expect(inClear).toBeCloseTo(0.0136, 4);
  });

  /** Passes a share of finds of four in five unless chance alone makes one so far off once in a million. */
  function expectPower(found: number, rounds: number): void {
    expect(atMost(found, rounds, 0.8)).toBeGreaterThan(1e-6);
    expect(atMost(rounds - found, rounds, 0.2)).toBeGreaterThan(1e-6);
  }

  test.each([
    ['a flag', flag({ ...ask, epsilon: 4 }), ['no', 'yes'], 4, 4_000, 0.05],
    ['a choice', choice(names(5), { ...ask, epsilon: 3 }), names(5), 3, 20_000, 0.2],
  ] as const)('on %s is found four times in five by /compare and by the association', (type, question, answers, epsilon, users, share) => {
    const metric = metricOf(question as AnyQuestion);
    const law = metric.document.law as KAryLaw;
    const plan = experimentOf(metric.document, users, share);
    const both = metricOf(joint({ arm: ['old', 'new'], answer: answers as [string, string] }, { ...ask, epsilon }) as AnyQuestion);
    const pairs = both.document.law as KAryLaw;
    const uniform = uniforms(7);
    const at = (own: number): number[] =>
      type === 'a flag' ? [1 - own, own] : answers.map((_, i) => (i === 0 ? own : (1 - own) / (answers.length - 1)));
    const label = type === 'a flag' ? 'true' : answers[0];
    const draw = (of: KAryLaw, shares: readonly number[], reports: number) => {
      const { p, q } = kAry.support(of);
      return drawTally({ shares, rows: shares.map((_, x) => shares.map((__, y) => (x === y ? p : q))) }, reports, uniform);
    };
    const [rounds, drawn] = [600, 200];
    let [inClear, inJoint] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const [a, b] = [share, share + (plan.inClear as number)].map((own) =>
        requestOf(metric, draw(law, at(own), users / 2).tallies, users / 2),
      ) as [EstimateRequest, EstimateRequest];
      inClear += Number(compare(a, b, 'group').differences.find((row) => row.label === label)?.isClear);
    }
    const shares = [...at(share), ...at(share + (plan.joint as number))].map((each) => each / 2);
    for (let round = 0; round < drawn; round++) {
      const found = association(requestOf(both, draw(pairs, shares, users).tallies, users)).association.independence;
      inJoint += Number((found as number) < 0.05);
    }
    expectPower(inClear, rounds);
    expectPower(inJoint, drawn);
  });

  test('of a mean has no joint question, and one that no difference is large enough for has none', () => {
    const mean = experimentOf({ type: 'mean', law: meanLaw(1), epsilon: 1 }, 1_000, 0.5);
    expect([mean.tested, mean.joint]).toEqual([1, null]);
    const few = experimentOf({ type: 'flag', law: kAryLaw(2, 1), epsilon: 1 }, 20, 0.5);
    expect([few.inClear, few.joint]).toEqual([null, null]);
  });

  test('is in the words and the JSON of the command, which wants the users of both arms', () => {
    const run = (...args: string[]) => runCommand('plan', ...args, '--epsilon', '1', '--experiment');
    const one = ['--flag', '--share', '50%'];
    expect(run(...one, '--users', '200000').stdout).toContain('finds a difference of 1.4 percentage points around 50 %');
    expect(JSON.parse(run(...one, '--users', '200000', '--json').stdout).experiment.perArm).toBe(100_000);
    expect(run('--choice', '5', '--users', '200000').stdout).toContain('(two-sided, 5 % over the 5 answers that are compared)');
    expect(run(...one, '--users', '20').stdout).toContain('finds no difference around 50 % 4 times in 5. It needs more users.');
    const { status, stderr } = run(...one);
    expect([status, stderr]).toEqual([2, expect.stringContaining('--experiment: expected one question, and --users with it')]);
  });
});

test('the noncentral chi-squared with one degree of freedom is the square of a normal variable off its mean', () => {
  for (const mean of [0, 0.5, 2.8, 9])
    expect(noncentralTail(4, 1, mean * mean)).toBeCloseTo(normalTail(2 - mean) + normalTail(2 + mean), 12);
});
