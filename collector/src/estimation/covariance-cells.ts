/**
 * How the supports of two answers vary together when a report is one cell of one cohort, as in Hadamard and projective geometry response
 * and the Hadamard sketch. A report supports both answers when its cell is in both sets. With D the expected cells of a population,
 *   Σ_x n_x P(u and v supported | x) = Σ D(cell) over the cells in both S_u and S_v.
 * Given x, a cell of S_x has probability p / |S_x|, and any other cell (1 - p) / (K - |S_x|).
 */

import { type ListLaw, mechanismOf } from '@murmuration/shared';
import { Matrix } from 'ml-matrix';
import type { Pairs } from './estimation.ts';

/** The expected number of reports that support both u and v, in a population with these counts of answers. */
export function jointSupports(law: ListLaw, counts: readonly number[]): Pairs {
  const { shape, support, supporting = (_law, _cohort, answer) => [answer] } = mechanismOf(law);
  const { cohorts, cells } = shape(law);
  const { p } = support(law);
  const n = counts.reduce((sum, count) => sum + count, 0);
  const sets = counts.map((_, answer) =>
    Array.from({ length: cohorts }, (_, cohort) => supporting(law, cohort, answer).map((cell) => cohort * cells + cell)).flat(),
  );
  const set = (sets[0] as readonly number[]).length;
  const [inside, outside] = [p / set, (1 - p) / (cohorts * cells - set)];
  const expected = new Float64Array(cohorts * cells).fill(n * outside);
  sets.forEach((own, answer) => {
    for (const cell of own) expected[cell] = (expected[cell] as number) + (counts[answer] as number) * (inside - outside);
  });
  const joint = new Matrix(law.size, law.size);
  sets.forEach((own, u) => {
    const members = new Set(own);
    for (let v = 0; v <= u; v++) {
      const both = (sets[v] as readonly number[])
        .filter((cell) => members.has(cell))
        .reduce((sum, cell) => sum + (expected[cell] as number), 0);
      joint.set(u, v, both);
      joint.set(v, u, both);
    }
  });
  return (u, v) => joint.get(u, v);
}
