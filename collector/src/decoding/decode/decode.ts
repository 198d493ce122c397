/**
 * From counts of cells to strings: which candidates are there, each one's share with an interval that holds given that it is reported, and the
 * whole distribution with what is left for others. A pure function of its input: the same input gives the same numbers to the last bit.
 *
 * The fit is joint (message-passing.ts), the test is that of a random hash (null-law.ts), the selection holds the false discovery rate
 * (discoveries.ts), and the intervals allow for the selection (truncated-normal.ts). docs/decoder.md compares it with others.
 */

import { normalQuantile, Z95 } from '../../estimation/statistics/normal.ts';
import { type Reported, selectedSum } from '../../estimation/statistics/selected-sum.ts';
import { conditionalOn } from '../../estimation/statistics/truncated-normal.ts';
import { type Observed, observe } from './cells.ts';
import type { Decoded, Outcome } from './decoded.ts';
import { direct, isDirect } from './direct.ts';
import { discoveriesOf } from './discoveries.ts';
import { wholeOf } from './distribution.ts';
import type { CellCounts, DecodeInput } from './evidence.ts';
import { hashed } from './hashed.ts';
import type { Tested } from './tested.ts';

/** With fewer cells nothing is left to tell noise from strings. */
const LEAST_CELLS = 3;

const within = (x: number): number => Math.min(1, Math.max(0, x));

/** Nothing can be said. */
function nothing(candidates: number): Decoded {
  const all = (value: number): Float64Array => new Float64Array(candidates).fill(value);
  return {
    outcome: 'not-enough-data',
    reported: new Uint8Array(candidates),
    estimate: all(0),
    standardError: all(1),
    typical: all(0),
    low: all(0),
    high: all(1),
    pValue: all(1),
    qValue: all(1),
    detectable: 1,
    unexplained: 1,
    unexplainedError: 0,
    distribution: all(0),
    other: 1,
    fit: 'linear',
    dispersion: 1,
  };
}

/** The upper median. */
function middleOf(numbers: Float64Array): number {
  return numbers.slice().sort()[numbers.length >> 1] as number;
}

/** Whether all cells of the cohorts with reports have the same share, as where nothing is ever set. Then no string differs from another. */
function isFlat({ cells, reports }: CellCounts, { width, shares }: Observed): boolean {
  const first = width * reports.findIndex((here) => here > 0);
  return shares.every((share, at) => share === shares[first] || at % width === cells || reports[Math.floor(at / width)] === 0);
}

/** For a p-value, the estimate of each candidate that has it. Nearly all candidates of a list have one threshold. */
function byThreshold({ leastAt }: Tested): (threshold: number) => (candidate: number) => number {
  const known = new Map<number, (candidate: number) => number>();
  return (threshold) => {
    const found = known.get(threshold) ?? leastAt(normalQuantile(threshold));
    known.set(threshold, found);
    return found;
  };
}

/** Decodes. */
export function decode(input: DecodeInput): Decoded {
  const { counts, map, fdr } = input;
  const { candidates } = map;
  const observed = observe(counts);
  if (candidates === 0 || observed.live === 0) return nothing(candidates);
  const isOwn = isDirect(map, counts.cohorts);
  if (!isOwn && (observed.live < LEAST_CELLS || isFlat(counts, observed))) return nothing(candidates);
  const tests = isOwn ? direct(counts, map) : hashed(input, observed);
  const { estimate, standardError, pValue, isOverloaded } = tests;
  const { qValues, thresholds, reported: found } = discoveriesOf(pValue, fdr);
  const leastAt = byThreshold(tests);
  const [reported, typical, low, high] = [
    new Uint8Array(candidates),
    new Float64Array(candidates),
    new Float64Array(candidates),
    new Float64Array(candidates),
  ];
  const least = new Float64Array(candidates);
  const known: Reported[] = [];
  for (let v = 0; v < candidates; v++) {
    const [share, error] = [estimate[v] as number, standardError[v] as number];
    least[v] = leastAt(thresholds[v] as number)(v);
    if ((qValues[v] as number) <= fdr) {
      const z = share / error;
      const given = conditionalOn(z, Math.min(z, (least[v] as number) / error));
      reported[v] = 1;
      typical[v] = within(given.middle * error);
      low[v] = within(given.low * error);
      high[v] = within(given.high * error);
      known.push({ estimate: share, standardError: error, threshold: Math.min(share, least[v] as number) });
    } else {
      typical[v] = within(share);
      low[v] = within(share - Z95 * error);
      high[v] = within(share + Z95 * error);
    }
  }
  const explained = selectedSum(known);
  const detectable = within(middleOf(least));
  const outcome: Outcome = isOverloaded ? 'overloaded' : found === 0 && detectable >= 1 ? 'not-enough-data' : 'decoded';
  return {
    outcome,
    reported,
    estimate,
    standardError,
    typical,
    low,
    high,
    pValue,
    qValue: qValues,
    detectable,
    unexplained: within(1 - explained.sum),
    unexplainedError: Math.sqrt(explained.variance),
    ...wholeOf(estimate, standardError),
    fit: tests.fit,
    dispersion: tests.dispersion,
  };
}
