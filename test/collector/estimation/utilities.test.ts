/** The mean utility of each option of `best`: unbiased, with the variance of its definition, and intervals that cover. */

import { best, defineSchema } from '@murmuration/client';
import { type ExponentialLaw, exponentialLaw } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { estimate } from '#collector/answers/estimates.ts';
import { THESE } from '#collector/estimation/estimate.ts';
import { meanOfInputs } from '#collector/estimation/mechanisms/exponential.ts';
import { drawTally, NEAR, rowsOf } from '../../kit/coverage/drawn.ts';
import { uniforms } from '../../kit/random.ts';
import { atMost } from '../../proofs/statistics.ts';

const SHARES = [0.4, 0.3, 0.2, 0.1];
/** Numbers of the inputs, from 0 to 1. */
const NUMBERS = [1, 0.2, 0, 0.7];
const TRUTH = SHARES.reduce((sum, share, i) => sum + share * (NUMBERS[i] as number), 0);
const LAWS = [1, 4].map((epsilon) => [epsilon, exponentialLaw(NEAR, epsilon)] as const);

const meanFrom = (law: ExponentialLaw, reports: number, cells: Float64Array, people: number) =>
  meanOfInputs(law, NUMBERS, { tallies: new Map([[0, { reports, cells }]]), perDevice: 1, people, candidates: [] })[0] as NonNullable<
    ReturnType<typeof meanOfInputs>[number]
  >;

test.each(LAWS)('at ε %d the mean over all tallies is the truth, and the variance that of independent reports', (_, law) => {
  const rows = rowsOf(law);
  const reports = 1e9;
  const expected = Float64Array.from(rows[0] as readonly number[], (__, j) =>
    SHARES.reduce((sum, share, i) => sum + reports * share * ((rows[i] as readonly number[])[j] as number), 0),
  );
  // The estimate is linear in the cells: its change by one report of an outcome is that outcome's score.
  const scoreOf = (j: number): number => {
    const one = new Float64Array(expected.length);
    one[j] = 1;
    return meanFrom(law, 1, one, THESE).estimate;
  };
  const scores = Array.from(expected, (__, j) => scoreOf(j));
  const [given, drawn] = [THESE, reports].map((people) => meanFrom(law, reports, expected, people)) as [
    ReturnType<typeof meanFrom>,
    ReturnType<typeof meanFrom>,
  ];
  expect(given.estimate).toBeCloseTo(TRUTH, 9);
  const second = (row: readonly number[]): number => row.reduce((sum, chance, j) => sum + chance * (scores[j] as number) ** 2, 0);
  const squares = SHARES.map((share, i) => share * second(rows[i] as readonly number[])).reduce((a, b) => a + b, 0);
  const ofNumbers = SHARES.reduce((sum, share, i) => sum + share * (NUMBERS[i] as number) ** 2, 0);
  expect((reports * given.standardError ** 2) / (squares - ofNumbers)).toBeCloseTo(1, 5);
  expect((reports * drawn.standardError ** 2) / (squares - TRUTH ** 2)).toBeCloseTo(1, 3);
});

/** An interval of 95 % may cover this seldom. */
const LEAST = 0.93;

test.each(LAWS.flatMap(([epsilon, law]) => [200, 5_000].map((reports) => [epsilon, reports, law] as const)))(
  'intervals cover at ε %d and %d reports, about all users and about those who reported',
  (_, reports, law) => {
    const uniform = uniforms(41);
    const rounds = 2_000;
    let [population, reported] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const { tallies, among } = drawTally({ shares: SHARES, rows: rowsOf(law) }, reports, uniform);
      const cells = (tallies.get(0) as { readonly cells: Float64Array }).cells;
      const theirs = among.reduce((sum, share, i) => sum + share * (NUMBERS[i] as number), 0);
      const [drawn, given] = [meanFrom(law, reports, cells, reports), meanFrom(law, reports, cells, THESE)];
      population += Number(drawn.low <= TRUTH && TRUTH <= drawn.high);
      reported += Number(given.low <= theirs && theirs <= given.high);
    }
    for (const covered of [population, reported]) expect(atMost(covered, rounds, LEAST)).toBeGreaterThan(1e-6);
  },
);

/** A question for the best of three views. */
function viewOf(utility: { readonly [input: string]: readonly [list: number, grid: number, none: number] }, epsilon: number) {
  const view = best(['list', 'grid', 'none'], { utility, epsilon, description: 'Which view would suit most people?' });
  const { document } = defineSchema({ app: 'app', version: 1, budget: { epsilon: 9, per: 'month' }, metrics: { view } });
  const [own] = Object.values(document.metrics);
  return { app: 'app', metric: 'view', version: 1, document: own as NonNullable<typeof own> };
}

