/** Cost of folding alone: from payload strings to tallies, beside a loop over bits. */

import { randomBytes } from 'node:crypto';
import { type MetricDocument, mechanismOf, type TallyShape } from '@murmuration/shared';
import { Accumulator, VerticalCounter } from '#collector/storage/tallying/accumulator.ts';
import { median } from '../../kit/quantile.ts';
import { schema } from './schema.ts';

const CELLS = 1_024;
/** Few enough to stay in a processor's cache, where a commit's reports are when they are folded. */
const VECTORS = 4_000;
/** Runs that count, after as many to warm up. */
const RUNS = 7;

/** Median seconds of works that take turns. */
function medians(works: readonly (() => void)[]): readonly number[] {
  const seconds = works.map((): number[] => []);
  for (let run = -RUNS; run < RUNS; run++) {
    for (const [i, work] of works.entries()) {
      const started = performance.now();
      work();
      if (run >= 0) (seconds[i] as number[]).push((performance.now() - started) / 1000);
    }
  }
  return seconds.map(median);
}

/** How many times faster vertical counters are than a loop over bits, on vectors of 1,024 bits in groups of a size. */
export function foldingGain(group: number): number {
  const words = new Int32Array(randomBytes((VECTORS * CELLS) / 8).buffer, 0, (VECTORS * CELLS) / 32).slice();
  const bytes = new Uint8Array(words.buffer);
  const [counts, cells] = [new Float64Array(CELLS), new Float64Array(CELLS)];
  const counter = new VerticalCounter(counts);
  const vertical = (): void => {
    for (let first = 0; first < VECTORS; first += group) {
      for (let i = first; i < Math.min(VECTORS, first + group); i++) counter.add(words, (i * CELLS) / 32);
      counter.flush();
    }
  };
  const loop = (): void => {
    for (let i = 0; i < VECTORS; i++) {
      const at = (i * CELLS) / 8;
      for (let bit = 0; bit < CELLS; bit++) {
        if (((bytes[at + (bit >> 3)] as number) & (1 << (bit & 7))) !== 0) cells[bit] = (cells[bit] as number) + 1;
      }
    }
  };
  const many = 10; // the faster one takes about a millisecond
  const [fast, slow] = medians([() => Array.from({ length: many }, vertical), loop]) as [number, number];
  if (!counts.every((count, bit) => count === many * (cells[bit] as number))) throw new Error('the counters and the loop disagree');
  return (slow * many) / fast;
}

/** Seconds to fold the payloads of so many batches of the shipping client, in groups as commits bring them. */
export function foldingSeconds(batches: readonly (readonly (readonly [metric: string, payload: string])[])[]): number {
  const shapes = new Map<string, TallyShape>(
    Object.entries(schema.document.metrics as { readonly [name: string]: MetricDocument }).map(([name, { law }]) => [
      name,
      mechanismOf(law).shape(law),
    ]),
  );
  const payloads = [...shapes].map(([name, shape]) => ({
    shape,
    payloads: batches.flatMap((reports) => reports.filter(([metric]) => metric === name).map(([, payload]) => payload)),
  }));
  const fold = (): void => {
    for (const { shape, payloads: of } of payloads) {
      const folder = new Accumulator(shape);
      folder.addPayloads(of);
      folder.tallies();
    }
  };
  return medians([fold])[0] as number;
}
