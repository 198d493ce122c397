/**
 * Forecast of a new question of an app: how soon its answers are as precise as wanted at the app's traffic, and what it costs the budget.
 *
 * If U devices report once in each slot of d days, w weeks bring n = 7 w U / d reports, and up to T = ceil(7 w / d) of one device. The error is
 * the one that the collector will state then (`basisOf` in answers/estimates.ts): noise of n reports, sampling of n / T people. A question
 * that is asked once gets U reports, here within a month, and no more.
 */

import {
  chargesOf,
  DAYS,
  fits,
  kinds,
  type MetricDocument,
  parseDay,
  type QuestionType,
  rangeOf,
  type SchemaDocument,
  sumOf,
} from '@murmuration/shared';
import type { MetricSummary } from '../../answers/summary.ts';
import { leastDevices, marginAt, smallestShare } from '../../estimation/precision.ts';
import type { Asking } from '../../estimation/questions.ts';
import { type AskedShares, askedOf } from './asked.ts';
import { epsilonFor, SHARE, testedOf, type Wanted } from './plan.ts';
import { lineOf, metricOf, sentenceOf } from './question.ts';

/** Cadences that a plan may have. */
export const CADENCES = ['day', 'week', 'month', 'once'] as const;
export type PlannedCadence = (typeof CADENCES)[number];

/** The days of a slot. Devices answer a question that is asked once within a month, or do not come. */
const slotOf = (every: MetricDocument['every']): number => (every === 'once' ? DAYS.month : DAYS[every]);

/** Devices that were seen to answer. */
export interface Traffic {
  readonly devices: number;
  /** The metric that shows them. */
  readonly metric: string;
}

/**
 * How many devices answer a question in each of its slots, as the app's metrics show: at least so many. A metric with r reports a day, asked
 * of a share a of the devices, has r d' / a devices in each slot of d' days. In a longer slot there are at least as many. In a shorter one of
 * d days there are at least r d / a, since each of these devices would have answered at least as often. Days are counted as
 * a whole slot at least, so that a metric that has just begun does not promise too much.
 */
export function trafficOf(
  metrics: readonly Pick<MetricSummary, 'metric' | 'every' | 'reports' | 'from' | 'to'>[],
  { shares }: AskedShares,
  every: PlannedCadence,
): Traffic | null {
  const seen = metrics.flatMap(({ metric, every: own, reports, from, to }): readonly Traffic[] => {
    const asked = shares.get(metric) ?? 0;
    if (from === null || to === null || own === 'once' || asked === 0) return [];
    const days = Math.max((parseDay(to) as number) - (parseDay(from) as number) + 1, slotOf(own));
    return [{ metric, devices: Math.floor((reports / days / asked) * Math.min(slotOf(own), slotOf(every))) }];
  });
  return seen.reduce<Traffic | null>((most, each) => (each.devices > (most?.devices ?? 0) ? each : most), null);
}

/** Reports after some weeks, and their precision. */
interface Reached {
  readonly weeks: number;
  readonly reports: number;
  /** Half a 95 % interval: of a share, or of a mean relative to the width of its range. */
  readonly margin95: number;
}

/** The cost of a question in a window of the budget. */
interface Cost {
  readonly epsilon: number;
  readonly per: SchemaDocument['budget']['per'];
  /** The charges of the schema's other questions. */
  readonly before: number;
  /** How often a window is charged with it, and how much in all. */
  readonly times: number;
  readonly charge: number;
  readonly fits: boolean;
  /** True if devices are asked a random part of the metrics. */
  readonly isAssigned: boolean;
  /** The largest ε of one report that fits, to a hundredth. */
  readonly most: number;
}

/** The forecast of a question. */
export interface Forecast {
  readonly wanted: Wanted;
  readonly app: string;
  readonly version: number;
  /** In words. */
  readonly question: string;
  readonly type: QuestionType;
  readonly mechanism: string;
  readonly epsilon: number;
  readonly every: PlannedCadence;
  /** How many answers are tested together. */
  readonly tested: number;
  /** Devices that answer in each slot. */
  readonly devices: number;
  /** The share of them that is asked. */
  readonly asked: number;
  /** As the app's own reports show; null without any. */
  readonly traffic: Traffic | null;
  /** Weeks until the wanted error; null where they are not enough within ten years. */
  readonly weeks: number | null;
  /** The error week by week, until it is as wanted and a year at least. */
  readonly course: readonly Reached[];
  /** When the reader looks. */
  readonly after: Reached & {
    /** The smallest share that is told from 0; null where there is none. */
    readonly smallestShare: number | null;
    /** The least ε with which the wanted error would be reached by then; null when none is enough. */
    readonly epsilonForError: number | null;
    /** The fewest devices with which it would be; null when none are enough. */
    readonly devicesForError: number | null;
    /** Shares as they may be, largest first, each with its error: every share is the first one over its rank. Empty for numbers. */
    readonly example: readonly { readonly share: number; readonly margin95: number }[];
  };
  /** The ends of a number's range. */
  readonly range?: readonly [low: number, high: number];
  readonly budget: Cost;
  /** The line of the schema. */
  readonly line: string;
}

