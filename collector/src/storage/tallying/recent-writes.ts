/** Reports that are committed to the log but not yet added to the tallies, summed in memory by partition and metric. */

import type { Tallies } from '../../estimation/tally.ts';
import type { Published, Shapes } from '../../schemas/catalog.ts';
import { type Group, HEAD, type Partition } from '../group-commit.ts';
import { appOf } from '../quota.ts';
import type { AcceptedBatch } from '../store.ts';
import { Accumulator } from './accumulator.ts';

/** One metric's sums at one partition. */
export interface Delta {
  readonly partition: Partition;
  readonly metric: string;
  readonly folder: Accumulator;
}

interface Metric {
  readonly name: string;
  readonly folder: Accumulator;
}

/** Sums committed reports. */
export class RecentWrites {
  /** Approximate size of the sums, in bytes. */
  bytes = 0;
  readonly #shapes: Shapes;
  readonly #partitions = new Map<string, { readonly partition: Partition; readonly metrics: (Metric | undefined)[] }>();

  readonly #rows = new Map<string, { count: number }>();

  constructor(shapes: Shapes) {
    this.#shapes = shapes;
  }

  /** Adds the batches of a group that begin at these words. */
  add({ partitions, words }: Group, starts: readonly number[]): void {
    const found = partitions.map((partition) => this.#metricsOf(partition));
    for (const start of starts) {
      const number = words[start] as number;
      const from = start + HEAD;
      this.#addReports(
        partitions[number] as Partition,
        found[number] as (Metric | undefined)[],
        words,
        from,
        from + (words[start + 1] as number),
      );
    }
  }

  /** Adds reports as packed in a batch. */
  addReports(partition: Partition, reports: Int32Array): void {
    this.#addReports(partition, this.#metricsOf(partition), reports, 0, reports.length);
  }

  /** The number of rows that the sums of an app's day have. Some of them are in the tallies already. */
  rowsOf(app: string, day: number): number {
    return this.#rows.get(`${app}\n${day}`)?.count ?? 0;
  }

  /** True if a row is among the sums. */
  has(partition: Partition, metric: number, cohort: number): boolean {
    return this.#partitions.get(partition.join('\n'))?.metrics[metric]?.folder.has(cohort) ?? false;
  }

  /** The sums. */
  deltas(): readonly Delta[] {
    return [...this.#partitions.values()].flatMap(({ partition, metrics }) =>
      metrics.flatMap((metric) => (metric === undefined ? [] : [{ partition, metric: metric.name, folder: metric.folder }])),
    );
  }

  #addReports(partition: Partition, metrics: (Metric | undefined)[], words: Int32Array, from: number, end: number): void {
    for (let at = from; at < end; ) {
      const { folder } = metrics[words[at] as number] ?? this.#open(partition, metrics, words[at] as number);
      folder.add(words, at + 1);
      at += 1 + folder.packing.words;
    }
  }

  #metricsOf(partition: Partition): (Metric | undefined)[] {
    const name = partition.join('\n');
    const known = this.#partitions.get(name);
    if (known !== undefined) return known.metrics;
    const metrics: (Metric | undefined)[] = [];
    this.#partitions.set(name, { partition, metrics });
    return metrics;
  }

  #open([schema, day]: Partition, metrics: (Metric | undefined)[], number: number): Metric {
    const { name, shape } = this.#shapes.get(schema)?.[number] ?? {};
    if (name === undefined || shape === undefined) throw new RangeError(`expected a metric of ${schema}, got number ${number}`);
    const place = `${appOf(schema)}\n${day}`;
    const rows = this.#rows.get(place) ?? { count: 0 };
    this.#rows.set(place, rows);
    const onGrow = (bytes: number): void => {
      this.bytes += bytes;
      rows.count++;
    };
    const metric = { name, folder: new Accumulator(shape, onGrow) };
    metrics[number] = metric;
    return metric;
  }
}

/**
 * The tallies of batches of one schema, by metric, over all days and segments.
 *
 * @param batches the results of `parseBatch`
 */
export function foldBatches({ metrics }: Published, batches: Iterable<AcceptedBatch>): ReadonlyMap<string, Tallies> {
  const pending = new RecentWrites(new Map([['', metrics]]));
  for (const { reports } of batches) pending.addReports(['', 0, ''], reports);
  return new Map(pending.deltas().map(({ metric, folder }) => [metric, folder.tallies()]));
}
