/**
 * The days on which versions of an app arrived, by its segment `version`. A version arrives on the first day on which it has at least 20
 * reports and 5 % of the day's, so that a few early testers are no release; one that has reports in the first week that is kept may be
 * older, and has no such day.
 *
 * Reports are counted of one metric, the one that has reports over the most days: that is a small part of an app's rows, and the days are the
 * same for all of its questions. Counts are exact, so nothing is estimated here. Reports can be forged, and so can an arrival.
 */

import type { ReportCount } from '../release/table/participation.ts';
import type { Reading } from '../release/table/reading.ts';
import type { Catalog, PublishedMetric } from '../schemas/catalog.ts';
import type { MetricTotal } from '../storage/store.ts';
import { type FreshTotals, type Totals, totalKey } from './summary.ts';

/** The segment that is taken for the version of an app. */
const VERSION_SEGMENT = 'version';

/** The reports of a day, and their part of all, with which a version has arrived. */
const [LEAST_REPORTS, LEAST_PART] = [20, 0.05];

/** Days from the first one with reports in which versions may be older. */
const SETTLING = 7;

/** Milliseconds for which days are kept while reports come: they concern whole days. */
const PAUSE = 60_000;

/** A version that arrived. */
export interface Arrival {
  readonly version: string;
  /** Days since 1970-01-01. */
  readonly day: number;
}

/** The versions that arrived, by day. */
export function arrivalsIn(rows: readonly Pick<ReportCount, 'day' | 'segment' | 'reports'>[]): readonly Arrival[] {
  const days = [...Map.groupBy(rows, ({ day }) => day)].sort(([one], [other]) => one - other);
  const seen = new Map<string, number>();
  const arrived = new Map<string, number>();
  for (const [day, own] of days) {
    const sum = (some: typeof own): number => some.reduce((total, { reports }) => total + reports, 0);
    for (const [version, some] of Map.groupBy(own, ({ segment }) => segment[VERSION_SEGMENT])) {
      if (version === undefined) continue;
      if (!seen.has(version)) seen.set(version, day);
      const reports = sum(some);
      if (!arrived.has(version) && reports >= LEAST_REPORTS && reports >= LEAST_PART * sum(own)) arrived.set(version, day);
    }
  }
  const settled = (days[0]?.[0] ?? 0) + SETTLING;
  return [...arrived].filter(([version]) => (seen.get(version) ?? 0) >= settled).map(([version, day]) => ({ version, day }));
}

/** The metric of an app by whose reports its versions are counted, and its totals in all schemas of the app. */
function countedOf(metrics: readonly PublishedMetric[], { schemas }: Catalog, totals: Totals): readonly MetricTotal[] {
  const wires = [...schemas].filter(([, { app }]) => app === metrics[0]?.app).map(([wire]) => wire);
  const all = metrics.map(({ metric }) => wires.flatMap((wire) => totals.get(totalKey(wire, metric)) ?? []));
  const lastsFor = (own: readonly MetricTotal[]): number => Math.max(...own.map(({ to }) => to)) - Math.min(...own.map(({ from }) => from));
  const reportsOf = (own: readonly MetricTotal[]): number => own.reduce((sum, { reports }) => sum + reports, 0);
  const [first = []] = all
    .filter(({ length }) => length > 0)
    .sort((one, other) => lastsFor(other) - lastsFor(one) || reportsOf(other) - reportsOf(one));
  return first;
}

/** Tells arrivals. */
export interface Arrivals {
  /** Those of an app, from a reading that is at most a minute old. None of an app without the segment. */
  readonly of: (app: string) => Promise<readonly Arrival[]>;
}

/** Options of arrivals. */
export interface ArrivalsOptions {
  readonly reading: Pick<Reading, 'read'>;
  readonly totals: FreshTotals;
  readonly catalogOf: () => Catalog;
}

/** Creates the service. */
export function createArrivals({ reading, totals, catalogOf }: ArrivalsOptions): Arrivals {
  const known = new Map<string, { readonly began: number; readonly versions: string; readonly found: Promise<readonly Arrival[]> }>();
  const read = async (counted: readonly MetricTotal[]): Promise<readonly Arrival[]> => {
    const [metric] = counted.map((total) => total.metric);
    if (metric === undefined) return [];
    const [from, to] = [Math.min(...counted.map((total) => total.from)), Math.max(...counted.map((total) => total.to))];
    const wanted = { schemas: counted.map(({ schema }) => schema), metrics: [metric], from, to };
    const { rows, firstDay } = await reading.read(wanted);
    return arrivalsIn(from < firstDay ? (await reading.read({ ...wanted, from: firstDay })).rows : rows);
  };
  return {
    of: async (app) => {
      const catalog = catalogOf();
      const metrics = catalog.metrics.filter((metric) => metric.app === app && VERSION_SEGMENT in metric.segments);
      const counted = countedOf(metrics, catalog, await totals(PAUSE));
      const versions = JSON.stringify(counted);
      const before = known.get(app);
      if (before !== undefined && (before.versions === versions || performance.now() - before.began < PAUSE)) return before.found;
      const made = { began: performance.now(), versions, found: read(counted) };
      known.set(app, made);
      made.found.catch(() => known.get(app) === made && known.delete(app));
      return made.found;
    },
  };
}
