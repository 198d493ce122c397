/**
 * Deals the records of a table to 2^levels blocks, every record to a uniform block and independently of all others. At each level a fair coin
 * sends a record to one of two halves. The coins of 32 records of a cell are the bits of one uniform word, so the number of records that go
 * to a half is the number of its ones: binomial with 1/2, exactly, without a draw for each record. The parts of a cell are multinomial.
 */

import type { Random } from './random.ts';
import { assertWhole } from './spending.ts';

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
