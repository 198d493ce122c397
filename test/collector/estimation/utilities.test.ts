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

test('estimates of `best` name the options, the one with the largest mean utility first, in the unit of the utilities', () => {
  const { document } = defineSchema({
    app: 'app',
    version: 1,
    budget: { epsilon: 9, per: 'month' },
    metrics: {
      view: best(['list', 'grid', 'none'], {
        utility: { few: [10, 0, 3], many: [-10, 20, 3] },
        epsilon: 8,
        description: 'Which view would suit most people?',
      }),
    },
  });
  const metric = {
    app: 'app',
    metric: 'view',
    version: 1,
    document: document.metrics['view'] as NonNullable<(typeof document.metrics)[string]>,
  };
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