/** The question and its circumstances. `devices` and `share` have defaults. */
export interface Planned {
  readonly asking: Asking;
  readonly every: PlannedCadence;
  readonly error: number;
  readonly share?: number | undefined;
  readonly devices?: number | undefined;
  /** Weeks after which the reader looks. */
  readonly after: number;
  /** In the schema's line. */
  readonly name: string;
  readonly description: string;
}

const MOST_WEEKS = 520;
const YEAR = 52;

/** Bars of an example. */
const MOST_BARS = 12;

/** Devices, where neither the reader nor the app says how many. */
const USUAL_DEVICES = 10_000;

/** The share at which errors are stated: that of each answer if all were alike, as of texts in `plan`. */
export const usualShare = (metric: MetricDocument | undefined): number =>
  metric && kinds[metric.type].estimates === 'shares' && 'size' in metric.law ? 1 / metric.law.size : SHARE;

/** Shares that fall like 1 / rank and sum to 1, as answers of lists often do (Zipf 1949). */
function zipf(size: number): readonly number[] {
  const all = Array.from({ length: size }, (_, i) => 1 / (i + 1));
  return all.map((each) => each / sumOf(all));
}

function costOf(document: SchemaDocument, name: string, { times, charge }: { readonly times: number; readonly charge: number }): Cost {
  const { budget, assign, metrics } = document;
  const others = chargesOf(metrics, budget.per).flatMap((each) => (each.metric === name ? [] : [each.charge]));
  const before = sumOf(others);
  const left = assign ? budget.epsilon : budget.epsilon - before;
  return {
    ...budget,
    before,
    times,
    charge,
    fits: fits(assign ? [charge] : [...others, charge], budget.epsilon),
    isAssigned: assign !== undefined,
    most: Math.max(0, Math.floor((100 * left) / times + 1e-6) / 100),
  };
}

/** The forecast, by the newest schema of the app and the metrics that it has. @throws {RangeError} when there is no such law */
export function forecastOf(
  document: SchemaDocument,
  metrics: Parameters<typeof trafficOf>[0],
  { asking, every, error, share: given, devices: wanted, after, name, description }: Planned,
): Forecast {
  const metric: MetricDocument = { ...metricOf(asking, document.devices), every };
  const { type, law, epsilon } = metric;
  const { metrics: own, budget } = document;
  const whole: SchemaDocument = { ...document, metrics: { ...own, [name]: metric } };
  const traffic = trafficOf(metrics, askedOf(document), every);
  const asked = askedOf(whole).shares.get(name) as number;
  const devices = wanted ?? traffic?.devices ?? USUAL_DEVICES;
  const share = given ?? usualShare(metric);
  const tested = testedOf(metric);
  const slotsIn = (weeks: number): number => (every === 'once' ? Math.min(1, (7 * weeks) / slotOf(every)) : (7 * weeks) / slotOf(every));
  const reportsIn = (weeks: number, of = devices): number => Math.max(1, Math.round(of * asked * slotsIn(weeks)));
  const perPersonIn = (weeks: number): number => Math.max(1, Math.ceil(slotsIn(weeks)));
  const marginIn = (weeks: number, at = share, of = devices): number => marginAt(law, reportsIn(weeks, of), at, perPersonIn(weeks));
  const reachedIn = (weeks: number): Reached => ({ weeks, reports: reportsIn(weeks), margin95: marginIn(weeks) });
  const course: Reached[] = [];
  let weeks: number | null = null;
  for (let week = 1; week <= MOST_WEEKS && (weeks === null || week <= Math.max(YEAR, after)); week++) {
    const reached = reachedIn(week);
    course.push(reached);
    if (reached.margin95 <= error) weeks ??= week;
  }
  const bars = kinds[type].estimates === 'shares' ? zipf(type === 'flag' ? 2 : Math.min('size' in law ? law.size : MOST_BARS, 1_000)) : [];
  const [cost] = chargesOf({ [name]: metric }, budget.per);
  const range = rangeOf(metric);
  return {
    app: document.app,
    version: document.version,
    question: sentenceOf(asking),
    type,
    mechanism: law.mechanism,
    epsilon,
    every,
    wanted: { error, share },
    tested,
    devices,
    asked,
    traffic,
    weeks,
    course: course.slice(0, Math.max(YEAR, weeks ?? YEAR, after)),
    after: {
      ...reachedIn(after),
      smallestShare: smallestShare(law, reportsIn(after), tested, perPersonIn(after)),
      epsilonForError: epsilonFor(metric, reportsIn(after), { error, share }, document.devices, perPersonIn(after)),
      devicesForError: asked === 0 ? null : leastDevices((of) => marginIn(after, share, of) <= error),
      example: bars.slice(0, MOST_BARS).map((each) => ({ share: each, margin95: marginIn(after, each) })),
    },
    ...(range && { range }),
    budget: costOf(whole, name, cost as { readonly times: number; readonly charge: number }),
    line: lineOf(asking, metric, name, description),
  };
}
