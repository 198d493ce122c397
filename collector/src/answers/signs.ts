/**
 * Signs that reports of a metric are not what they seem: a day whose reports the law can't have given, a metric that fell silent, and
 * a number or a rate that jumped with a version. Each is a p-value.
 *
 * All tests of an app in a month are a family of N, and one is shown where its p-value is at most 1 % / N (Bonferroni): in at most 1 % of
 * months does an app without liars show any. N counts the metrics, the values of their segments and 31 days, whether or not there are
 * reports, so that a sign does not go because other reports come.
 *
 * A test may be made again as reports come. The j-th look's p-value is multiplied by j (j + 1), and the sum of 1 / (j (j + 1)) is 1, so any
 * number of looks together err no more often than one. Looks are made when the reports have doubled, when the day has been over for a day,
 * and when its batches are no longer accepted. A restart of the collector begins with the first look.
 */

import { ACCEPTED_DAYS, dayText, mechanismOf } from '@murmuration/shared';
import { normalTail } from '../estimation/statistics/tails.ts';
import type { Evidence } from '../estimation/tally.ts';
import { outside } from '../estimation/watch/bounds.ts';
import { watchOf } from '../estimation/watch/watch.ts';
import type { PublishedMetric } from '../schemas/catalog.ts';
import type { DayRange, PartsReader } from '../storage/store.ts';
import { difference, isNumber, type Row, rowsOf } from './rows.ts';

/** `law`: the law can't have given the reports. `silence`, `value`: see below. `rate`: see rates.ts. */
export const SIGNS = ['law', 'silence', 'value', 'rate'] as const;

/** A sign, and its evidence. */
export interface Sign {
  readonly app: string;
  readonly metric: string;
  readonly kind: (typeof SIGNS)[number];
  /** The first day. A sign of a day is of this day alone. */
  readonly day: string;
  /** Where it is seen, such as `platform=ios`: the segments that show it on their own. Empty where only all reports together do. */
  readonly segments: readonly string[];
  /** The reports that were tested. */
  readonly reports: number;
  /** After all looks. It is at most `level`. */
  readonly pValue: number;
  readonly level: number;
  readonly evidence: string;
}

/** The share of months in which an app without liars may show a sign. */
export const FAMILY_LEVEL = 0.01;

/** Days that are watched. */
const WATCHED_DAYS = 92;

const MONTH = 31;

type Metric = Pick<PublishedMetric, 'app' | 'metric' | 'version' | 'document' | 'schemas' | 'segments'>;

/** The segment values of a metric, one at a time. */
const segmentsOf = ({ segments }: Pick<Metric, 'segments'>): readonly (readonly [name: string, value: string])[] =>
  Object.entries(segments).flatMap(([name, values]) => values.map((value) => [name, value] as const));

/** The tests of an app in a month: of each metric its days with and without segments, its silence, and two of its versions. */
export const testsOf = (metrics: readonly Pick<Metric, 'segments'>[]): number =>
  metrics.reduce((sum, metric) => sum + MONTH * (2 + segmentsOf(metric).length) + 2, 0);

/** The looks at a growing number of reports. */
interface Looks {
  readonly looks: number;
  /** The reports at the last look. */
  readonly seen: number;
}

const NO_LOOKS: Looks = { looks: 0, seen: 0 };

const nextLook = ({ looks }: Looks, seen: number): Looks => ({ looks: looks + 1, seen });

/** The p-value of the latest look, as one of any number. */
const asLook = ({ looks }: Looks, pValue: number): number => Math.min(1, pValue * looks * (looks + 1));

/** The state of a day. */
export interface DayLooks extends Looks {
  readonly reports: number;
  /** Days since it, at the last look. */
  readonly age: number;
  /** The least p-value of all reports, of those of each segment's value, and the reports at that look. */
  readonly least: { readonly [slice: string]: { readonly pValue: number; readonly reports: number } };
}

/** Estimates of a number in two versions. */
interface VersionLooks extends Looks {
  readonly pValue: number;
  readonly day: number;
  readonly evidence: string;
}

/** The state of a metric, as plain data. */
export interface MetricLooks {
  readonly days: ReadonlyMap<number, DayLooks>;
  /** By the wire name of the newer version. */
  readonly versions: ReadonlyMap<string, VersionLooks>;
}

/** Asks for a metric's next looks. */
export interface LookOrder {
  readonly metric: Metric;
  readonly today: number;
  readonly known: MetricLooks;
  /** The versions that have reports, the oldest first, with their first days. */
  readonly versions: readonly { readonly schema: string; readonly from: number }[];
}

