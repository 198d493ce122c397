/**
 * The supports of all answers by a family of cohorts (shared/src/mechanisms/cohorts.ts): S(v) = Σ_s C_s[<s, v>], computed by a transform.
 * C_s[b] is the number of reports of cohort s that support bucket b.
 *
 * Cohorts (g^m - 1)/(g - 1) + t, t < g^m, depend only on the last m + 1 digits of v: S_m(v) = Σ_t C_t[v_m + Σ_i t_i v_i]. The transform
 * sums over one digit of t at a time and puts a digit of v in its place, so the array keeps its g^(m+1) numbers:
 *   A'(.. v_i .., b) = Σ_{t_i} A(.. t_i .., b + t_i v_i), with A(t, b) = C_t[b] at the start and S_m(v) = A(v_0 .. v_{m-1}, v_m) at the
 *   end.
 * That is m g^(m+2) additions, and about (k - 1) g^(k+1) for all m. Computing each cohort separately takes d additions per cohort.
 */

import { type Field, familyOf, fieldOf } from '@murmuration/shared';

/** Tables of a field: for each s, b + s for all b, row by row; and for each pair of elements, the start of the row of their product. */
interface Tables {
  readonly order: number;
  readonly sums: Int32Array;
  readonly rows: Int32Array;
}

function tablesOf({ order, add, multiply }: Field): Tables {
  const [sums, rows] = [new Int32Array(order * order), new Int32Array(order * order)];
  for (let a = 0; a < order; a++) {
    for (let b = 0; b < order; b++) {
      sums[a * order + b] = add(a, b);
      rows[a * order + b] = order * multiply(a, b);
    }
  }
  return { order, sums, rows };
}

/** Sums over one digit of t, which has weight `unit`. b is the fastest index. */
function sumDigit({ order, sums, rows }: Tables, counts: Float64Array, unit: number): Float64Array {
  const summed = new Float64Array(counts.length);
  const stride = unit * order;
  for (let block = 0; block < counts.length; block += stride * order) {
    for (let inner = block; inner < block + stride; inner += order) {
      for (let digit = 0; digit < order; digit++) {
        const from = inner + digit * stride;
        for (let answer = 0; answer < order; answer++) {
          const to = inner + answer * stride;
          let at = rows[digit * order + answer] as number;
          for (let b = to; b < to + order; b++) summed[b] = (summed[b] as number) + (counts[from + (sums[at++] as number)] as number);
        }
      }
    }
  }
  return summed;
}

/**
 * The number of reports that support each answer.
 *
 * @param bucketsOf how many reports of a cohort support each bucket; undefined where the cohort has none
 */
export function cohortSupports(size: number, buckets: number, bucketsOf: (cohort: number) => Float64Array | undefined): Float64Array {
  const supports = new Float64Array(size);
  const { cohorts } = familyOf(size, buckets);
  const tables = cohorts > 1 ? tablesOf(fieldOf(buckets)) : undefined; // a single cohort needs no field arithmetic
  for (let [first, vectors] = [0, 1]; first < cohorts; first += vectors, vectors *= buckets) {
    let counts: Float64Array = new Float64Array(vectors * buckets);
    for (let t = 0; t < vectors; t++) counts.set(bucketsOf(first + t) ?? [], t * buckets);
    for (let unit = 1; tables && unit < vectors; unit *= buckets) counts = sumDigit(tables, counts, unit);
    // v_0 .. v_{m-1} as a number, and v_m.
    for (let [answer, tail, lead] = [0, 0, 0]; answer < size; answer++) {
      supports[answer] = (supports[answer] as number) + (counts[tail * buckets + lead] as number);
      if (++tail < vectors) continue;
      tail = 0;
      lead = (lead + 1) % buckets;
    }
  }
  return supports;
}
