// The view of a question, as its address holds it: which two selections are compared, which days are left out, and what is drawn. The
// names of its parameters are those of the API.

import type { Metric } from '../../api/shown.ts';
import { DAY_MS } from '../../base/days.ts';
import type { Asked } from '../api.ts';
import { askedOf, dayOf, type Filter, type Span } from '../filter.ts';
import { dayRange } from '../format.ts';

/** One side of a comparison: a version, a value of a segment, or days. */
export interface Side {
  readonly version?: number;
  readonly segment?: { readonly [name: string]: string };
  readonly from?: string;
  readonly to?: string;
}

export interface Sides {
  readonly a: Side;
  readonly b: Side;
}

const PICTURES = ['trend', 'shares'] as const;
export type Picture = (typeof PICTURES)[number];

const INTERVALS = ['day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

export interface View {
  /** Null where nothing is compared. */
  readonly sides: Sides | null;
  /** True if the sides are the arms of an experiment, which each device drew by an even coin. */
  readonly experiment: boolean;
  /** Days that are left out, in order. */
  readonly exclude: readonly string[];
  /** Null where the usual one of the type is drawn. */
  readonly picture: Picture | null;
  /** Null where it follows from the number of days. */
  readonly interval: Interval | null;
  /** The folded parts that are open. */
  readonly open: readonly Part[];
}

const PARTS = ['table', 'details', 'others'] as const;
export type Part = (typeof PARTS)[number];

/** Days that the API leaves out of one answer, at most. */
export const MOST_EXCLUDED = 100;

const oneOf = <T extends string>(options: readonly T[], text: string | null): T | null => options.find((option) => option === text) ?? null;

const SEGMENT = 'segment.';

function sideFrom(query: URLSearchParams, prefix: string): Side {
  const segment = [...query].flatMap(([name, value]) =>
    name.startsWith(prefix + SEGMENT) ? [[name.slice(prefix.length + 8), value]] : [],
  );
  const version = Number(query.get(`${prefix}version`));
  const [from, to] = [dayOf(query.get(`${prefix}from`)), dayOf(query.get(`${prefix}to`))];
  return {
    ...(Number.isInteger(version) && version > 0 && { version }),
    ...(segment.length > 0 && { segment: Object.fromEntries(segment) }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

const sidePairs = ({ version, segment = {}, from, to }: Side, prefix: string): readonly (readonly [string, string])[] =>
  [
    ['version', version === undefined ? undefined : `${version}`] as const,
    ...Object.entries(segment).map(([name, value]) => [SEGMENT + name, value] as const),
    ['from', from] as const,
    ['to', to] as const,
  ].flatMap(([name, value]) => (value === undefined ? [] : [[prefix + name, value] as const]));

export function viewFromQuery(text: string): View {
  const query = new URLSearchParams(text);
  const sides = { a: sideFrom(query, 'a.'), b: sideFrom(query, 'b.') };
  const isCompared = Object.keys({ ...sides.a, ...sides.b }).length > 0;
  const days = (query.get('exclude') ?? '').split(',').flatMap((day) => dayOf(day) ?? []);
  return {
    sides: isCompared ? sides : null,
    experiment: isCompared && isBySegment(sides) && query.get('experiment') === 'true',
    exclude: [...new Set(days)].sort().slice(0, MOST_EXCLUDED),
    picture: oneOf(PICTURES, query.get('picture')),
    interval: oneOf(INTERVALS, query.get('interval')),
    open: PARTS.filter((part) => query.get('open')?.split(',').includes(part)),
  };
}

/** A query with this view instead of its own, and with everything else that it had. */
export function withView(text: string, { sides, experiment, exclude, picture, interval, open }: View): string {
  const own = (name: string): boolean => /^[ab]\./.test(name) || ['experiment', 'exclude', 'picture', 'interval', 'open'].includes(name);
  const query = new URLSearchParams([
    ...[...new URLSearchParams(text)].filter(([name]) => !own(name)),
    ...(sides ? [...sidePairs(sides.a, 'a.'), ...sidePairs(sides.b, 'b.')] : []).map(([name, value]) => [name, value]),
  ]);
  if (sides && experiment && isBySegment(sides)) query.set('experiment', 'true');
  if (exclude.length > 0) query.set('exclude', exclude.join());
  if (picture) query.set('picture', picture);
  if (interval) query.set('interval', interval);
  if (open.length > 0) query.set('open', open.join());
  return query.size === 0 ? '' : `?${query}`.replaceAll('%2C', ',');
}

/** Request to the API: the filter, without the days that are left out. */
export function askedIn(of: { metric: Metric; filter: Filter; span: Span | null }, { exclude }: View): Asked {
  return { ...askedOf(of.metric, of.filter, of.span?.to ?? null), ...(exclude.length > 0 && { exclude, looks: 'once' }) };
}

/** Days with more or fewer of them left out: all of these days, unless all of them are out already. */
export function toggled(exclude: readonly string[], days: readonly string[]): readonly string[] {
  const isOut = days.every((day) => exclude.includes(day));
  const others = exclude.filter((day) => !days.includes(day));
  return isOut ? others : [...others, ...days].sort().slice(0, MOST_EXCLUDED);
}

/** The days from one to another, both included. */
export function daysIn(from: string, to: string): readonly string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  return Array.from({ length: Math.round((last - first) / DAY_MS) + 1 }, (_, i) => new Date(first + i * DAY_MS).toISOString().slice(0, 10));
}

// The way of a comparison: by version of the schema, by a segment, or by days. It follows from the sides, so the address needs no word for it.

/** `version`, `days`, or `segment.` with the name of a segment. */
export type By = string;

export function byOf({ a, b }: Sides): By {
  if (a.version !== undefined || b.version !== undefined) return 'version';
  const [name] = Object.keys({ ...a.segment, ...b.segment });
  return name === undefined ? 'days' : SEGMENT + name;
}

export const isBySegment = (sides: Sides): boolean => byOf(sides).startsWith(SEGMENT);

/** The name of a way. Apps may have a segment for their own versions, which are not those of the schema. */
export const nameOfBy = (by: By, { segments }: Pick<Metric, 'segments'>): string =>
  by.startsWith(SEGMENT) ? segmentOf(by) : by === 'version' && 'version' in segments ? 'schema version' : by;

const segmentOf = (by: By): string => by.slice(SEGMENT.length);

/** Ways in which a metric can be compared. */
export function waysOf({ segments, versions, from, to }: Metric): readonly By[] {
  const bySegment = Object.entries(segments).flatMap(([name, values]) => (values.length > 1 ? [SEGMENT + name] : []));
  return [...bySegment, ...(versions.length > 1 ? ['version'] : []), ...(from !== to ? ['days'] : [])];
}

/** The values of a way of comparing that is not by days. */
export function valuesOf({ segments, versions }: Metric, by: By): readonly string[] {
  return by === 'version' ? versions.map(({ version }) => `${version}`) : (segments[segmentOf(by)] ?? []);
}

export const sideOf = (by: By, value: string): Side =>
  by === 'version' ? { version: Number(value) } : { segment: { [segmentOf(by)]: value } };

export const chosenValueOf = ({ version, segment = {} }: Side): string => `${version ?? Object.values(segment)[0] ?? ''}`;

/** The sides with which a comparison begins: the last two values, or the days before and since a change. */
export function firstSides(metric: Metric, by: By): Sides {
  if (by === 'days') return aroundOf(metric.versions.at(-1)?.from ?? '', metric);
  const [a = '', b = ''] = valuesOf(metric, by).slice(-2);
  return { a: sideOf(by, a), b: sideOf(by, b) };
}

const shifted = (day: string, days: number): string => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** The days before and since a day; since the middle of all days if none lies before it. */
export function aroundOf(day: string, { from, to }: Pick<Metric, 'from' | 'to'>): Sides {
  const [first, last] = [from ?? '', to ?? ''];
  const middle = shifted(first, Math.ceil((Date.parse(last) - Date.parse(first)) / DAY_MS / 2));
  const since = day > first && day <= last ? day : middle;
  return { a: { to: shifted(since, -1) }, b: { from: since } };
}

/** The last so many days and as many before them. */
export function lastOf(length: number, to: string): Sides {
  const ends = { from: shifted(to, 1 - length), to };
  return { a: { from: shifted(ends.from, -length), to: shifted(ends.from, -1) }, b: ends };
}

/** A side in words. */
export function sideInWords({ from, to, ...side }: Side): string {
  if (side.version !== undefined) return `version ${side.version}`;
  if (side.segment) return Object.values(side.segment).join(' ');
  if (from !== undefined && to !== undefined) return dayRange(from, to);
  if (from !== undefined) return `since ${dayRange(from, from)}`;
  return to === undefined ? 'all days' : `up to ${dayRange(to, to)}`;
}

/** The parts of sides that a metric does not have, in words: an old link may name them. */
export function goneFrom(metric: Metric, { a, b }: Sides): readonly string[] {
  return [a, b].flatMap(({ version, segment = {} }) => [
    ...(version !== undefined && !metric.versions.some((each) => each.version === version) ? [`version ${version}`] : []),
    ...Object.entries(segment).flatMap(([name, value]) => (metric.segments[name]?.includes(value) ? [] : [`${name}: ${value}`])),
  ]);
}

/** True if a link names days before the first one that has reports: none were made, or they are deleted by now. */
export function namesGoneDays({ from: first }: Metric, { from, to }: Filter, { sides, exclude }: View): boolean {
  const days = [from, to, ...exclude, ...(sides ? [sides.a, sides.b].flatMap((side) => [side.from, side.to]) : [])];
  return first !== null && days.some((day) => day !== undefined && day < first);
}

/** A view in a few words, for the name of a tab; empty where it is the usual one. */
export function viewInWords({ sides, exclude }: View, { from, to, segment = {} }: Asked): string {
  const days: Side = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  return [
    ...(sides ? [`${sideInWords(sides.b)} compared with ${sideInWords(sides.a)}`] : []),
    ...Object.values(segment),
    ...(from === undefined && to === undefined ? [] : [sideInWords(days)]),
    ...(exclude.length > 0 ? [`${exclude.length} ${exclude.length === 1 ? 'day' : 'days'} left out`] : []),
  ].join(', ');
}
