/**
 * Whether the tally is one that the law can expect. The expectations are the mixtures of the answers' own: they span a column
 * space, outside of which a tally has noise alone (`fit`), and within it no answer's share is below 0 or above 1 (`answers`).
 */

import {
  type CountMeanSketchLaw,
  familyOf,
  type HadamardCountMeanSketchLaw,
  type Law,
  type LocalHashingLaw,
  MODULUS,
  mechanismOf,
  type PrivSetLaw,
} from '@murmuration/shared';
import { reportsIn } from '../estimators/supports.ts';
import type { Tallies } from '../store/store.ts';
import { outside } from './bounds.ts';
import { goodness, type Squares, tailOf } from './classes.ts';
import { allSupports, type DesignLaw, designFit } from './designs.ts';
import { levelsFit } from './levels.ts';
import { matrixFit } from './matrices.ts';
import { placesFit, totalsFit } from './totals.ts';

/** What a law's tally must be, beyond the bounds of its cells. P-values are left out where there is nothing to test. */
export interface Fit {
  readonly fit?: number | undefined;
  readonly answers?: number | undefined;
}

type Test<L> = (law: L, tallies: Tallies, perDevice: number) => Fit;

/** The least p-value of several sums of squares, times their number. */
function together(all: readonly (Squares | undefined)[]): number | undefined {
  const found = all.flatMap((squares) => (squares ? [tailOf(squares)] : []));
  return found.length === 0 ? undefined : Math.min(1, found.length * Math.min(...found));
}

/** Each answer's support between n q and n p; at n q where the list lacks the answer. */
function supportsPValue(law: DesignLaw, supports: Float64Array, tallies: Tallies, perDevice: number): number {
  const { p, q } = mechanismOf(law).support(law);
  const reports = reportsIn(tallies);
  let most = 0;
  supports.forEach((support, answer) => {
    most = Math.max(most, (reports / perDevice) * outside(support / reports, { p: answer < law.size ? p : q, q }));
  });
  return Math.min(1, 2 * supports.length * Math.exp(-most));
}

/** The coefficients, of which each is as frequent, and the sign of the first, which is + in every bucket. */
function coefficients({ buckets, truth }: HadamardCountMeanSketchLaw, tallies: Tallies, perDevice: number): Squares | undefined {
  const right = truth / MODULUS;
  const counts = Array<number>(buckets + 1).fill(0); // the last is the first coefficient's -
  for (const { cells } of tallies.values()) {
    cells.forEach((count, cell) => {
      const at = cell === 1 ? buckets : cell >> 1;
      counts[at] = (counts[at] as number) + count;
    });
  }
  const each = reportsIn(tallies) / buckets;
  return goodness(
    counts,
    counts.map((_, at) => (at === 0 ? each * right : at === buckets ? each * (1 - right) : each)),
    perDevice,
  );
}

const onDesign =
  <L extends DesignLaw>(more: (law: L, tallies: Tallies, perDevice: number) => Squares | undefined): Test<L> =>
  (law, tallies, perDevice) => {
    const supports = allSupports(law, tallies);
    return {
      fit: together([designFit(law, tallies, supports, perDevice), more(law, tallies, perDevice)]),
      answers: supportsPValue(law, supports, tallies, perDevice),
    };
  };

/**
 * Dummies fill up a set from the first on, so a later one is in no more reports than one before it. With D more and V reports
 * of either, that has probability at most exp(-D² / (2 (V + D/3))), Bernstein's bound.
 */
const dummies: Test<PrivSetLaw> = ({ size, atMost }, tallies, perDevice) => {
  const cells = tallies.get(0)?.cells;
  if (cells === undefined || atMost === 1) return {};
  const exponents = Array.from({ length: atMost - 1 }, (_, j) => {
    const [before, after] = [cells[size + j] as number, cells[size + j + 1] as number];
    const more = Math.max(0, after - before);
    return more === 0 ? 0 : more ** 2 / (2 * perDevice * (before + after + more / 3));
  });
  return { answers: Math.min(1, exponents.length * Math.exp(-Math.max(...exponents))) };
};

/** Every tally of such a law fits, and the bounds of its cells are those of its answers. */
const square: Test<Law> = () => ({});

const ofOne =
  <L>(test: (law: L, tallies: Tallies, perDevice: number) => Squares | undefined): Test<L> =>
  (...of) => ({ fit: together([test(...of)]) });

const nothing = (): undefined => undefined;

/** The cohorts of local hashing, which devices draw evenly. */
function evenCohorts({ size, buckets }: LocalHashingLaw, tallies: Tallies, perDevice: number): Squares | undefined {
  const { cohorts } = familyOf(size, buckets);
  const counts = Array<number>(cohorts).fill(0);
  tallies.get(0)?.cells.forEach((count, cell) => {
    const cohort = Math.floor(cell / buckets);
    counts[cohort] = (counts[cohort] as number) + count;
  });
  return goodness(counts, Array<number>(cohorts).fill(reportsIn(tallies) / cohorts), perDevice);
}

const tests: { readonly [M in Law['mechanism']]: Test<Extract<Law, { mechanism: M }>> } = {
  'k-ary': square,
  subset: square,
  'string-hashing': square,
  privset: dummies,
  unary: ofOne(totalsFit),
  rappor: ofOne(totalsFit),
  'd-bit-flip': ofOne(placesFit),
  'local-hashing': onDesign(evenCohorts),
  hadamard: onDesign(nothing),
  projective: onDesign(nothing),
  'count-mean-sketch': onDesign<CountMeanSketchLaw>(totalsFit),
  'hadamard-count-mean-sketch': onDesign(coefficients),
  hierarchical: ofOne(levelsFit),
  piecewise: matrixFit,
  scored: matrixFit,
  hybrid: matrixFit,
  geometric: matrixFit,
  laplace: matrixFit,
  'one-bit': matrixFit,
  'square-wave': matrixFit,
  exponential: matrixFit,
};

/** The fit of a metric's evidence. */
export const fitOf = (law: Law, tallies: Tallies, perDevice: number): Fit =>
  tallies.size === 0 ? {} : (tests[law.mechanism] as Test<Law>)(law, tallies, perDevice);
