/**
 * How the answers of a list go with strings, or with those of another list: the shares of pairs, both marginals with their error bars, and
 * the test of independence. One report says one pair, through a law of strings (fit.ts has the estimator) or of a list (its own estimates);
 * independence.ts has the test. Where rows are a list's answers, there are no strings to find: all are there.
 *
 * Marginals are sums of the table, so their variances are sums of its covariance. A list's answers are summed over the strings that are
 * found only: what people with other strings answered is hashed together with these strings, and no tally can tell it.
 */

import { type ListLaw, mechanismOf, type StringHash, type StringLaw } from '@murmuration/shared';
import { Matrix } from 'ml-matrix';
import { momentsOf } from '../../estimation/covariance.ts';
import { type Estimate, scored } from '../../estimation/estimate.ts';
import type { AnswerLaw } from '../../estimation/estimation.ts';
import { estimatesOf } from '../../estimation/mechanisms/table.ts';
import { normSub } from '../../estimation/shrunk.ts';
import { chiSquaredTail, endOf, Z95 } from '../../estimation/statistics/tails.ts';
import { reportsIn } from '../../estimation/tally.ts';
import { type Drawn, evidenceOf } from './evidence.ts';
import { addSampling, amongThese, symmetric } from './fit.ts';
import { type Independence, independenceOf } from './independence.ts';
import { placesOf, sumOf } from './pairs.ts';
import { type StringShares, screen, sharesOf } from './screen.ts';

/** The level of the false discovery rate at which strings are found, of the test before pairs are named, and at which pairs stand out. */
const LEVEL = 0.05;

/** A string, with its pairs in the order of the list's answers. */
export interface AssociatedString {
  readonly share: Estimate;
  /** That it is absent. */
  readonly pValue: number;
  /** True if it is among the found ones: 5 % of these are expected to be absent (Benjamini and Hochberg 1995). */
  readonly isFound: boolean;
  readonly pairs: readonly Pair[];
}

/** A pair that is more or less frequent than with independence. */
interface Outstanding {
  readonly string: number;
  readonly answer: number;
  readonly isMore: boolean;
}

/** The strings that are found together. */
export interface Found {
  readonly share: Estimate;
  readonly answers: readonly Required<Pair>[];
}

/** Association of strings and a list, from a tally. */
export interface Association {
  readonly strings: readonly AssociatedString[];
  /** Undefined where no string is found. */
  readonly found: Found | undefined;
  /** The p-value of independence; undefined where no string is clear enough to test it. */
  readonly independence: number | undefined;
  /** Pairs that stand out when all are tested together (Holm, 5 %), clearest first. Empty unless independence is rejected. */
  readonly outstanding: readonly Outstanding[];
}

/** The numbers that Benjamini and Hochberg's procedure takes at a level. */
function discoveries(pValues: readonly number[]): (pValue: number) => boolean {
  const sorted = [...pValues].sort((a, b) => a - b);
  const last = sorted.findLastIndex((p, i) => p <= (LEVEL * (i + 1)) / sorted.length);
  return (p) => last >= 0 && p <= (sorted[last] as number);
}

/**
 * The association of strings and a list.
 *
 * @param texts for each string, the hashes of its pairs with the list's answers
 * @param isAmongReports whether error bars are about the reporting people alone; tests are always about the population
 */
export function associationOf(
  law: StringLaw,
  input: Drawn,
  texts: readonly (readonly StringHash[])[],
  isAmongReports: boolean,
): Association {
  const evidence = evidenceOf(law, input);
  if (evidence === undefined || texts.length === 0) return { strings: [], found: undefined, independence: undefined, outstanding: [] };
  const places = texts.map((pairs) => placesOf(evidence, pairs));
  const screened = screen(evidence, places);
  const { strings: rows, covariance } = sharesOf(evidence, places, screened);
  const joint = { strings: screened.strings, covariance };
  const test = independenceOf(rows, joint);
  const pValues = rows.map(({ shares, covariance: own }) => {
    const scores = [...shares].map((share, l) => share / Math.sqrt(own.get(l, l)));
    scores.push(shares.reduce((sum, share) => sum + share, 0) / Math.sqrt(own.sum()));
    return Math.min(1, scores.length * above(Math.max(...scores)));
  });
  const isDiscovery = discoveries(pValues);
  const found = screened.strings.filter((s) => isDiscovery(pValues[s] as number));
  const { noise, law: bloom, rho, total, perDevice } = evidence;
  // As for other shares, the variance of a sum of shares grows with it.
  const slope = ((noise.slope / bloom.hashes + perDevice) * ((1 - 2 * rho) / (1 - rho)) - perDevice) / total;
  return tableOf({ rows, joint, test, pValues, found, slope, people: evidence.people }, isAmongReports);
}

/**
 * The association of two lists that are asked as one question, the first one's answers as rows. How estimates vary together is exact at the
 * shares nearest to them (covariance.ts). Where reports repeat a symbol, all noise is larger by the same factor, that of the estimates' own
 * errors. Estimates with a fixed sum have a singular covariance, which the test gives a weight in that direction: a product of two factors
 * can have any sum, so the weight takes no part in the distance as reports grow.
 *
 * @param width the number of the second list's answers
 */
