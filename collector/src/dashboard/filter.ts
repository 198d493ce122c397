// Selects reports: a value per segment, and the last so many days or those between two dates; and chooses whom estimates describe.
// The filter is part of the page's address, so that a link shows a colleague the same view.

import type { Among, Metric } from '../api/shown.ts';
import type { Asked } from './api.ts';
import { dayBefore, daysBetween } from './format.ts';

export interface Filter {
  readonly segments: Readonly<Record<string, string>>;
  /** Only this many last days; all when null. */
  readonly days: number | null;
  /** The first and the last day, where those are chosen by date. */
  readonly from?: string;
  readonly to?: string;
  readonly among: Among;
}

/** First and last day, both included. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

const PREFIX = 'segment.';
const OWN: readonly string[] = ['days', 'from', 'to', 'among'];
const PERIODS = [7, 30, 90] as const;

/** A day such as 2026-11-20; undefined for everything else. */
export const dayOf = (text: string | null | undefined): string | undefined =>
  /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') && !Number.isNaN(Date.parse(text as string)) ? (text as string) : undefined;

export function filterFromQuery(query: string): Filter {
  const entries = [...new URLSearchParams(query)];
  const segments = entries.filter(([key]) => key.startsWith(PREFIX)).map(([key, value]) => [key.slice(PREFIX.length), value] as const);
  const find = (name: string): string | undefined => entries.find(([key]) => key === name)?.[1];
  const days = Number(/^[1-9]\d{0,3}$/.exec(find('days') ?? '')?.[0] ?? 0) || null;
  const [from, to] = days === null ? [dayOf(find('from')), dayOf(find('to'))] : [];
  const among = entries.some(([key, value]) => key === 'among' && value === 'reports') ? 'reports' : 'population';
  return { segments: Object.fromEntries(segments), days, ...(from !== undefined && { from }), ...(to !== undefined && { to }), among };
}

/** A query with this filter instead of its own, and with everything else that it had. */
export function withFilter(query: string, filter: Filter): string {
  const others = [...new URLSearchParams(query)].filter(([key]) => !key.startsWith(PREFIX) && !OWN.includes(key));
  const segments = Object.entries(filter.segments).map(([name, value]) => [PREFIX + name, value]);
  const all = new URLSearchParams([...others, ...segments]);
  if (filter.days !== null) all.set('days', String(filter.days));
  if (filter.from !== undefined) all.set('from', filter.from);
  if (filter.to !== undefined) all.set('to', filter.to);
  if (filter.among !== 'population') all.set('among', filter.among);
  return all.size === 0 ? '' : `?${all}`;
}

/** The segments of all metrics together. */
export function segmentsOf(metrics: readonly Metric[]): readonly (readonly [string, readonly string[]])[] {
  const values = new Map<string, Set<string>>();
  for (const metric of metrics) {
    for (const [name, list] of Object.entries(metric.segments)) {
      values.set(name, new Set([...(values.get(name) ?? []), ...list]));
    }
  }
  return [...values].map(([name, set]) => [name, [...set]] as const);
}

/** First and last day of the reports of all metrics; null when there is none. */
export function spanOf(metrics: readonly Metric[]): Span | null {
  const from = metrics.flatMap((metric) => metric.from ?? []).toSorted()[0];
  const to = metrics
    .flatMap((metric) => metric.to ?? [])
    .toSorted()
    .at(-1);
  return from && to ? { from, to } : null;
}

/** The usual periods that leave out some days, and that of a link. */
export function periodsOf(metrics: readonly Metric[], chosen: number | null): readonly number[] {
  const span = spanOf(metrics);
  const usual = span ? PERIODS.filter((period) => period < daysBetween(span.from, span.to)) : [];
  return chosen === null || usual.some((period) => period === chosen) ? usual : [...usual, chosen];
}

/** The part of a filter that applies here: an old link may name a segment that no longer exists. */
export function availablePart(filter: Filter, metrics: readonly Metric[]): Filter {
  const segments = new Map(segmentsOf(metrics));
  const known = Object.entries(filter.segments).filter(([name, value]) => segments.get(name)?.includes(value));
  const span = spanOf(metrics);
  const days = filter.days !== null && span && filter.days < daysBetween(span.from, span.to) ? filter.days : null;
  return { ...filter, segments: Object.fromEntries(known), days };
}

/** The segment values of a filter that nothing here has, in words. */
export function goneFrom({ segments }: Filter, metrics: readonly Metric[]): readonly string[] {
  const known = new Map(segmentsOf(metrics));
  return Object.entries(segments).flatMap(([name, value]) => (known.get(name)?.includes(value) ? [] : [`${name}: ${value}`]));
}

/** The segments in the filter that this metric does not have. */
export function missingFrom(metric: Metric, { segments }: Filter): readonly string[] {
  return Object.keys(segments).filter((name) => !metric.segments[name]?.includes(segments[name] ?? ''));
}

/** True if what is asked leaves out days or segments. */
export function isPart({ from, to, exclude, segment }: Pick<Asked, 'from' | 'to' | 'exclude' | 'segment'>): boolean {
  return from !== undefined || to !== undefined || exclude !== undefined || Object.keys(segment ?? {}).length > 0;
}

/** The values of segments that are asked for, in words. */
export const chosenIn = ({ segment = {} }: Pick<Asked, 'segment'>): readonly string[] =>
  Object.entries(segment).map((pair) => pair.join(' '));

/** The days of a filter. A date stays where it is, so a verdict from that day on holds at every look; the last days are others every day. */
function daysOf({ days, from, to }: Filter, lastDay: string | null): Pick<Asked, 'from' | 'to' | 'looks'> {
  if (days && lastDay) return { from: dayBefore(lastDay, days - 1), to: lastDay };
  return { ...(from !== undefined && { from, looks: 'always' }), ...(to !== undefined && { to }) };
}

/** The filter as it is asked of one metric; a segment that the metric does not have is left out. */
export function askedOf(metric: Metric, filter: Filter, lastDay: string | null): Asked {
  const segments = Object.entries(filter.segments).filter(([name, value]) => metric.segments[name]?.includes(value));
  return { ...daysOf(filter, lastDay), among: filter.among, segment: Object.fromEntries(segments) };
}