/** Fewer reports show nothing at these levels. */
export const LEAST_REPORTS = 20;

/** Days of which batches may still come. */
const OPEN = ACCEPTED_DAYS.before + 1;

/** The reports of the open days of a metric. */
export const openReports = ({ days }: Pick<MetricLooks, 'days'>, today: number): number =>
  [...days].reduce((sum, [day, { reports }]) => sum + (day >= today - OPEN ? reports : 0), 0);

/** The key of all reports of a day. */
const ALL = '';

/** Ages in days at which a day is looked at again: it is over everywhere, and no batch of it is accepted any more. */
const OVER = 2;
const AGES = [OVER, OPEN];

const isDue = (reports: number, age: number, known: DayLooks | undefined): boolean =>
  reports >= LEAST_REPORTS &&
  (known === undefined ||
    known.looks === 0 ||
    reports >= 2 * known.seen ||
    (reports > known.seen && AGES.some((each) => known.age < each && each <= age)));

/** Days as ranges without gaps. */
function rangesOf(days: readonly number[]): readonly DayRange[] {
  const ranges: { from: number; to: number }[] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    if (last?.to === day - 1) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges;
}

const daysIn = ({ from, to }: DayRange): readonly DayRange[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ from: from + i, to: from + i }));

/** Looks at a metric's days and versions. */
export const lookAt = async (order: LookOrder, reader: PartsReader): Promise<MetricLooks> => ({
  days: await lookAtDays(order, reader),
  versions: await lookAtVersions(order, reader),
});

/**
 * The most cells of a day whose segments are tested, too. Strings that nobody has listed have more than a million, so a day is read alone, in
 * megabytes, and once. Its reports are few beside its cells: a report that comes again and again stands out among all as in its segment.
 */
const MOST_CELLS = 2 ** 18;

/** Looks at the days of a metric that have changed enough. Old days are read once. */
export async function lookAtDays(
  { metric, today, known }: Pick<LookOrder, 'metric' | 'today' | 'known'>,
  reader: Pick<PartsReader, 'readParts'>,
): Promise<MetricLooks['days']> {
  const { document, schemas, metric: name } = metric;
  const from = known.days.size === 0 ? today - WATCHED_DAYS + 1 : today - OPEN;
  const selection = { schemas, metric: name };
  const days = new Map([...known.days].filter(([day]) => day > today - WATCHED_DAYS));
  const due: number[] = [];
  const add = (day: number, slice: string, reports: number, pValue: number): void => {
    const found = days.get(day) as DayLooks;
    const least = Math.min(found.least[slice]?.pValue ?? 1, asLook(found, pValue));
    if (least < (found.least[slice]?.pValue ?? 1))
      days.set(day, { ...found, least: { ...found.least, [slice]: { pValue: least, reports } } });
  };
  const look = (day: number, { reports, tallies }: Evidence): void => {
    const [age, before] = [today - day, days.get(day)];
    if (!isDue(reports, age, before)) {
      days.set(day, { looks: 0, seen: 0, age: -1, least: {}, ...before, reports });
      return;
    }
    days.set(day, { least: {}, ...before, ...nextLook(before ?? NO_LOOKS, reports), reports, age });
    due.push(day);
    add(day, ALL, reports, watchOf(document.law, tallies, [], 1).pValue); // a day has one report of each device
  };
  const { cohorts, cells } = mechanismOf(document.law).shape(document.law);
  const isLarge = cohorts * cells > MOST_CELLS;
  const all = { from, to: today + ACCEPTED_DAYS.after };
  for (const range of isLarge ? daysIn(all) : [all]) {
    const parts = await reader.readParts(selection, daysIn(range));
    parts.forEach((part, i) => {
      look(range.from + i, part);
    });
  }
  if (isLarge) return days;
  for (const [segment, value] of segmentsOf(metric))
    for (const range of rangesOf(due)) {
      const parts = await reader.readParts({ ...selection, segment: { [segment]: value } }, daysIn(range));
      parts.forEach(({ reports, tallies }, i) => {
        if (reports >= LEAST_REPORTS) add(range.from + i, `${segment}=${value}`, reports, watchOf(document.law, tallies, [], 1).pValue);
      });
    }
  return days;
}

/** A number that differs by this factor, measured from the least answer of its range, has jumped. So has a rate. */
export const JUMP = 2;

