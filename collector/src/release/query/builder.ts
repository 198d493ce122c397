/**
 * A typed builder of questions, in the manner of PINQ (McSherry 2009, "Privacy Integrated Queries"). A misspelt column or value does not
 * compile. It holds no data and no budget: what it builds is plain JSON, which the collector resolves, charges and answers.
 */

import type { Questions, Schema, Segments } from '@murmuration/shared';
import { type Builder, builder, type Measure } from '../measures/table.ts';
import type { Question } from './question.ts';

/** The columns of a schema's table, each with its values. */
export type ColumnsOf<S> =
  S extends Schema<infer M extends Questions, infer G extends Segments>
    ? { readonly [name in keyof G & string]: G[name][number] } & { readonly metric: keyof M & string; readonly version: `${number}` }
    : never;

/** A table, or the rows of it that are left. */
export interface Queryable<C> {
  /** Only reports with one of these values. */
  readonly where: <K extends keyof C & string>(column: K, ...values: readonly C[K][]) => Queryable<C>;
  /** The rows of each value of a column. The parts are disjoint, so they cost what the costliest of them costs. */
  readonly partition: <K extends keyof C & string>(
    column: K,
    parts: { readonly [value in C[K] & string]?: (part: Builder<C>) => readonly Measure[] },
  ) => Question;
  /** Measurements of the same rows. Their costs add up. */
  readonly ask: (measures: (rows: Builder<C>) => readonly Measure[]) => Question;
}

type Base = Pick<Question, 'app' | 'from' | 'to'> & { readonly where: { readonly [column: string]: readonly string[] } };

/** What is made does not depend on the columns that compile. */
const builderOf = <C>(): Builder<C> => builder as unknown as Builder<C>;

const queryable = <C>(base: Base): Queryable<C> => ({
  where: (column, ...values) => {
    const before = base.where[column];
    const kept = before === undefined ? values : values.filter((value) => before.includes(value as string));
    return queryable({ ...base, where: { ...base.where, [column]: kept as readonly string[] } });
  },
  partition: (by, parts) => {
    const made = Object.entries(parts).map(([value, make]) => [value, (make as (part: Builder<C>) => readonly Measure[])(builderOf())]);
    return { ...base, partition: { by, parts: Object.fromEntries(made) } };
  },
  ask: (measures) => ({ ...base, measures: measures(builderOf()) }),
});

/**
 * The table of an app's participation on the days from one to another.
 *
 * @example participation(schema, '2026-11-01', '2026-11-07').where('platform', 'web').ask((rows) => [rows.count({ epsilon: '0.1' })])
 */
export const participation = <S extends Schema>(schema: S, from: string, to: string): Queryable<ColumnsOf<S>> =>
  queryable({ app: schema.document.app, from, to, where: {} });
