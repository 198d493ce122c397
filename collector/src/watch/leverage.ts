/**
 * The leverage of crafted reports. Every estimate here is a mean of scores, one a report: of a support estimate
 * (1 - q)/(p - q) for a report that supports the answer and -q/(p - q) for one that does not (Wang et al. 2017, §3.1,
 * equation 1), of strings the same with their collisions taken out, of a number its output's score, of a law with a matrix an
 * entry of its left inverse. So where a share β of the reports is crafted to one end, an estimate f becomes, in expectation and exactly,
 *   (1 - β) f + β s,  s the largest score or the least,
 * and moves by β (s - f), whatever the law's ε buys: noise that honest devices add is what a liar need not (Cheu, Smith,
 * Ullman 2021, "Manipulation Attacks in Local Differential Privacy", §1).
 * Where an answer is estimated from a part of the reports, a share r that each device draws, liars all draw it: then β is
 * β / (β + (1 - β) r).
 */

import {
  cellsOf,
  type DBitFlipLaw,
  drawnSupport,
  type ExponentialLaw,
  type HierarchicalLaw,
  type Law,
  type LevelLaw,
  mechanismOf,
  type NumberLaw,
  type SquareWaveLaw,
  type StringLaw,
  type Support,
} from '@murmuration/shared';
import { scoresOf } from '../estimators/estimator.ts';
import { inverseOf } from '../estimators/exponential.ts';
import { partsOf } from '../estimators/hierarchical.ts';
import { squareWaveScores } from '../estimators/square-wave-scores.ts';
import { bloomOf } from '../estimators/strings.ts';

/** What one report can say at most and at least of a share or of a place in the range, both from 0 to 1. */
export interface Leverage {
  readonly low: number;
  readonly high: number;
  /** The share of honest reports that an estimate is made from. */
  readonly drawn: number;
}

function ends(scores: Iterable<number>, drawn = 1): Leverage {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const score of scores) [low, high] = [Math.min(low, score), Math.max(high, score)];
  return { low, high, drawn };
}

const ofSupport = ({ p, q }: Support, drawn = 1): Leverage => ends([-q / (p - q), (1 - q) / (p - q)], drawn);

const ofAnswers = (law: Exclude<Law, NumberLaw | StringLaw | { mechanism: 'square-wave' | 'hierarchical' | 'exponential' }>): Leverage =>
  ofSupport(mechanismOf(law).support(law));

const ofNumber = (law: NumberLaw): Leverage => ends(Array.from(scoresOf(law).values));

/** A string's bits are ones for others too: ρ of estimators/strings.ts. */
function ofString(law: StringLaw): Leverage {
  const { p, q } = mechanismOf(law).support(law);
  const { bits, hashes } = bloomOf(law);
  const rho = 1 - (1 - 1 / bits) ** hashes;
  return ends([0, 1].map((support) => (support - q - (p - q) * rho) / ((p - q) * (1 - rho))));
}

/** Weights of one cell alone, for each cell. */
const oneByOne = (cells: number): readonly (readonly number[])[] =>
  Array.from({ length: cells }, (_, own) => Array.from({ length: cells }, (__, cell) => Number(cell === own)));

/** Of a level's part t of a cell's share, which lies between the least and the largest of its nodes': how far a report is beyond either. */
function ofLevel(law: LevelLaw, parts: readonly number[], drawn: number): Leverage {
  const { p, q } = mechanismOf(law).support(law);
  const held = law.mechanism === 'subset' ? law.subset : 1;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const score = (nodes: readonly number[]): number => (sum(nodes) - q * sum(parts)) / (p - q);
  const sorted = parts.toSorted((a, b) => a - b);
  const [least, most] = [sorted[0] as number, sorted.at(-1) as number];
  return { low: 1 + score(sorted.slice(0, held)) - most, high: score(sorted.slice(-held)) - least, drawn };
}

/** Of the cells' shares: of all cells and levels the farthest. */
function ofLevels(law: HierarchicalLaw): Leverage {
  const all = Array.from({ length: law.size }, (_, cell) => {
    const { parts } = partsOf(
      law,
      Array.from({ length: law.size }, (__, i) => Number(i === cell)),
    );
    return parts.map((part, level) => ofLevel(law.levels[level] as LevelLaw, part, 1 / law.levels.length));
  }).flat();
  return ends(
    all.flatMap(({ low, high }) => [low, high]),
    1 / law.levels.length,
  );
}

/** Of the cells' shares. */
function ofWave(law: SquareWaveLaw): Leverage {
  const scoresOf = squareWaveScores(law);
  return ends(oneByOne(cellsOf(law)).flatMap((own) => Array.from(scoresOf(own))));
}

/** Undefined where inputs can't be told apart, so that there are no estimates. */
function ofInputs(law: ExponentialLaw): Leverage | undefined {
  try {
    return ends(inverseOf(law).left.to1DArray());
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const leverages: { readonly [M in Law['mechanism']]: (law: Extract<Law, { mechanism: M }>) => Leverage | undefined } = {
  'k-ary': ofAnswers,
  subset: ofAnswers,
  unary: ofAnswers,
  privset: ofAnswers,
  'local-hashing': ofAnswers,
  hadamard: ofAnswers,
  projective: ofAnswers,
  'count-mean-sketch': ofAnswers,
  'hadamard-count-mean-sketch': ofAnswers,
  'd-bit-flip': (law: DBitFlipLaw) => ofSupport(drawnSupport(law), law.bits / law.size),
  rappor: ofString,
  'string-hashing': ofString,
  piecewise: ofNumber,
  scored: ofNumber,
  hybrid: ofNumber,
  geometric: ofNumber,
  laplace: ofNumber,
  'one-bit': ofNumber,
  'square-wave': ofWave,
  hierarchical: ofLevels,
  exponential: ofInputs,
};

/** The leverage of a law; undefined where there are no estimates. */
export const leverageOf = (law: Law): Leverage | undefined => (leverages[law.mechanism] as (law: Law) => Leverage | undefined)(law);

/** How far a share of crafted reports can move an estimate, at most: to either end, from wherever it is in [0, 1]. */
export function shiftOf(law: Law, share: number): number | undefined {
  const leverage = leverageOf(law);
  if (leverage === undefined) return undefined;
  const { low, high, drawn } = leverage;
  return (share / (share + (1 - share) * drawn)) * Math.max(high, 1 - low);
}
