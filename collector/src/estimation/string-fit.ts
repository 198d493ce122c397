/**
 * The collisions of candidates with frequent candidates, taken out of the cells that all of them are estimated from.
 *
 * Estimated alone (strings.ts), a candidate c has the mean y_c = Σ_w G_cw f_w over cohorts and coins, given the hash, where G_cc = 1 and
 * G_cw = (a - ρ) / (1 - ρ), with a the mean over all cohorts of the share of c's bits that w sets too. So for a set A of candidates,
 * f_A = G_AA⁻¹ y_A has no part of A's own collisions, and neither has f_c = (y_c - G_cA f_A) / (1 - |A| u) for others. This is least
 * squares with equal weights. Over the hash, G_cw has variance u = ρ / ((1 - ρ) h m). So fitting A takes the part |A| u of a candidate's
 * information away, and variances grow by 1 / (1 - |A| u). Strings outside A collide as before, by chance.
 *
 * A holds the candidates that stand `CLEAR` standard errors above 0. It grows round by round, because each frequent string that is taken out
 * makes the errors of all others smaller. Strings below that, listed or not, have Σ f² <= CLEAR s, with s the standard error. This bound
 * is what the number of cohorts is made for (`cohortsFor` in shared/src/mechanisms/rappor.ts).
 */

import { bloomBit, bloomBits, CLEAR, type StringHash } from '@murmuration/shared';
import type { Bloom } from './estimation.ts';

/** With fewer cohorts, or a larger u, two strings may share much of their bits, and variances differ much between strings. Nothing is fitted. */
const [LEAST_COHORTS, LARGEST_UNIT] = [8, 1 / 500];
/** The most of a candidate's information that fitting others may take. */
const MOST_TAKEN = 1 / 8;
/** The most cells of a law whose candidates are fitted. */
const MOST_CELLS = 2 ** 21;
/** Places that are kept: those of the candidates with the largest shares. The others are not fitted. */
const MOST_PLACES = 2 ** 22;
/** Rounds: each finds what the one before uncovered. */
const ROUNDS = 10;
/** Sweeps of a solution, and the change of a share that ends them. */
const [SWEEPS, SETTLED] = [100, 1e-10];

/** The cells of the tallies: (C_jb - q n_j) / ((p - q) n) for bit b of cohort j. */
export interface Cells {
  readonly bloom: Bloom;
  /** Where the bits of each cohort begin; below 0 where a cohort without reports is left out. Nothing is fitted then. */
  readonly starts: Int32Array;
  readonly values: Float64Array;
}

/** Residual cells after the fitted candidates. */
export interface Left extends Cells {
  /** 1 - Σ f_A. */
  readonly left: number;
  /** |A| u. */
  readonly taken: number;
}

/** A fit. */
export interface Fitted extends Left {
  /** The shares of the fitted candidates, by place. */
  readonly shares: ReadonlyMap<number, number>;
  /** Share of a candidate that is left in the cells: all of it if nothing is fitted, nearly 0 of a fitted one. */
  readonly leftOf: (place: number) => number;
}

/** ρ: P(another string has a given bit). */
export const chanceOf = ({ bits, hashes }: Bloom): number => 1 - (1 - 1 / bits) ** hashes;

/** u: the variance of G_cw over the hash. */
export const unitOf = (bloom: Bloom): number => chanceOf(bloom) / ((1 - chanceOf(bloom)) * bloom.hashes * bloom.cohorts);

/** True if frequent candidates of such a law are fitted. */
export const isFitting = (bloom: Bloom): boolean =>
  bloom.cohorts >= LEAST_COHORTS && unitOf(bloom) <= LARGEST_UNIT && bloom.cohorts * bloom.bits <= MOST_CELLS;

/** Where the bits of each cohort begin, and how many there are of all. */
export function layout(bloom: Bloom, hasReports: (cohort: number) => boolean): Pick<Cells, 'starts'> & { readonly length: number } {
  const { bits, cohorts } = bloom;
  const isWhole = isFitting(bloom);
  let length = 0;
  const starts = Int32Array.from({ length: cohorts }, (_, cohort) => {
    if (!isWhole && !hasReports(cohort)) return -1;
    length += bits;
    return length - bits;
  });
  return { starts, length };
}

