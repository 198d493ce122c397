/** Finds the metric and the reports that a reader asks for, and refuses what is not there. */

import { dayText } from '@murmuration/shared';
import { sizeOf } from '../../answers/association.ts';
import { takesCandidates } from '../../answers/candidates.ts';
import type { Wording } from '../../answers/differences.ts';
import { hasLater, type Truth } from '../../answers/estimates.ts';
import { type Interval, partsIn } from '../../answers/series.ts';
import { type Totals, totalKey } from '../../answers/summary.ts';
import type { Selected } from '../../answers/tasks.ts';
import type { CompareAsked, RangeAsked, Segment } from '../../api/forms/parameters.ts';
import { monthStart, nextMonth } from '../../base/days.ts';
import { Refusal } from '../../base/refusal.ts';
import { MOST_LATER } from '../../estimation/later.ts';
import type { Catalog, PublishedMetric } from '../../schemas/catalog.ts';
import type { DayRange } from '../../storage/store.ts';

/** Text from outside, as far as it is quoted. */
const quoted = (text: string): string => text.slice(0, 80);

/**
 * The metric of this name.
 *
 * @throws {Refusal} 404 when there is none, 400 when several apps have one
 */
export function findMetric({ metrics }: Catalog, name: string, app: string | undefined): PublishedMetric {
  const found = metrics.filter((each) => each.metric === name && (app === undefined || each.app === app));
  const [metric] = found;
  if (metric === undefined)
    throw new Refusal(404, 'unknown-metric', 'a published metric', quoted(app === undefined ? name : `${app}/${name}`));
  if (found.length > 1) throw new Refusal(400, 'ambiguous-metric', `app: one of ${found.map((each) => each.app).join(', ')}`, 'none');
  return metric;
}

/** The metric as one version of the schema asks it, with the reports of this version alone. */
function inVersion({ schemas }: Catalog, metric: PublishedMetric, version: number): PublishedMetric {
  const [wire, document] = [...schemas].find(([, each]) => each.app === metric.app && each.version === version) ?? [];
  const asked = document !== undefined && Object.hasOwn(document.metrics, metric.metric) ? document.metrics[metric.metric] : undefined;
  if (wire === undefined || document === undefined || asked === undefined)
    throw new Refusal(404, 'unknown-version', `a published version of ${metric.app} that asks ${metric.metric}`, `${version}`);
  return { ...metric, version, document: asked, segments: document.segments ?? {}, devices: document.devices, schemas: [wire] };
}

function checkSegment({ segments }: PublishedMetric, segment: Segment): void {
  for (const [name, value] of Object.entries(segment)) {
    const values = Object.hasOwn(segments, name) ? segments[name] : undefined;
    if (!values?.includes(value))
      throw new Refusal(
        400,
        'bad-segment',
        values ? `${name}: one of ${values.join(', ')}` : 'a declared segment',
        quoted(`${name}=${value}`),
      );
  }
}

/**
 * The reports that are asked for.
 *
 * @throws {Refusal} 400 when the days form no range or a segment is not declared, 404 when the version is not published
 */
export function select(catalog: Catalog, newest: PublishedMetric, { from, to, version, exclude }: RangeAsked, segment: Segment): Selected {
  const metric = version === undefined ? newest : inVersion(catalog, newest, version);
  checkSegment(metric, segment);
  if (from !== undefined && to !== undefined && from > to)
    throw new Refusal(400, 'bad-query', `from: a day up to ${dayText(to)}, which is asked as to`, dayText(from));
  const { app, metric: name, version: asked, document, about, devices, schemas } = metric;
  return {
    metric: { app, metric: name, version: asked, document, about, devices, schemas },
    range: { ...(from !== undefined && { from }), ...(to !== undefined && { to }), ...(exclude && { exclude }), segment },
  };
}

/**
 * The candidates that are asked for; undefined for those of the collector.
 *
 * @throws {Refusal} 400 when the metric takes none
 */
export function candidatesAsked(
  { metric: { document } }: Selected,
  candidate: string | readonly string[] | undefined,
): readonly string[] | undefined {
  if (candidate === undefined) return undefined;
  if (takesCandidates(document)) return [...new Set([candidate].flat())];
  throw new Refusal(400, 'bad-query', 'candidate: of a text, a discover, or a joint question with a text, only', `a ${document.type}`);
}

/** Answers of lists in an association, at most: each is a column of the table, and 400 pairs are fitted jointly. */
const MOST_COLUMNS = 100;
const MOST_PAIRS = 400;

/** Refuses to decode a metric without strings. */
export function checkDecode({ metric: { document } }: Selected): void {
  if (!takesCandidates(document))
    throw new Refusal(400, 'bad-query', 'a text, a discover, or a joint question with a text', `a ${document.type}`);
}

/** Refuses to add up the answers of a metric that are no short list, or of which a device may give several. */
export function checkLater({ metric: { document } }: Selected): void {
  if (!hasLater(document))
    throw new Refusal(
      400,
      'bad-query',
      `orLater of a list of up to ${MOST_LATER} answers, of which a device gives one`,
      `a ${document.type}`,
    );
}