/** Fewer reports of a version than this are too few for a normal error this far out. */
const LEAST_OF_VERSION = 300;

/** The least part of all reports since it came that a version must have: what is expected of all varies, too. */
export const LEAST_PART: number = 1 / 3;

const meanOf = (metric: Metric, evidence: Evidence): Row => rowsOf({ metric, evidence, minimum: 1, candidates: [] }, 'mean')[0] as Row;

/** Compares the mean of the two newest versions with reports, since the newer one came. Only numbers have a unit that can jump. */
async function lookAtVersions(order: LookOrder, reader: PartsReader): Promise<MetricLooks['versions']> {
  const { metric, today, known, versions } = order;
  const [before, after] = versions.slice(-2);
  if (before === undefined || after === undefined || !isNumber(metric.document)) return known.versions;
  const from = Math.max(after.from, today - WATCHED_DAYS + 1);
  const looked = known.versions.get(after.schema) ?? { ...NO_LOOKS, pValue: 1, day: from, evidence: '' };
  const [one, other] = await Promise.all(
    [before, after].map(({ schema }) => reader.read({ schemas: [schema], metric: metric.metric, from, to: today })),
  );
  const least = Math.min(one?.reports ?? 0, other?.reports ?? 0);
  if (one === undefined || other === undefined || least < Math.max(LEAST_OF_VERSION, 2 * looked.seen)) return known.versions;
  const [a, b] = [one, other].map((evidence) => meanOf(metric, evidence)) as [Row, Row];
  const next = nextLook(looked, least);
  const { estimate, standardError } = difference(a, b);
  const pValue = asLook(next, 2 * normalTail(Math.abs(estimate) / standardError));
  const [low, high] = 'range' in metric.document ? metric.document.range : [0, Number.POSITIVE_INFINITY];
  const [old, now] = [a, b].map((row) => Math.min(high, Math.max(low, row.estimate))) as [number, number]; // noise leads out of the range
  const [small, large] = [old - low, now - low].sort((x, y) => x - y) as [number, number];
  const isNews = large >= JUMP * small && pValue < looked.pValue;
  const ofAll = isNews ? asLook(next, await chanceOfAll(order, { from, newest: other, mean: now, low }, reader)) : 1;
  const jump = Math.max(pValue, ofAll);
  const evidence = `the mean went from ${old.toPrecision(3)} to ${now.toPrecision(3)} with version ${versionOf(after.schema)}`;
  const isJump = jump < looked.pValue;
  return new Map(known.versions).set(after.schema, { ...looked, ...next, ...(isJump && { pValue: jump, evidence }) });
}

/** The mean of a version that came on a day. */
interface VersionMean {
  readonly from: number;
  readonly newest: Evidence;
  readonly mean: number;
  readonly low: number;
}

/**
 * The p-value of a jump in all reports since a version came, too; 1 where they do not show it. The version's devices may be others than those of the
 * version before: people who use an app much update first. By the mean of the same weekdays before and by what the other versions reported
 * since, a mean was to be expected of the version. It is noisy, so the mean of all must have changed by more than chance. Without reports before
 * there is nothing to compare with.
 */
async function chanceOfAll({ metric, today }: LookOrder, { from, newest, mean, low }: VersionMean, reader: PartsReader): Promise<number> {
  const shift = WEEK * Math.ceil((today - from + 1) / WEEK);
  const read = ([first, last]: readonly [number, number]): Promise<Evidence | undefined> =>
    reader.read({ schemas: metric.schemas, metric: metric.metric, from: first, to: last });
  const [before, since] = await Promise.all([read([from - shift, today - shift]), read([from, today])]);
  if (before === undefined || since === undefined || before.reports < LEAST_OF_VERSION) return 0;
  const part = newest.reports / since.reports;
  const [usual, all] = [before, since].map((evidence) => meanOf(metric, evidence)) as [Row, Row];
  const { estimate, standardError } = difference(usual, all);
  const expected = mean - estimate / part;
  const isTwice = mean - low >= JUMP * (expected - low) || expected - low >= JUMP * (mean - low);
  return part >= LEAST_PART && isTwice ? 2 * normalTail(Math.abs(estimate) / standardError) : 1;
}

const versionOf = (schema: string): string => schema.split('/')[1] ?? '';

