/**
 * The sums of a group's batches, by partition and metric, encoded as deltas have them. A flush has few reports of each cohort, so what counts
 * is what a sum costs before its first report: all sums of a metric share their cells.
 */

import { onesOf, type Packing, packingOf, type TallyShape } from '@murmuration/shared';
import type { Shapes } from '../../schemas/catalog.ts';
import { type Group, HEAD, type Partition } from '../group-commit.ts';
import { VerticalCounter } from '../tallying/accumulator.ts';
import { encodeCells } from '../tallying/cell-codec.ts';
import type { Batch } from './batch-ids.ts';
import { type EncodedTally, packOnes, packTallies } from './packed.ts';

/** The sums of a metric at a partition. */
export interface MetricSums {
  readonly partition: Partition;
  readonly metric: string;
  readonly reports: number;
  /** The number of tallies, each of one cohort. */
  readonly rows: number;
  readonly tallies: Uint8Array;
  /** Empty where a report is one symbol or all reports have equally many ones. */
  readonly ones: Uint8Array;
}

/** From so many reports of a cohort on, vertical counters are faster than a loop over ones. */
const MANY = 8;

/** Adds up reports of one shape, cohort by cohort. */
class Summer {
  readonly packing: Packing;
  readonly name: string;
  readonly #cells: Float64Array;
  readonly #isBits: boolean;
  readonly #hasOnes: boolean;
  #counter: VerticalCounter | undefined;

  constructor(name: string, shape: TallyShape) {
    this.name = name;
    this.packing = packingOf(shape);
    this.#cells = new Float64Array(shape.cells);
    this.#isBits = shape.form === 'bits';
    this.#hasOnes = this.#isBits && shape.ones === undefined;
  }

  /** The sums of the packed reports at these words, which it sorts. */
  sum(words: Int32Array, places: number[]): Omit<MetricSums, 'partition' | 'metric'> {
    const tallies = new Map<number, EncodedTally>();
    places.sort((a, b) => (words[a] as number) - (words[b] as number));
    for (let from = 0; from < places.length; ) {
      const cohort = words[places[from] as number] as number;
      let end = from + 1;
      while (end < places.length && words[places[end] as number] === cohort) end++;
      this.#cells.fill(0);
      this.#add(words, places, from, end);
      tallies.set(cohort, { reports: end - from, cells: encodeCells(this.#cells) });
      from = end;
    }
    return { reports: places.length, rows: tallies.size, tallies: packTallies(tallies), ones: packOnes(this.#onesOf(words, places)) };
  }

  #add(words: Int32Array, places: readonly number[], from: number, end: number): void {
    const cells = this.#cells;
    if (!this.#isBits) {
      for (let i = from; i < end; i++) {
        const symbol = words[(places[i] as number) + 1] as number;
        cells[symbol] = (cells[symbol] as number) + 1;
      }
    } else if (end - from >= MANY) {
      this.#counter ??= new VerticalCounter(cells);
      for (let i = from; i < end; i++) this.#counter.add(words, (places[i] as number) + 1);
      this.#counter.flush();
    } else {
      for (let i = from; i < end; i++) this.#addOnes(words, places[i] as number);
    }
  }

  /** Bit i of a report is bit i of its words. */
  #addOnes(words: Int32Array, place: number): void {
    const cells = this.#cells;
    for (let w = 0; w < this.packing.words - 1; w++) {
      for (let rest = words[place + 1 + w] as number; rest !== 0; rest &= rest - 1) {
        const cell = 32 * w + 31 - Math.clz32(rest & -rest);
        cells[cell] = (cells[cell] as number) + 1;
      }
    }
  }

  /** The number of reports by how many ones they have. */
  #onesOf(words: Int32Array, places: readonly number[]): ReadonlyMap<number, number> {
    const counts = new Map<number, number>();
    if (!this.#hasOnes) return counts;
    for (const place of places) {
      let ones = 0;
      for (let at = place + this.packing.words; --at > place; ) ones += onesOf(words[at] as number);
      counts.set(ones, (counts.get(ones) ?? 0) + 1);
    }
    return counts;
  }
}

/** Adds up batches of a group. @throws {RangeError} at a report of a metric that is not in its schema */
export function sumBatches({ partitions, words }: Group, batches: readonly Batch[], shapes: Shapes): readonly MetricSums[] {
  const summers = new Map<string, (Summer | undefined)[]>();
  const summerOf = (schema: string, number: number): Summer => {
    const all = summers.get(schema) ?? [];
    summers.set(schema, all);
    const known = all[number];
    if (known !== undefined) return known;
    const { name, shape } = shapes.get(schema)?.[number] ?? {};
    if (name === undefined || shape === undefined) throw new RangeError(`expected a metric of ${schema}, got number ${number}`);
    const summer = new Summer(name, shape);
    all[number] = summer;
    return summer;
  };
  /** By partition and metric, the words at which reports begin. */
  const places: (readonly [summer: Summer, at: number[]] | undefined)[][] = partitions.map(() => []);
  for (const { start, partition } of batches) {
    const at = places[words[start] as number] as (readonly [Summer, number[]] | undefined)[];
    const end = start + HEAD + (words[start + 1] as number);
    for (let word = start + HEAD; word < end; ) {
      const number = words[word] as number;
      const found = at[number] ?? [summerOf(partition[0], number), []];
      at[number] = found;
      found[1].push(word + 1);
      word += 1 + found[0].packing.words;
    }
  }
  return places.flatMap((metrics, i) =>
    metrics.flatMap((found) =>
      found === undefined ? [] : [{ partition: partitions[i] as Partition, metric: found[0].name, ...found[0].sum(words, found[1]) }],
    ),
  );
}