/**
 * Checks that a metric asks two things together.
 *
 * @throws {Refusal} 400 when it does not, or they have too many answers
 */
export function checkAssociation({ metric: { document } }: Selected): void {
  const size = sizeOf(document);
  if (size === undefined) throw new Refusal(400, 'bad-query', 'a joint question', `a ${document.type}`);
  const { columns, rows = 1 } = size;
  if (columns > MOST_COLUMNS) throw new Refusal(400, 'bad-query', `lists with at most ${MOST_COLUMNS} answers together`, `${columns}`);
  if (columns * rows > MOST_PAIRS)
    throw new Refusal(400, 'bad-query', `lists with at most ${MOST_PAIRS} pairs of answers`, `${columns * rows}`);
}

/** The true shares by label. They are known of all reports only, and in demonstrations only. */
export function truthOf(truth: Truth | undefined, { metric, range }: Selected, version: number | undefined): ReturnType<Truth> {
  const { from, to, exclude, segment = {} } = range;
  const isAll =
    from === undefined && to === undefined && exclude === undefined && version === undefined && Object.keys(segment).length === 0;
  return isAll ? truth?.(metric.app, metric.metric) : undefined;
}

/** Points of a series, at most. */
const MOST_POINTS = 1_000;

/**
 * The parts of a series: of the days that are asked for, those from the first to the last with reports.
 *
 * @throws {Refusal} 400 when there are too many
 */
export function partsOf({ metric, range }: Selected, totals: Totals, interval: Interval): readonly DayRange[] {
  const found = metric.schemas.flatMap((schema) => totals.get(totalKey(schema, metric.metric)) ?? []);
  if (found.length === 0) return [];
  const [first, last] = [Math.min(...found.map((total) => total.from)), Math.max(...found.map((total) => total.to))];
  // Days that are kept as months count in whole months only.
  const [least, most] = interval === 'month' ? [monthStart(first), nextMonth(last) - 1] : [first, last];
  const [from, to] = [Math.max(range.from ?? 0, least), Math.min(range.to ?? most, most)];
  const parts = partsIn({ from, to }, interval, MOST_POINTS);
  if (parts.length <= MOST_POINTS) return parts;
  throw new Refusal(
    400,
    'bad-query',
    `interval and days of at most ${MOST_POINTS} points`,
    `${interval} from ${dayText(from)} to ${dayText(to)}`,
  );
}

/** Two selections, and the words for their difference. */
export interface TwoSelected {
  readonly a: Selected;
  readonly b: Selected;
  readonly wording: Wording;
}

/** True if two sides differ in the value of one segment, and in nothing else. */
function areArms(a: Selected, b: Selected): boolean {
  const [ofA, ofB] = [a.range.segment ?? {}, b.range.segment ?? {}];
  const rest = ({ metric: { schemas }, range: { segment: _arm, ...days } }: Selected): string =>
    JSON.stringify([schemas, days, Object.keys(ofA).length]);
  const apart = Object.keys(ofA).filter((name) => ofA[name] !== ofB[name]);
  return (
    apart.length === 1 && apart.every((name) => name in ofB) && Object.keys(ofA).length === Object.keys(ofB).length && rest(a) === rest(b)
  );
}

/**
 * The two sides of a comparison. What is asked without a prefix holds for both sides, unless a side says otherwise.
 *
 * @throws {Refusal} 400 when both sides are the same, do not answer the same question, or are arms that differ in more than a segment
 */
export function selectTwo(
  catalog: Catalog,
  newest: PublishedMetric,
  asked: CompareAsked,
  [both = {}, ofA = {}, ofB = {}]: readonly Segment[],
): TwoSelected {
  const { from, to, version, exclude } = asked;
  const a = select(
    catalog,
    newest,
    {
      from: asked['a.from'] ?? from,
      to: asked['a.to'] ?? to,
      version: asked['a.version'] ?? version,
      exclude: asked['a.exclude'] ?? exclude,
    },
    { ...both, ...ofA },
  );
  const b = select(
    catalog,
    newest,
    {
      from: asked['b.from'] ?? from,
      to: asked['b.to'] ?? to,
      version: asked['b.version'] ?? version,
      exclude: asked['b.exclude'] ?? exclude,
    },
    { ...both, ...ofB },
  );
  const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
  const isSameGroup = isSame(a.metric.schemas, b.metric.schemas) && isSame(a.range.segment, b.range.segment);
  if (isSameGroup && isSame(a.range, b.range))
    throw new Refusal(400, 'bad-query', 'two sides that differ, such as a.to=2026-10-31 and b.from=2026-11-01', 'the same twice');
  if (a.metric.document.type !== b.metric.document.type)
    throw new Refusal(
      400,
      'bad-query',
      'versions that ask the same type of question',
      `a ${a.metric.document.type} and a ${b.metric.document.type}`,
    );
  if (asked.experiment && !areArms(a, b))
    throw new Refusal(400, 'bad-query', 'two arms: two values of one segment, on the same days and of the same version', 'other sides');
  return { a, b, wording: isSameGroup ? 'time' : 'group' };
}