export function listsAssociation(
  law: AnswerLaw,
  { tallies, perDevice, people }: Drawn,
  width: number,
  isAmongReports: boolean,
): Association {
  const reports = reportsIn(tallies);
  if (reports === 0) return { strings: [], found: undefined, independence: undefined, outstanding: [] };
  const estimates = estimatesOf(law, { tallies, perDevice, people, candidates: [] });
  const shares = normSub(estimates.map(({ estimate }) => estimate));
  const { covariance: noise, rank } = momentsOf(law, { counts: shares.map((share) => share * reports), others: new Map(), candidates: [] });
  const sampling = (share: number): number => (share * (1 - share)) / people;
  const repeated =
    estimates.reduce((sum, { standardError }, u) => sum + standardError ** 2 - sampling(shares[u] as number), 0) / noise.trace();
  const covariance = symmetric(addSampling(noise.mul(repeated), Float64Array.from(shares), 1 / people));
  const rows = Array.from({ length: law.size / width }, (_, s): StringShares => {
    const at = Array.from({ length: width }, (__, l) => s * width + l);
    return { shares: Float64Array.from(at, (u) => (estimates[u] as Estimate).estimate), covariance: covariance.selection(at, at) };
  });
  const found = [...rows.keys()];
  const whole = rank < law.size ? covariance.trace() / law.size : 0;
  const test = independenceOf(rows, { strings: found, covariance: Matrix.add(covariance, whole) });
  const pValues = rows.map(({ shares: own, covariance: block }) => above(sumOf(own) / Math.sqrt(block.sum())));
  const { p, q } = mechanismOf(law as ListLaw).support(law);
  const slope = (repeated * (p * (1 - p) - q * (1 - q))) / ((p - q) ** 2 * reports);
  return tableOf({ rows, joint: { strings: found, covariance }, test, pValues, found, slope, people }, isAmongReports);
}

/** The shares of pairs, about the population, and what was tested. */
interface Tested {
  readonly rows: readonly StringShares[];
  readonly joint: { readonly strings: readonly number[]; readonly covariance: Matrix };
  readonly test: Independence | undefined;
  readonly pValues: readonly number[];
  readonly found: readonly number[];
  /** By how much the variance of a sum of shares grows with it, apart from sampling. */
  readonly slope: number;
  readonly people: number;
}

/** The table, its sums and the pairs that stand out. */
function tableOf({ rows, joint, test, pValues, found, slope, people }: Tested, isAmongReports: boolean): Association {
  const { covariance } = joint;
  const width = (rows[0] as StringShares).shares.length;
  const drawn = isAmongReports ? 0 : 1 / people;
  const interval = intervalBy(slope, drawn);
  const variance = slope + drawn;
  const shown = (own: Matrix, shares: Float64Array): Matrix => (isAmongReports ? amongThese({ people }, own.clone(), shares) : own);
  const pairs = Array.from({ length: width }, (_, l) => l);
  const strings = rows.map(({ shares, covariance: own }, s): AssociatedString => {
    const { share, parts } = sumsOf(
      [...shares],
      shown(own, shares),
      pairs.map((l) => [l]),
      interval,
      variance,
    );
    const isFound = found.includes(s);
    return { share, pValue: pValues[s] as number, isFound, pairs: isFound ? parts : parts.map((part) => ({ share: part.share })) };
  });
  if (found.length === 0) return { strings, found: undefined, independence: test?.pValue, outstanding: [] };
  const at = found.flatMap((s) => pairs.map((l) => joint.strings.indexOf(s) * width + l));
  const table = found.flatMap((s) => [...(rows[s] as (typeof rows)[number]).shares]);
  const own = covariance.selection(at, at);
  const sums = sumsOf(
    table,
    shown(own, Float64Array.from(table)),
    pairs.map((l) => found.map((_, i) => i * width + l)),
    interval,
    variance,
  );
  const isRejected = test !== undefined && test.pValue < LEVEL && found.length > 1;
  const outstanding = isRejected ? outstandingOf(Matrix.from1DArray(found.length, width, table), own) : [];
  return {
    strings,
    found: { share: sums.share, answers: sums.parts },
    independence: test?.pValue,
    outstanding: outstanding.map(({ at, isMore }) => ({ string: found[Math.floor(at / width)] as number, answer: at % width, isMore })),
  };
}

/*
 * Sums of a table's entries with their error bars, as shares of all people and of those in the whole table.
 *
 * A sum's variance is the sum of its entries' covariances. A part of a whole, r = A / B, has Fieller's interval (1954): the r for which A - r B
 * is within 1.96 of its own standard errors of 0. These grow with r where the part is near 0 or the whole: a variance of v f for a share f is
 * v B r (1 - r) for A - r B at A = r B, and v (A (1 - 2 r) + B r²) by the estimates. Where the first is larger, it counts.
 */