/** The bits of a string in all cohorts, as places of cells, with the weight of each. */
interface Places {
  readonly at: Int32Array;
  readonly weights: Float64Array | undefined;
}

function placesOf(hash: StringHash, { bloom: { bits, hashes, cohorts }, starts }: Cells): Places {
  if (hashes === 1 && !starts.includes(-1))
    return { at: starts.map((start, cohort) => start + bloomBit(hash, cohort, 0, bits)), weights: undefined };
  const at: number[] = [];
  const weights: number[] = [];
  for (let cohort = 0; cohort < cohorts; cohort++) {
    const start = starts[cohort] as number;
    if (start < 0) continue;
    const own = bloomBits(hash, cohort, hashes, bits);
    for (const bit of own) {
      at.push(start + bit);
      weights.push(1 / own.length);
    }
  }
  return { at: Int32Array.from(at), weights: Float64Array.from(weights) };
}

/** The places in a list of at most so many of its largest numbers. */
const largest = (numbers: readonly number[], most: number): readonly number[] =>
  [...numbers.keys()].sort((a, b) => (numbers[b] as number) - (numbers[a] as number)).slice(0, most);

/** Σ_j of the mean over the bits. */
function meanAt(values: Float64Array, { at, weights }: Places): number {
  let sum = 0;
  for (let i = 0; i < at.length; i++) sum += (values[at[i] as number] as number) * (weights === undefined ? 1 : (weights[i] as number));
  return sum;
}

/**
 * Fits the candidates that are clear.
 *
 * @param errorOf the standard error of a rare candidate's estimate
 */
export function fitted(cells: Cells, hashes: readonly StringHash[], errorOf: (left: Left) => number): Fitted {
  const { bloom } = cells;
  const [rho, unit] = [chanceOf(bloom), unitOf(bloom)];
  const { cohorts } = bloom;
  const most = isFitting(bloom) ? Math.floor(MOST_TAKEN / unit) : 0;
  const values = most === 0 ? cells.values : cells.values.slice();
  const shares = new Map<number, number>();
  let left = 1;
  const kept = new Map<number, Places>();
  const leftOf = (place: number): number =>
    (meanAt(values, kept.get(place) ?? placesOf(hashes[place] as StringHash, cells)) - rho * left) / (1 - rho);
  const now = (): Left => ({ ...cells, values, left, taken: shares.size * unit });
  if (most === 0) return { ...now(), shares, leftOf };
  const mostKept = Math.ceil(MOST_PLACES / (cohorts * bloom.hashes));
  const eligible =
    hashes.length > mostKept
      ? largest(
          hashes.map((_, place) => leftOf(place)),
          mostKept,
        )
      : hashes.keys();
  for (const place of eligible) kept.set(place, placesOf(hashes[place] as StringHash, cells));
  const move = (place: number): number => {
    const change = leftOf(place);
    shares.set(place, (shares.get(place) ?? 0) + change);
    left -= change;
    for (const at of (kept.get(place) as Places).at) values[at] = (values[at] as number) - change / cohorts;
    return Math.abs(change);
  };
  for (let round = 0; round < ROUNDS; round++) {
    const least = CLEAR * errorOf(now());
    const size = shares.size;
    const clear = [...kept.keys()]
      .map((place) => ({ place, own: leftOf(place) }))
      .filter(({ place, own }) => own > least && !shares.has(place));
    // One that another one explains is not clear any more when its turn comes.
    for (const { place } of clear.sort((a, b) => b.own - a.own)) if (shares.size < most && leftOf(place) > least) move(place);
    if (shares.size === size) break;
    const sweep = (): number => [...shares.keys()].reduce((change, place) => Math.max(change, move(place)), 0);
    for (let i = 0; i < SWEEPS && sweep() > SETTLED; i++);
  }
  return { ...now(), shares, leftOf };
}