test('estimates of `best` name the options, the one with the largest mean utility first, in the unit of the utilities', () => {
  const metric = viewOf({ few: [10, 0, 3], many: [-10, 20, 3] }, 8);
  const { law } = metric.document;
  const { tallies } = drawTally({ shares: [0.25, 0.75], rows: rowsOf(law as ExponentialLaw) }, 20_000, uniforms(7));
  const evidence = { tallies, reports: 20_000, from: 1, to: 1, ones: [] };
  const { options = [], answers } = estimate({ metric, evidence, minimum: 20, candidates: [] });
  expect(answers.map(({ label }) => label)).toEqual(['few', 'many']);
  expect(options.map(({ option }) => option)).toEqual(['grid', 'none', 'list']);
  // Six standard errors: a failure by chance has a probability below 1e-8.
  for (const [i, utility] of [15, 3, -5].entries()) {
    const { estimate: found = 0, standardError = 0 } = options[i] ?? {};
    expect(Math.abs(found - utility)).toBeLessThanOrEqual(6 * standardError + 1e-9);
  }
  expect(estimate({ metric, evidence, minimum: 20_001, candidates: [] }).options).toBeUndefined();
  expect(estimate({ metric, evidence: { ...evidence, tallies: new Map(), reports: 0 }, minimum: 0, candidates: [] }).options).toEqual([]);
});

const DAILY = [4, 8].flatMap((epsilon) => [20, 400].map((devices) => [epsilon, devices] as const));

test.each(DAILY)(
  'at ε %d intervals cover where each of %d devices reports on 30 days, also of what one in six times a single one has',
  (epsilon, devices) => {
    const metric = viewOf({ rare: [10, 0, 3], common: [0, 10, 3] }, epsilon);
    const channel = rowsOf(metric.document.law as ExponentialLaw);
    const share = 0.17 / devices;
    const uniform = uniforms(47);
    const rounds = 600;
    let [missed, missedMean] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const cells = new Float64Array(3);
      for (let device = 0; device < devices; device++) {
        const row = channel[uniform() < share ? 0 : 1] as readonly number[];
        for (let day = 0; day < 30; day++) {
          let [drawn, outcome] = [uniform(), 0];
          while (drawn >= (row[outcome] ?? 1)) drawn -= row[outcome++] as number;
          cells[outcome] = (cells[outcome] as number) + 1;
        }
      }
      const reports = 30 * devices;
      const of = { metric: { ...metric, document: { ...metric.document, every: 'day' as const } }, minimum: 20, candidates: [] };
      const { answers, options = [] } = estimate({
        ...of,
        evidence: { tallies: new Map([[0, { reports, cells }]]), reports, from: 1, to: 30, ones: [] },
      });
      const covers = ({ low, high }: { readonly low: number; readonly high: number }, truth: number): boolean =>
        low <= truth && truth <= high;
      missed += Number(!answers.every(({ label, ...each }) => covers(each, label === 'rare' ? share : 1 - share)));
      missedMean += Number(
        !options.every(({ option, ...each }) => covers(each, { list: 10 * share, grid: 10 * (1 - share), none: 3 }[option] as number)),
      );
    }
    for (const each of [missed, missedMean]) expect(atMost(rounds - each, rounds, 0.93)).toBeGreaterThan(1e-6);
  },
);

const LOOKS = [
  ['once', 2],
  ['always', 2],
  ['once', 6],
] as const;

test.each(LOOKS)('of options that are equally good, looked at %s at ε %d, one is called best at most 1 time in 20', (looks, epsilon) => {
  // Each input prefers another option, and all inputs are equally frequent. Two of the options tie, or all three.
  const tables = [
    { a: [5, 0, 0], b: [0, 5, 0], c: [0, 0, 5] },
    { a: [5, 0, 1], b: [0, 5, 2], c: [3, 3, 0] },
  ] as const;
  const uniform = uniforms(43);
  const rounds = 600;
  for (const utility of tables) {
    const metric = viewOf(utility, epsilon);
    const rows = rowsOf(metric.document.law as ExponentialLaw);
    let called = 0;
    for (let round = 0; round < rounds; round++) {
      const reports = 300;
      const { tallies } = drawTally({ shares: [1 / 3, 1 / 3, 1 / 3], rows }, reports, uniform);
      const evidence = { tallies, reports, from: 1, to: 1, ones: [] };
      const { verdict } = estimate({ metric, evidence, minimum: 20, candidates: [], verdicts: { looks, planned: reports } });
      called += Number(verdict?.kind === 'best');
    }
    expect(atMost(rounds - called, rounds, 0.95)).toBeGreaterThan(1e-6);
  }
});

test('an option that is clearly best is called so, with the interval of its mean utility', () => {
  const metric = viewOf({ few: [10, 0, 3], many: [-10, 20, 3] }, 6);
  const { tallies } = drawTally({ shares: [0.25, 0.75], rows: rowsOf(metric.document.law as ExponentialLaw) }, 5_000, uniforms(7));
  const evidence = { tallies, reports: 5_000, from: 1, to: 1, ones: [] };
  const { verdict } = estimate({ metric, evidence, minimum: 20, candidates: [], verdicts: { looks: 'always', planned: 5_000 } });
  expect(verdict).toMatchObject({ kind: 'best', looks: 'always', answers: ['grid'] });
  const { low = 0, high = 0 } = verdict?.interval ?? {};
  expect([low < 15, high > 15, high - low < 2]).toEqual([true, true, true]);
});