/** A pair: its share of all, and among those of its string. */
interface Pair {
  readonly share: Estimate;
  /** Only of strings that are found. */
  readonly within?: Estimate;
}

/** A sum of entries of a table, or its variance, by weights of the entries. */
const weighted = (weights: Matrix, covariance: Matrix, other: Matrix = weights): number =>
  weights.transpose().mmul(covariance).mmul(other).get(0, 0);

/** The ratio of a part to its whole, from their estimates and covariance, and the slope of the variance of a share. */
export function within(part: number, whole: number, varPart: number, covariance: number, varWhole: number, slope = 0): Estimate {
  const estimate = part / whole;
  const standardError = Math.sqrt(Math.max(0, varPart - 2 * estimate * covariance + estimate ** 2 * varWhole)) / Math.abs(whole);
  const z = Z95 * Z95;
  const [bend, middle, least] = [whole ** 2 - z * varWhole, part * whole - z * covariance, part ** 2 - z * varPart];
  // A whole that may be 0 has any part.
  if (bend <= 0) return { estimate, standardError, low: Math.min(0, estimate), high: Math.max(1, estimate) };
  const half = Math.sqrt(Math.max(0, middle ** 2 - bend * least));
  const at = Math.min(whole, Math.max(0, part)) / whole;
  const holds = (r: number): boolean => {
    const more = slope * Math.max(0, (1 - 2 * r) * (r - at) * whole);
    return (part - r * whole) ** 2 <= z * (varPart - 2 * r * covariance + r * r * varWhole + more);
  };
  const moved = (end: number, limit: 0 | 1): number => (end < 0 || end > 1 || !holds(end) ? end : endOf(end, limit, holds));
  const [low, high] = [(middle - half) / bend, (middle + half) / bend];
  return { estimate, standardError, low: moved(low, 0), high: moved(high, 1) };
}

/** The estimate of a share with its interval, from its variance. */
type Interval = (share: number, variance: number) => Estimate;

/** The interval of a share, or of a sum of shares, from its variance. */
function intervalBy(noise: number, drawn: number): Interval {
  const slope = noise + drawn;
  return (share, variance) => {
    const at = Math.min(1, Math.max(0, share));
    return scored(share, { constant: Math.max(0, variance - slope * at + drawn * at * at), slope, curve: drawn });
  };
}

/** The sums of a table's entries by weights, as shares of all and of the whole table. */
function sumsOf(
  table: readonly number[],
  covariance: Matrix,
  parts: readonly (readonly number[])[],
  interval: Interval,
  slope: number,
): { readonly share: Estimate; readonly parts: readonly Required<Pair>[] } {
  const vector = (entries: readonly number[]): Matrix => Matrix.columnVector(table.map((_, i) => (entries.includes(i) ? 1 : 0)));
  const sum = (entries: readonly number[]): number => entries.reduce((total, i) => total + (table[i] as number), 0);
  const every = table.map((_, i) => i);
  const all = vector(every);
  const [whole, varWhole] = [sum(every), weighted(all, covariance)];
  return {
    share: interval(whole, varWhole),
    parts: parts.map((entries): Required<Pair> => {
      const own = vector(entries);
      const [part, variance] = [sum(entries), weighted(own, covariance)];
      return { share: interval(part, variance), within: within(part, whole, variance, weighted(own, covariance, all), varWhole, slope) };
    }),
  };
}

/** The p-value of a z-score against values above 0. */
const above = (z: number): number => (z > 0 ? chiSquaredTail(z * z, 1) / 2 : 1);

/** The pairs of a table that differ from the product of its sums, with their p-values. */
function differing(table: Matrix, covariance: Matrix): readonly { readonly at: number; readonly z: number }[] {
  const width = table.columns;
  const all = table.sum();
  const [rows, columns] = [table.sum('row'), table.sum('column')];
  return table.to1DArray().map((share, at) => {
    const [s, l] = [Math.floor(at / width), at % width];
    const [row, column] = [rows[s] as number, columns[l] as number];
    const slope = Matrix.columnVector(
      Array.from({ length: table.rows * width }, (_, i) => {
        const [sameRow, sameColumn] = [Math.floor(i / width) === s ? 1 : 0, i % width === l ? 1 : 0];
        return sameRow * sameColumn - (sameRow * column) / all - (sameColumn * row) / all + (row * column) / all ** 2;
      }),
    );
    return { at, z: (share - (row * column) / all) / Math.sqrt(weighted(slope, covariance)) };
  });
}

/** The pairs of a table that are more or less frequent than its sums say, when all are tested together (Holm 1979). */
function outstandingOf(table: Matrix, covariance: Matrix): readonly { readonly at: number; readonly isMore: boolean }[] {
  const sorted = differing(table, covariance)
    .map(({ at, z }) => ({ at, isMore: z > 0, p: 2 * above(Math.abs(z)) }))
    .sort((a, b) => a.p - b.p);
  const end = sorted.findIndex(({ p }, i) => p > LEVEL / (sorted.length - i));
  return end < 0 ? sorted : sorted.slice(0, end);
}
