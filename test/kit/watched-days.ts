/** Days of an app's reports in memory, as a reader of tallies: honest by the shipped randomizers, and crafted in part. */

import { type Law, mechanismOf, toBase64url } from '@murmuration/shared';
import { lookAtDays, type MetricLooks, type Sign, signsOf, testsOf } from '#collector/answers/signs.ts';
import type { Evidence, Tallies } from '#collector/estimation/tally.ts';
import type { DayRange, PartsReader, Selection } from '#collector/storage/store.ts';
import { Accumulator } from '#collector/storage/tallying/accumulator.ts';

/** A reader of days that are added. Segments have one name. */
export class DaysInMemory implements Pick<PartsReader, 'readParts'> {
  readonly #days = new Map<string, Accumulator>();

  /** Adds reports of a metric, a day and a segment's value. */
  add(metric: string, law: Law, day: number, segment: string, reports: readonly Uint8Array[]): void {
    const payloads = reports.map(toBase64url);
    for (const key of [`${metric} ${day}`, `${metric} ${day} ${segment}`]) {
      const folder = this.#days.get(key) ?? new Accumulator(mechanismOf(law).shape(law));
      this.#days.set(key, folder);
      folder.addPayloads(payloads);
    }
  }

  readParts = async ({ metric, segment = {} }: Omit<Selection, 'from' | 'to'>, parts: readonly DayRange[]): Promise<readonly Evidence[]> =>
    parts.map(({ from }) => {
      const [value] = Object.values(segment);
      const tallies: Tallies =
        this.#days.get(value === undefined ? `${metric} ${from}` : `${metric} ${from} ${value}`)?.tallies() ?? new Map();
      const reports = [...tallies.values()].reduce((sum, tally) => sum + tally.reports, 0);
      return { tallies, reports, from: reports > 0 ? from : null, to: reports > 0 ? from : null, ones: [] };
    });
}

/** An app's metrics in memory. */
export interface Watched {
  readonly name: string;
  readonly law: Law;
}

export const PLATFORMS = ['web', 'ios'] as const;
const SEGMENTS = { platform: PLATFORMS };

/** Looks at all days as one does who comes on this day, and knows what earlier looks have found. */
export async function lookAtAll(
  days: Pick<PartsReader, 'readParts'>,
  metrics: readonly Watched[],
  today: number,
  known: Map<string, MetricLooks>,
): Promise<readonly Sign[]> {
  const tests = testsOf(metrics.map(() => ({ segments: SEGMENTS })));
  const found: Sign[] = [];
  for (const { name, law } of metrics) {
    const metric = { app: 'notes', metric: name, version: 1, schemas: ['notes/1/0'], segments: SEGMENTS, document: { law } as never };
    const before = known.get(name) ?? { days: new Map(), versions: new Map() };
    const looks = { days: await lookAtDays({ metric, today, known: before }, days), versions: new Map() };
    known.set(name, looks);
    found.push(...signsOf(metric, looks, today, tests));
  }
  return found;
}
