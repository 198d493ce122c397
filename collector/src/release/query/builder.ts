/**
 * A typed builder of questions, in the manner of PINQ (McSherry 2009, "Privacy Integrated Queries"). A misspelt column or value does not
 * compile. It holds no data and no budget: what it builds is plain JSON, which the collector resolves, charges and answers.
 */

import type { Questions, Schema, Segments } from '@murmuration/shared';
import type { Measure, Question } from './question.ts';

/** The columns of a schema's table, each with its values. */
export type ColumnsOf<S> =
  S extends Schema<infer M extends Questions, infer G extends Segments>
    ? { readonly [name in keyof G & string]: G[name][number] } & { readonly metric: keyof M & string; readonly version: `${number}` }
    : never;

/** What a measurement spends for each device-day: `0.1` or `1/3`, as text so that it is exact. */
interface Spends {
  readonly epsilon: string;
}

/** Makes measurements of a table, or of a part of one. */
interface Measuring<C> {
  readonly count: (asked: Spends & { readonly groupBy?: readonly ((keyof C & string) | 'day')[] }) => Measure;
  /** Each value is first moved into `low` to `high`: without bounds, no noise would cover one report. */
  readonly sum: (column: keyof C & string, asked: Spends & { readonly low: number; readonly high: number }) => Measure;
  readonly median: (column: keyof C & string, asked: Spends) => Measure;
  readonly mostUsed: (column: keyof C & string, asked: Spends) => Measure;
  /** Reports by day. `rangeSum` takes sums over any range of days from the answer. */
  readonly days: (asked: Spends) => Measure;
  /** A synthetic table of at least two columns. `about` is how many reports are expected: the error is stated for it. */
  readonly synthetic: (columns: readonly ((keyof C & string) | 'day')[], asked: Spends & { readonly about: number }) => Measure;
  /** The share of reports with one of these values. `about` is how many reports are expected in each group. */
  readonly share: <K extends keyof C & string>(
    column: K,
    values: readonly C[K][],
    asked: Spends & { readonly about: number; readonly groupBy?: readonly ((keyof C & string) | 'day')[] },
  ) => Measure;
  /** How strongly two columns go together: Cramér's V, from 0 to 1. `about` is how many reports are expected. */
  readonly association: (
    one: (keyof C & string) | 'day',
    other: (keyof C & string) | 'day',
    asked: Spends & { readonly about: number },
  ) => Measure;
}

/** A table, or the rows of it that are left. */
export interface Queryable<C> {
  /** Only reports with one of these values. */
  readonly where: <K extends keyof C & string>(column: K, ...values: readonly C[K][]) => Queryable<C>;
  /** The rows of each value of a column. The parts are disjoint, so they cost what the costliest of them costs. */
  readonly partition: <K extends keyof C & string>(
    column: K,
    parts: { readonly [value in C[K] & string]?: (part: Measuring<C>) => readonly Measure[] },
  ) => Question;
  /** Measurements of the same rows. Their costs add up. */
  readonly ask: (measures: (rows: Measuring<C>) => readonly Measure[]) => Question;
}

const measuring: Measuring<{ readonly [column: string]: string }> = {
  count: ({ epsilon, groupBy = [] }) => ({ kind: 'count', epsilon, ...(groupBy.length > 0 && { groupBy }) }),
  sum: (column, { epsilon, low, high }) => ({ kind: 'sum', epsilon, column, low, high }),
  median: (column, { epsilon }) => ({ kind: 'median', epsilon, column }),
  mostUsed: (column, { epsilon }) => ({ kind: 'mostUsed', epsilon, column }),
  days: ({ epsilon }) => ({ kind: 'days', epsilon }),
  synthetic: (columns, { epsilon, about }) => ({ kind: 'synthetic', epsilon, columns, about }),
  share: (column, values, { epsilon, about, groupBy = [] }) => ({
    kind: 'share',
    epsilon,
    column,
    values,
    ...(groupBy.length > 0 && { groupBy }),
    about,
  }),
  association: (one, other, { epsilon, about }) => ({ kind: 'association', epsilon, columns: [one, other], about }),
};

type Base = Pick<Question, 'app' | 'from' | 'to'> & { readonly where: { readonly [column: string]: readonly string[] } };

/** What is made does not depend on the columns that compile. */
const measuringOf = <C>(): Measuring<C> => measuring as unknown as Measuring<C>;

const queryable = <C>(base: Base): Queryable<C> => ({
  where: (column, ...values) => {
    const before = base.where[column];
    const kept = before === undefined ? values : values.filter((value) => before.includes(value as string));
    return queryable({ ...base, where: { ...base.where, [column]: kept as readonly string[] } });
  },
  partition: (by, parts) => {
    const made = Object.entries(parts).map(([value, make]) => [value, (make as (part: Measuring<C>) => readonly Measure[])(measuringOf())]);
    return { ...base, partition: { by, parts: Object.fromEntries(made) } };
  },
  ask: (measures) => ({ ...base, measures: measures(measuringOf()) }),
});

/**
 * The table of an app's participation on the days from one to another.
 *
 * @example participation(schema, '2026-11-01', '2026-11-07').where('platform', 'web').ask((rows) => [rows.count({ epsilon: '0.1' })])
 */
export const participation = <S extends Schema>(schema: S, from: string, to: string): Queryable<ColumnsOf<S>> =>
  queryable({ app: schema.document.app, from, to, where: {} });
