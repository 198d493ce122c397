/**
 * How the supports of two answers vary together where a report is one cell of one cohort, as in Hadamard and projective
 * geometry response and the Hadamard sketch: a report supports both when its cell is in both sets. With D the expected cells of a population,
 *   Σ_x n_x P(u and v supported | x) = Σ D(cell) over the cells of S_u and S_v together.
 * Given x a cell of S_x has probability p / |S_x|, and any other (1 - p) / (K - |S_x|).
 * A count mean sketch's bits are independent given the cohort, so both buckets' have the product of their probabilities there.
 */

import { bitSupport, bucketOf, type CountMeanSketchLaw, familyOf, type ListLaw, mechanismOf } from '@murmuration/shared';
import { Matrix } from 'ml-matrix';

/** The expected number of reports that support both u and v, of a population that gave each answer so many times. */
export function jointSupports(law: ListLaw, counts: readonly number[]): Matrix {
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
  return joint;
}

/** The same of a count mean sketch. */
export function jointBits(law: CountMeanSketchLaw, counts: readonly number[]): Matrix {
  const { p, q } = bitSupport(law);
  const { cohorts } = familyOf(law.size, law.bits);
  const n = counts.reduce((sum, count) => sum + count, 0);
  const joint = new Matrix(law.size, law.size);
  for (let cohort = 0; cohort < cohorts; cohort++) {
    const buckets = counts.map((_, answer) => bucketOf(law.bits, cohort, answer));
    const own = new Float64Array(law.bits);
    buckets.forEach((bucket, answer) => {
      own[bucket] = (own[bucket] as number) + (counts[answer] as number);
    });
    buckets.forEach((a, u) => {
      buckets.forEach((b, v) => {
        const [ofA, ofB] = [own[a] as number, own[b] as number];
        const both = a === b ? ofA * p + (n - ofA) * q : (ofA + ofB) * p * q + (n - ofA - ofB) * q * q;
        joint.set(u, v, joint.get(u, v) + both / cohorts);
      });
    });
  }
  return joint;
}