/*
 * Silence: a day has at most a tenth of the reports of the same weekday before. Given the sum M of the day and w such days, the day's part
 * is binomial with chance 1 / (w + 1) under equal rates, whatever the rate (Przyborowski and Wilenski 1940), and a rate of a tenth is far
 * from it. Days vary by more than chance: counts are divided by the dispersion around the means of weekdays, times 3, since 21 degrees
 * leave it uncertain (a chi-squared is below a third of its degrees in 1 of 1,000). At least 30 must be expected after that.
 */

/** Days of a week, and the reports that must be expected. */
export const WEEK = 7;
export const LEAST_EXPECTED = 30;
const [WEEKS, LEAST_WEEKS, SILENT, CAUTION] = [4, 3, 0.1, 3];

/** A silent day. */
interface Silence {
  readonly day: number;
  readonly reports: number;
  readonly expected: number;
  readonly pValue: number;
}

/** The silent days up to the day before yesterday: later ones are not over everywhere. */
export function silencesOf(days: ReadonlyMap<number, Pick<DayLooks, 'reports'>>, today: number): readonly Silence[] {
  const known = [...days].filter(([, { reports }]) => reports > 0).map(([day]) => day);
  const first = Math.min(...known);
  const silent = new Map<number, Silence>();
  const at = (day: number): number => days.get(day)?.reports ?? 0;
  const usual = (day: number): boolean => day >= first && !silent.has(day);
  const weekdaysBefore = (day: number): readonly number[] =>
    Array.from({ length: 2 * WEEKS }, (_, i) => day - WEEK * (i + 1))
      .filter(usual)
      .slice(0, WEEKS);
  const meanOf = (some: readonly number[]): number => some.reduce((sum, day) => sum + at(day), 0) / some.length;
  const dispersionBefore = (day: number): number => {
    const before = Array.from({ length: WEEK * WEEKS }, (_, i) => day - 1 - i).filter(usual);
    let squares = 0;
    for (const each of before) {
      const mean = meanOf(before.filter((other) => (other - each) % WEEK === 0));
      if (mean > 0) squares += (at(each) - mean) ** 2 / mean;
    }
    return Math.max(1, (CAUTION * squares) / Math.max(1, before.length - WEEK));
  };
  for (let day = first + WEEK * LEAST_WEEKS; day <= today - OVER; day++) {
    const before = weekdaysBefore(day);
    if (before.length < LEAST_WEEKS) continue;
    const [expected, reports, dispersion] = [meanOf(before), at(day), dispersionBefore(day)];
    if (reports > SILENT * expected || expected < LEAST_EXPECTED * dispersion) continue;
    const sum = (expected * before.length + reports) / dispersion;
    const chance = 1 / (before.length + 1);
    const pValue = Math.exp(-sum * outside(reports / dispersion / sum, { p: 1, q: chance }));
    silent.set(day, { day, reports, expected, pValue });
  }
  return [...silent.values()];
}

/** The signs of a metric's days and versions. */
export function signsOf(
  { app, metric }: Pick<Metric, 'app' | 'metric'>,
  known: MetricLooks,
  today: number,
  tests: number,
): readonly Sign[] {
  const level = FAMILY_LEVEL / tests;
  const about = { app, metric, level };
  const ofLaw = [...known.days].flatMap(([day, { least }]): readonly Sign[] => {
    const shown = Object.entries(least).filter(([, { pValue }]) => pValue <= level);
    const [, found] = shown.find(([slice]) => slice === ALL) ?? shown[0] ?? [];
    if (found === undefined) return [];
    const { pValue, reports } = found;
    const segments = shown.map(([slice]) => slice).filter((slice) => slice !== ALL);
    const where = segments.length === 0 ? '' : `, above all of ${segments.join(', ')}`;
    const evidence = `the reports of ${dayText(day)}${where} can’t all be the law’s`;
    return [{ ...about, kind: 'law', day: dayText(day), segments, reports, pValue, evidence }];
  });
  const silent = silencesOf(known.days, today)
    .filter(({ pValue }) => pValue <= level)
    .map(({ day, reports, expected, pValue }): Sign => {
      const evidence = `${reports} reports, where the same weekdays before had ${Math.round(expected)}`;
      return { ...about, kind: 'silence', day: dayText(day), segments: [], reports, pValue, evidence };
    });
  const jumps = [...known.versions.values()]
    .filter(({ pValue }) => pValue <= level)
    .map(({ day, seen, pValue, evidence }): Sign => {
      return { ...about, kind: 'value', day: dayText(day), segments: [], reports: seen, pValue, evidence };
    });
  return [...ofLaw, ...silent, ...jumps];
}
