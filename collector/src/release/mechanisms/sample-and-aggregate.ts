/**
 * Sample and aggregate, for a statistic whose sensitivity nobody knows: Nissim, Raskhodnikova, Smith 2007, "Smooth Sensitivity and Sampling
 * in Private Data Analysis", §4, with the aggregators of Smith 2011.
 *
 * Law: every record goes to one of k blocks, chosen uniformly and independently. The statistic is computed on each block and
 * rounded to one of the points of a range: to the nearest end if it lies outside, to the lowest if it throws or is not a number. One unit of
 * privacy, with at most c records, adds them to at most c blocks and leaves the others as they were dealt, so it changes at most c of k
 * results, whatever the statistic is. They are aggregated by one of:
 * - `median`: the median of the k results by `quantile` (permute-and-flip.ts), one result in place of another. It is robust against strange blocks.
 * - `mean`: the mean of the k results with two-sided geometric noise. Their sum in steps changes by at most c (points - 1).
 *
 * Usefulness is about the aggregate of the blocks' rounded results: the median's rank error in blocks, or the mean's error. How far a
 * block's result is from that of all records depends on the statistic; NRS show it is near when samples of that size suffice.
 */

import { type Ratio, ratio } from '@murmuration/shared';
import { geometric } from './geometric.ts';
import { assertWhole, pure, type ReleaseMechanism } from './mechanism.ts';
import { quantile } from './permute-and-flip.ts';
import type { Random } from './random.ts';

/** The most blocks. */
export const MOST_BLOCKS: number = 2 ** 20;

/** The parameters of sample and aggregate. */
export interface AggregateOptions {
  readonly epsilon: Ratio;
  /** The most records that one unit of privacy has. */
  readonly sensitivity: number;
  /** A power of two. */
  readonly blocks: number;
  /** Computed on each block, which may be empty. */
  readonly statistic: (block: Block) => number;
  /** The range of results and the number of its points, evenly apart and with both ends. */
  readonly low: number;
  readonly high: number;
  readonly points: number;
  readonly aggregator: 'median' | 'mean';
}

/** The statistic of a block; NaN if it throws, since an error that depends on the records would tell about them. */
function resultOf(statistic: AggregateOptions['statistic'], block: Block): number {
  try {
    return Number(statistic(block));
  } catch {
    return Number.NaN;
  }
}

/** The results of the blocks as points of the range. */
function resultsOf(
  { blocks, statistic, low, high, points }: AggregateOptions,
  counts: readonly number[],
  random: Random,
): readonly number[] {
  const results: number[] = [];
  deal(counts, Math.log2(blocks), random, (block) => {
    const place = Math.round(((resultOf(statistic, block) - low) / (high - low)) * (points - 1));
    results.push(Number.isNaN(place) ? 0 : Math.min(points - 1, Math.max(0, place)));
  });
  return results;
}

/**
 * Releases a statistic of a table's records.
 *
 * @throws {RangeError} unless the range has two points or more, and the blocks are a power of two and at least as many as one unit touches
 */
export function sampleAndAggregate(of: AggregateOptions): ReleaseMechanism<readonly number[], number> {
  const { epsilon, sensitivity, blocks, low, high, points, aggregator } = of;
  assertWhole(sensitivity, 'sample and aggregate: sensitivity');
  assertWhole(blocks, 'sample and aggregate: blocks', sensitivity, MOST_BLOCKS);
  if (!Number.isInteger(Math.log2(blocks))) throw new RangeError(`sample and aggregate: expected a power of two of blocks, got ${blocks}`);
  assertWhole(points, 'sample and aggregate: points', 2, 2 ** 20);
  if (!(low < high && Number.isFinite(high - low))) {
    throw new RangeError(`sample and aggregate: expected a finite range, its low end below its high end, got ${low} to ${high}`);
  }
  const step = (high - low) / (points - 1);
  const shared = { name: `sample and aggregate by ${aggregator}`, ...pure(epsilon), sensitivity };
  if (aggregator === 'mean') {
    const noise = geometric({ epsilon, sensitivity: sensitivity * (points - 1) });
    return {
      ...shared,
      release: (counts, random) => {
        const sum = resultsOf(of, counts, random).reduce((total, place) => total + place, 0);
        return low + (noise.release(sum, random) / blocks) * step;
      },
      accuracy: (beta) => (noise.accuracy(beta) / blocks) * step,
    };
  }
  const median = quantile({ epsilon, cells: points, quantile: ratio(1n, 2n), sensitivity, replaced: true });
  return {
    ...shared,
    release: (counts, random) => {
      const places = Array.from({ length: points }, () => 0);
      for (const place of resultsOf(of, counts, random)) places[place] = (places[place] as number) + 1;
      return low + median.release(places, random) * step;
    },
    accuracy: (beta) => median.accuracy(beta),
  };
}

/*
 * Deals the records of a table to 2^levels blocks, every record to a uniform block and independently of all others. At each level a fair coin
 * sends a record to one of two halves. The coins of 32 records of a cell are the bits of one uniform word, so the number of records that go
 * to a half is the number of its ones: binomial with 1/2, exactly, without a draw for each record. The parts of a cell are multinomial.
 */

/** The records of a block: how many there are in which cells. No count is 0. */
export interface Block {
  readonly cells: readonly number[];
  readonly counts: readonly number[];
}

const WORD = 32;

/** The bits that are set in a word. */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** How many of so many fair coins show heads. */
export function heads(count: number, random: Random): number {
  let found = 0;
  for (let rest = count; rest > 0; rest -= WORD) found += ones(random.uniform(2 ** Math.min(WORD, rest)) | 0);
  return found;
}

/** The nonzero counts of a table as one block. */
function blockOf(counts: readonly number[]): Block {
  const cells = counts.flatMap((count, cell) => (count > 0 ? [cell] : []));
  return { cells, counts: cells.map((cell) => counts[cell] as number) };
}

function halves({ cells, counts }: Block, random: Random): readonly Block[] {
  const firsts = counts.map((count) => heads(count, random));
  return [firsts, firsts.map((first, i) => (counts[i] as number) - first)].map((parts) => ({
    cells: cells.filter((_, i) => parts[i] !== 0),
    counts: parts.filter((part) => part !== 0),
  }));
}

/** Deals a table, and passes each block on as soon as it is dealt: there may be far more blocks than fit into memory at once. */
export function deal(counts: readonly number[], levels: number, random: Random, take: (block: Block) => void): void {
  for (const count of counts) assertWhole(count, 'dealing: a count', 0, 2 ** 40);
  const split = (block: Block, left: number): void => {
    if (left === 0) return take(block);
    for (const half of halves(block, random)) split(half, left - 1);
  };
  split(blockOf(counts), levels);
}
