/** Proofs of what residuals say of candidates: their variance under the hash, the place of their main mode, and standard errors by halves. */

import { expect, test } from 'vitest';
import type { Problem } from '#collector/decoding/decode/cells.ts';
import { crossedError, linearEffective, scoredEffective } from '#collector/decoding/decode/effective.ts';
import { cumulantsOf } from '#collector/decoding/decode/null-law.ts';
import { normalQuantile } from '#collector/estimation/statistics/tails.ts';
import { uniforms } from '../kit/random.ts';

/** Cohorts of cells with these weights, and no candidates. */
function problemOf(cohorts: number, cells: number, weightAt: (cell: number) => number): Problem {
  const width = cells + 1;
  const field = (at: (cell: number) => number): Float64Array =>
    Float64Array.from({ length: cohorts * width }, (_, i) => (i % width === cells ? 0 : at(i % width)));
  return {
    places: { candidates: 0, hashes: 1, places: new Uint16Array(0), cohorts, width },
    observed: { width, live: cohorts * cells, freedom: cohorts * (cells - 1), shares: field(() => 0), mean: 0 },
    weights: field(weightAt),
    centred: field(() => 0),
    root: new Float64Array(0),
    excess: 1,
    spread: 1,
  };
}

const emptyLike = ({ weights }: Problem): Float64Array => new Float64Array(weights.length);

test('a dispersion is the variance of a null candidate’s score over its information, also where means of cohorts say nothing', () => {
  const uniform = uniforms(1);
  for (const cells of [2, 3, 8, 50]) {
    const problem = problemOf(6, cells, () => 2);
    const residual = problem.weights.map((weight) => (weight === 0 ? 0 : 10 * uniform()));
    const effective = emptyLike(problem);
    const { dispersion } = linearEffective(problem, residual, effective);
    const weighted = effective.map((value, i) => value * (problem.weights[i] as number));
    const [, mean, variance] = cumulantsOf(weighted, problem.weights, problem.observed.width, 1)(0);
    const information = 6 * (2 - 2 ** 2 / (2 * cells));
    expect(mean).toBeCloseTo(0, 12);
    // Above any bound from below.
    expect(dispersion).toBeGreaterThan(1);
    expect(variance / information).toBeCloseTo(dispersion, 12);
  }
});

test('cells of strong strings are scored without bias although they are less exact than others', () => {
  const uniform = uniforms(2);
  // In each cohort every other cell has half the weight. Strings on no list add 6 on average to three cells of ten.
  const problem = problemOf(200, 16, (cell) => (cell % 2 === 0 ? 1 : 0.5));
  const residual = problem.weights.map((weight) =>
    weight === 0 ? 0 : normalQuantile(1 - uniform()) / Math.sqrt(weight) + (uniform() < 0.3 ? -6 * Math.log(1 - uniform()) : 0) - 1.8,
  );
  const effective = emptyLike(problem);
  const bias = (): number => {
    const at = [...effective.keys()].filter((i) => problem.weights[i] === 0.5);
    return at.reduce((sum, i) => sum + (effective[i] as number), 0) / at.length;
  };
  let { location } = scoredEffective(problem, residual, 0, effective);
  const atMean = bias();
  for (let step = 0; step < 30; step++) location = scoredEffective(problem, residual, location, effective).location;
  expect(location).toBeLessThan(-1);
  expect(Math.abs(bias())).toBeLessThan(Math.abs(atMean) / 4);
});

test('a standard error by halves is that of a normal law, though it was learned from few cells', () => {
  const uniform = uniforms(3);
  const problem = problemOf(16, 16, () => 1);
  const [rounds, own, halves] = [60, [] as number[], [] as number[]];
  for (let round = 0; round < rounds; round++) {
    const residual = problem.weights.map((weight) => (weight === 0 ? 0 : normalQuantile(1 - uniform())));
    const effective = emptyLike(problem);
    const { kappa } = scoredEffective(problem, residual, 0, effective);
    own.push(Math.sqrt(effective.reduce((sum, value) => sum + value * value, 0) / problem.observed.freedom) / kappa);
    halves.push(crossedError(problem, residual, 0));
  }
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / rounds;
  expect(Math.abs(mean(halves) - 1)).toBeLessThan(0.05);
  expect(mean(own)).toBeLessThan(mean(halves));
});
