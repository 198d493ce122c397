/** A published metric as the list shows it. */

import {
  type About,
  answersOf,
  dayText,
  type Law,
  labelOf,
  type MetricDocument,
  type Range,
  rangeOf,
  type SchemaDocument,
} from '@murmuration/shared';
import { views } from '../estimation/questions.ts';
import type { Catalog, PublishedMetric } from '../schemas/catalog.ts';
import { otherwiseInWords } from '../schemas/compare.ts';
import type { MetricTotal, Store } from '../storage/store.ts';
import { type Outlook, outlookOf } from './outlook.ts';

/** A version of the schema whose reports of a metric can be asked for alone. */
interface MetricVersion {
  readonly version: number;
  readonly reports: number;
  readonly from: string;
  readonly to: string;
}

/** A metric in the answer of `GET /v1/metrics`. */
export interface MetricSummary
  extends About,
    Pick<MetricDocument, 'type' | 'epsilon' | 'every' | 'permanent'>,
    Pick<PublishedMetric, 'app' | 'metric' | 'version' | 'segments'> {
  readonly mechanism: Law['mechanism'];
  /** The least and the greatest answer of a number whose mean is estimated. */
  readonly range?: Range;
  /** The first of the answers of a list, by which people find a question. */
  readonly answers?: readonly string[];
  /** The answer that is reported for slots in which nothing was recorded, in words. */
  readonly otherwise?: string;
  /** Each device is asked only a random part of the schema's metrics. */
  readonly assign?: NonNullable<SchemaDocument['assign']>;
  readonly reports: number;
  /** The first and the last day with reports; null without any. */
  readonly from: string | null;
  readonly to: string | null;
  /** When the next error is reached; absent where it is small, or does not follow from the number of reports. */
  readonly outlook?: Outlook;
  /** The versions with reports that ask this type of question, oldest first. Those with another law are not in `reports`. */
  readonly versions: readonly MetricVersion[];
}

const lasts = new WeakMap<Totals, ReadonlyMap<string, number>>();

/** The last day with reports of each app. */
function lastDays(totals: Totals): ReadonlyMap<string, number> {
  const known = lasts.get(totals);
  if (known) return known;
  const days = new Map<string, number>();
  for (const { schema, to } of totals.values()) {
    const app = schema.slice(0, schema.indexOf('/'));
    days.set(app, Math.max(to, days.get(app) ?? to));
  }
  lasts.set(totals, days);
  return days;
}

/** Totals of a metric's reports. */
function totalOf(
  totals: Totals,
  { app, schemas, metric, document, about }: PublishedMetric,
): Pick<MetricSummary, 'reports' | 'from' | 'to' | 'outlook'> {
  const found = schemas.flatMap((schema) => totals.get(totalKey(schema, metric)) ?? []);
  if (found.length === 0) return { reports: 0, from: null, to: null };
  const [from, to] = [Math.min(...found.map((each) => each.from)), Math.max(...found.map((each) => each.to))];
  const last = lastDays(totals).get(app) ?? to;
  const reports = found.reduce((sum, each) => sum + each.reports, 0);
  const isOver = about.expires !== undefined && about.expires <= dayText(last);
  const outlook = isOver ? undefined : outlookOf(document, { reports, from, to, last });
  return { reports, from: dayText(from), to: dayText(to), ...(outlook && { outlook }) };
}

/** More answers of a list than these are not in the list of metrics. */
const MOST_ANSWERS = 32;

const known = new WeakMap<MetricDocument, readonly string[]>();

/** The answers of a list, and the options that stand for them. */
function answersIn(document: MetricDocument): readonly string[] {
  let answers = known.get(document);
  if (answers === undefined) {
    const listed = views[document.type] === 'list' ? (answersOf(document) ?? []) : [];
    answers = [...('options' in document ? document.options : []), ...listed.slice(0, MOST_ANSWERS).map(labelOf)].slice(0, MOST_ANSWERS);
    known.set(document, answers);
  }
  return answers;
}

function versionsOf({ app, metric, document }: PublishedMetric, schemas: Catalog['schemas'], totals: Totals): readonly MetricVersion[] {
  const found = [...schemas].flatMap(([wire, schema]): readonly MetricVersion[] => {
    if (schema.app !== app || !Object.hasOwn(schema.metrics, metric) || schema.metrics[metric]?.type !== document.type) return [];
    const total = totals.get(totalKey(wire, metric));
    if (total === undefined) return [];
    return [{ version: schema.version, reports: total.reports, from: dayText(total.from), to: dayText(total.to) }];
  });
  return found.sort((one, other) => one.version - other.version);
}

/** A metric of a catalog, and what its reports are in all. */
export function summaryOf(metric: PublishedMetric, schemas: Catalog['schemas'], totals: Totals): MetricSummary {
  const { type, law, epsilon, every, permanent, otherwise } = metric.document;
  const range = rangeOf(metric.document);
  const participation = {
    ...(otherwise !== undefined && { otherwise: otherwiseInWords(otherwise) }),
    ...(metric.assign && { assign: metric.assign }),
  };
  const answers = answersIn(metric.document);
  const asked = {
    type,
    mechanism: law.mechanism,
    epsilon,
    every,
    ...(range && { range }),
    ...(answers.length > 0 && { answers }),
    ...(permanent && { permanent }),
    ...participation,
  };
  const { app, metric: name, version, about, segments } = metric;
  const counted = { ...totalOf(totals, metric), versions: versionsOf(metric, schemas, totals) };
  return { app, metric: name, version, ...about, ...asked, ...counted, segments };
}

/*
 * The totals of all metrics, as fresh as a reader asks. Readers who come together share one reading, and readers who accept totals of a certain
 * age share them, so that many dashboards do not keep the store folding.
 */

/** Totals by metric and schema. */
export type Totals = ReadonlyMap<string, MetricTotal>;

/** The key of a total. */
export const totalKey = (schema: string, metric: string): string => `${schema} ${metric}`;

interface Reading {
  readonly began: number;
  readonly totals: Promise<Totals>;
}

/** Totals that were read; those of before if they are the same, so that what was made of them is not made again. */
function totalsOf(all: readonly MetricTotal[], before: Totals | undefined): Totals {
  const read = new Map(all.map((total) => [totalKey(total.schema, total.metric), total] as const));
  const isSame = before?.size === read.size && [...read].every(([key, { version }]) => before.get(key)?.version === version);
  return isSame ? before : read;
}

/** Reads totals that are at most this many milliseconds old. */
export type FreshTotals = (maxAge: number) => Promise<Totals>;

/** Creates the reader of a store's totals. */
export function createFreshTotals(store: Pick<Store, 'totals'>, now: () => number = () => performance.now()): FreshTotals {
  let last: Reading | undefined;
  let next: Promise<Totals> | undefined;
  let known: Totals | undefined;
  const read = (): Promise<Totals> => {
    const totals = store.totals().then((all) => {
      known = totalsOf(all, known);
      return known;
    });
    const reading: Reading = { began: now(), totals };
    last = reading;
    totals.catch(() => {
      if (last === reading) last = undefined;
    });
    return totals;
  };
  return (maxAge) => {
    if (last !== undefined && last.began >= now() - maxAge) return last.totals;
    // A reading that has begun may lack what was appended since, so those who come meanwhile share the next.
    next ??= (last?.totals ?? Promise.resolve()).then(
      () => {
        next = undefined;
        return read();
      },
      () => {
        next = undefined;
        return read();
      },
    );
    return next;
  };
}
