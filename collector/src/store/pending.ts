/** What is committed and not folded: reports of many batches, added up in memory by place and metric. The log has them until then. */

import { Folder } from '../fold/folder.ts';
import { type Group, HEAD, type Place } from './group.ts';
import type { Shapes } from './store.ts';

/** One metric's sums at one place. */
export interface Delta {
  readonly place: Place;
  readonly metric: string;
  readonly folder: Folder;
}

interface Metric {
  readonly name: string;
  readonly folder: Folder;
}

/** Adds up what was committed. */
export class Pending {
  readonly #shapes: Shapes;
  readonly #places = new Map<string, { readonly place: Place; readonly metrics: (Metric | undefined)[] }>();

  constructor(shapes: Shapes) {
    this.#shapes = shapes;
  }

  /** Adds the batches of a group that begin at these words. */
  add({ places, words }: Group, starts: readonly number[]): void {
    const found = places.map((place) => this.#metricsOf(place));
    for (const start of starts) {
      const number = words[start] as number;
      const metrics = found[number] as (Metric | undefined)[];
      const end = start + HEAD + (words[start + 1] as number);
      for (let at = start + HEAD; at < end; ) {
        const { folder } = metrics[words[at] as number] ?? this.#open(places[number] as Place, metrics, words[at] as number);
        folder.add(words, at + 1);
        at += 1 + folder.packing.words;
      }
    }
  }

  /** The sums. */
  deltas(): readonly Delta[] {
    return [...this.#places.values()].flatMap(({ place, metrics }) =>
      metrics.flatMap((metric) => (metric === undefined ? [] : [{ place, metric: metric.name, folder: metric.folder }])),
    );
  }

  #metricsOf(place: Place): (Metric | undefined)[] {
    const name = place.join('\n');
    const known = this.#places.get(name);
    if (known !== undefined) return known.metrics;
    const metrics: (Metric | undefined)[] = [];
    this.#places.set(name, { place, metrics });
    return metrics;
  }

  #open([schema]: Place, metrics: (Metric | undefined)[], number: number): Metric {
    const { name, shape } = this.#shapes.get(schema)?.[number] ?? {};
    if (name === undefined || shape === undefined) throw new RangeError(`expected a metric of ${schema}, got number ${number}`);
    const metric = { name, folder: new Folder(shape) };
    metrics[number] = metric;
    return metric;
  }
}
