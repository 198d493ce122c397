/**
 * The influence of one report on estimates, and the resulting variance of estimates. For mechanisms whose estimates are, for each cohort
 * separately, a mean over its reports (the additivity check verifies this).
 *
 * A cohort's report r moves an estimate by g(r) / n_c, with n_c the cohort's reports. Devices draw cohorts with equal probability,
 * independently of their inputs. So given the n_c, each cohort is a sample of all n devices without replacement, and
 *   E[estimate] = mean over devices of w_x where Σ_c E[g | x, c] = w_x + constant, w the weights of what is estimated
 *   Var = Σ_c (mean of Var(g | x, c) + S²(E[g | x, c])) / n_c - S²(w) / n,  S² the variance over devices, by n - 1
 */

import { MODULUS } from '@murmuration/shared';
import type { Tallies, Tally } from '#collector/estimation/tally.ts';
import { range } from '../../proofs/channel.ts';
import { toNumber } from '../../proofs/rational.ts';
import type { MatrixLaw } from '../specimens.ts';
import type { MatrixSubject } from '../subject.ts';
import { reportRows, said } from './channel.ts';

/** The influence on one estimate: E[g | x, c] and Var(g | x, c), by cohort and input. */
interface Influence {
  readonly means: readonly (readonly number[])[];
  readonly variances: readonly (readonly number[])[];
}

/** The mean of values, weighted by shares. */
export const meanBy = (shares: readonly number[], values: readonly number[]): number =>
  shares.reduce((total, share, x) => total + share * (values[x] as number), 0);

const varianceBy = (shares: readonly number[], values: readonly number[]): number => {
  const mean = meanBy(shares, values);
  return meanBy(
    shares,
    values.map((value) => (value - mean) ** 2),
  );
};

/** The expected tallies of this many reports from inputs with these shares. */
export function expectedTallies(subject: MatrixSubject, law: MatrixLaw, shares: readonly number[], reports: number): Tallies {
  const { cohorts, cells } = subject.mechanism.shape(law);
  const tallies = range(cohorts).map((): Tally => ({ reports: reports / cohorts, cells: new Float64Array(cells) }));
  for (const [input, row] of reportRows(subject, law, MODULUS).entries()) {
    for (const [report, chance] of row) {
      const found = said(subject, law, report);
      const { cells: counts } = tallies[found.cohort] as Tally;
      for (const cell of found.cells) counts[cell] = (counts[cell] as number) + reports * (shares[input] as number) * toNumber(chance);
    }
  }
  return new Map(tallies.entries());
}

/** By cohort and cell: the contribution of a report that supports the cell to each estimate, times the cohort's reports. */
function additions(subject: MatrixSubject, law: MatrixLaw): readonly (readonly (readonly number[])[])[] {
  const { cohorts, cells } = subject.mechanism.shape(law);
  const reports = 2 ** 10;
  const tallies = new Map(range(cohorts).map((cohort) => [cohort, { reports, cells: new Float64Array(cells).fill(1) }]));
  const estimates = (of: Tallies): readonly number[] => subject.estimates(law, of).map(({ estimate }) => estimate);
  const before = estimates(tallies);
  return range(cohorts).map((cohort) =>
    range(cells).map((cell) => {
      const more = { reports, cells: new Float64Array(cells).fill(1).with(cell, 2) };
      return estimates(new Map([...tallies, [cohort, more]])).map((after, row) => reports * (after - (before[row] as number)));
    }),
  );
}

/** The influences on each estimate, from the exact channel and the production estimator. */
export function influencesOf(subject: MatrixSubject, law: MatrixLaw): readonly Influence[] {
  const { cohorts } = subject.mechanism.shape(law);
  const added = additions(subject, law);
  const rows = reportRows(subject, law, MODULUS).map((row) =>
    [...row].map(([report, chance]) => ({ ...said(subject, law, report), chance: cohorts * toNumber(chance) })),
  );
  return subject.weights(law).map((_, estimate) => {
    const g = (cohort: number, cells: readonly number[]): number =>
      cells.reduce((total, cell) => total + (added[cohort]?.[cell]?.[estimate] as number), 0);
    const of = (cohort: number, f: (g: number) => number): readonly number[] =>
      rows.map((row) => row.reduce((total, each) => (each.cohort === cohort ? total + each.chance * f(g(cohort, each.cells)) : total), 0));
    const means = range(cohorts).map((cohort) => of(cohort, (x) => x));
    const around = range(cohorts).map((cohort) =>
      meanBy(
        rows.map(() => 1 / rows.length),
        means[cohort] as readonly number[],
      ),
    );
    const squares = range(cohorts).map((cohort) => of(cohort, (x) => (x - (around[cohort] as number)) ** 2));
    return {
      means,
      variances: squares.map((square, c) => square.map((s, x) => s - ((means[c]?.[x] as number) - (around[c] as number)) ** 2)),
    };
  });
}

/** The variance of an estimate from this many reports of each cohort, when devices' inputs have these shares. */
export function varianceOf(
  { means, variances }: Influence,
  weights: readonly number[],
  shares: readonly number[],
  counts: readonly number[],
): number {
  const n = counts.reduce((total, count) => total + count, 0);
  const sample = n / Math.max(1, n - 1);
  const cohorts = counts.map(
    (count, c) => (meanBy(shares, variances[c] as readonly number[]) + sample * varianceBy(shares, means[c] as readonly number[])) / count,
  );
  return cohorts.reduce((total, each) => total + each, 0) - (sample * varianceBy(shares, weights)) / n;
}
