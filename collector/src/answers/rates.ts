/**
 * Signs that a version of an app has changed a metric's rate: its part of the reports of all metrics with its cadence. The devices of a version
 * are not those of the version before: people who use an app much update first, new ones have the newest version alone, and a version that
 * comes on a Saturday has a weekend behind it. So two things must hold, each by a likelihood ratio, and the larger p-value counts:
 *
 * 1. In the same days the rate differs from that of the other versions, at least twofold.
 * 2. All reports together show it. E of them are expected since the version came, by the same weekdays before and the reports of the other
 *    metrics, and the other versions sent O. The version sent at least twice E - O, or at most half of it.
 *
 * An app whose devices have the new version at once has no others, and then the second alone decides.
 */

import { ACCEPTED_DAYS, DAYS, dayText, type MetricDocument } from '@murmuration/shared';
import { chiSquaredTail } from '../estimation/statistics/tails.ts';
import { outside } from '../estimation/watch/bounds.ts';
import type { PublishedMetric } from '../schemas/catalog.ts';
import type { MetricTotal } from '../storage/store.ts';
import { JUMP, LEAST_EXPECTED, LEAST_PART, type MetricLooks, type Sign, WEEK } from './signs.ts';

/** A metric's reports, with what says when a device reports. */
export interface RateCounts extends Pick<MetricDocument, 'every'> {
  readonly metric: string;
  readonly otherwise?: MetricDocument['otherwise'] | undefined;
  /** Reports of all versions, on the same weekdays before the newest one came. */
  readonly before: number;
  /** Reports of the other versions and of the newest one since then. */
  readonly others: number;
  readonly newest: number;
}

type Group = 'before' | 'others' | 'newest';

/** Slots for which a version must have had reports: a slot of the version before it goes on in it, and hides answers until it ends. */
const LEAST_SLOTS = 2;

/** From this part of all reports on a version has no others beside it. */
const MOST = 0.9;

/** A likelihood ratio of two shares a / m and b / n. Undefined where fewer than 30 are expected of either kind. */
function sharesPValue([a, m]: readonly [number, number], [b, n]: readonly [number, number]): number | undefined {
  const share = (a + b) / (m + n);
  if (!(Math.min(m, n) * Math.min(share, 1 - share) >= LEAST_EXPECTED)) return undefined;
  const at = { p: share, q: share };
  return chiSquaredTail(2 * (m * outside(a / m, at) + n * outside(b / n, at)), 1);
}

/** The direction in which one number is at least twice the other, or 0. */
const jumpOf = (old: number, now: number): number => (now >= JUMP * old ? 1 : old >= JUMP * now ? -1 : 0);

/**
 * The p-values of the metrics whose rate jumped. Reports of one device come together and again, so as many of them as a device may have sent
 * count as one. Metrics with `otherwise`, whose reports come at the end of a slot, have peers of their own. A metric that is asked once is
 * left out: devices that answered an older version do not answer again.
 *
 * @param days the days since the newest version came, and as many before
 */
export function ratesOf(counts: readonly RateCounts[], days: number): readonly { readonly metric: string; readonly pValue: number }[] {
  return counts.flatMap((counted) => {
    const { metric, every, otherwise } = counted;
    const peers = counts.filter((each) => each.every === every && (each.otherwise === undefined) === (otherwise === undefined));
    if (every === 'once' || peers.length < 2 || days < LEAST_SLOTS * DAYS[every]) return [];
    const perDevice = Math.ceil((2 * days) / DAYS[every]);
    const of = (group: Group): readonly [own: number, all: number] => [
      counted[group] / perDevice,
      peers.reduce((sum, each) => sum + each[group], 0) / perDevice,
    ];
    const [[b, m], [o, others], [a, n]] = [of('before'), of('others'), of('newest')];
    if (n < LEAST_PART * (n + others)) return [];
    const expected = ((n + others - a - o) * b) / (m - b) - o;
    const direction = expected > 0 ? jumpOf(expected, a) : 0;
    const overall = sharesPValue([b, m], [a + o, n + others]);
    if (direction === 0 || overall === undefined) return [];
    const beside = sharesPValue([o, others], [a, n]);
    if (beside === undefined) return n >= MOST * (n + others) ? [{ metric, pValue: overall }] : [];
    return jumpOf(o / others, a / n) === direction ? [{ metric, pValue: Math.max(overall, beside) }] : [];
  });
}

/** A metric as it was at its last look: its days, and the reports of its versions. */
export interface Looked {
  readonly known: Pick<MetricLooks, 'days'>;
  readonly versions: readonly Pick<MetricTotal, 'schema' | 'from' | 'reports'>[];
}

const versionOf = (schema: string): number => Number(schema.split('/')[1]);

/** Signs of the rates of each app's newest version, looked at when its reports have doubled. */
export class Rates {
  readonly #looks = new Map<string, { readonly looks: number; readonly seen: number }>();
  readonly #found = new Map<string, Sign>();

  look(
    metrics: readonly PublishedMetric[],
    lookedAt: (metric: PublishedMetric) => Looked | undefined,
    today: number,
    level: number,
  ): readonly Sign[] {
    const { app = '' } = metrics[0] ?? {};
    const all = metrics.flatMap((metric) => {
      const looked = lookedAt(metric);
      return looked === undefined ? [] : [{ metric, ...looked }];
    });
    const versions = all.flatMap((each) => each.versions).sort((one, other) => versionOf(one.schema) - versionOf(other.schema));
    const newest = versions.at(-1)?.schema;
    const signs = (): readonly Sign[] => [...this.#found.values()].filter((sign) => sign.app === app);
    if (newest === undefined || newest === versions[0]?.schema) return signs();
    const asked = all.filter(({ metric, versions: its }) => metric.schemas.includes(newest) && its.some(({ schema }) => schema !== newest));
    const ofNewest = (its: Looked['versions']): number => its.find(({ schema }) => schema === newest)?.reports ?? 0;
    const reports = asked.reduce((sum, { versions: its }) => sum + ofNewest(its), 0);
    const { looks, seen } = this.#looks.get(newest) ?? { looks: 0, seen: 0 };
    if (reports === 0 || reports < 2 * seen) return signs();
    const from = Math.min(...versions.filter(({ schema }) => schema === newest).map((each) => each.from));
    const days = today - from + 1;
    const shift = WEEK * Math.ceil(days / WEEK);
    const first = Math.min(...asked.flatMap(({ known }) => [...known.days].flatMap(([day, each]) => (each.reports > 0 ? [day] : []))));
    if (first > from - shift) return signs();
    this.#looks.set(newest, { looks: looks + 1, seen: reports });
    const counts = asked.map(({ metric: { metric, document }, known, versions: its }): RateCounts => {
      const sum = (low: number, high: number): number =>
        [...known.days].reduce((total, [day, each]) => total + (low <= day && day <= high ? each.reports : 0), 0);
      const own = ofNewest(its);
      const since = sum(from, today + ACCEPTED_DAYS.after);
      const { every, otherwise } = document;
      return { metric, every, otherwise, before: sum(from - shift, today - shift), others: Math.max(0, since - own), newest: own };
    });
    const evidence = `its part of the reports changed at least twofold with version ${versionOf(newest)}`;
    for (const { metric, pValue } of ratesOf(counts, days)) {
      const adjusted = pValue * (looks + 1) * (looks + 2);
      const sign: Sign = { app, metric, kind: 'rate', day: dayText(from), segments: [], reports, pValue: adjusted, level, evidence };
      if (adjusted <= level) this.#found.set(`${newest} ${metric}`, sign);
    }
    return signs();
  }
}
