/** Questions about a table of participation, as plain JSON: their form, and their builder. The command and the API make them, too. */

import type { Questions, Schema, Segments } from '@murmuration/shared';
import { z } from 'zod';
import { columnField } from '../measures/measure.ts';
import { type Builder, builder, KINDS, type Kind, kindOf, type Measure } from '../measures/table.ts';

/** Measurements of disjoint parts of a table. They cost what the costliest part costs. */
interface Partition {
  readonly by: string;
  /** The measurements of the part with each value. */
  readonly parts: { readonly [value: string]: readonly Measure[] };
}

/** A question. It has either `measures`, whose costs add up, or a `partition`. */
export interface Question {
  readonly app: string;
  /** First and last day, such as 2026-11-20. */
  readonly from: string;
  readonly to: string;
  /** Days whose reports are left out. */
  readonly exclude?: readonly string[];
  /** Only reports with one of these values in each column. */
  readonly where?: { readonly [column: string]: readonly string[] };
  readonly measures?: readonly Measure[];
  readonly partition?: Partition;
}

/** Measurements in a question, at most. */
const MOST = 1_000;

const forms = KINDS.map((kind) => kindOf(kind).form()) as unknown as readonly [z.ZodObject<{ kind: z.ZodLiteral<Kind> }>];
const measure = z.discriminatedUnion('kind', forms, { error: `one of ${KINDS.join(', ')}` }) as unknown as z.ZodType<Measure>;

const measures = z.array(measure, { error: 'a list of measurements' }).max(MOST, { error: `at most ${MOST} measurements` });
const day = z.string({ error: 'a day such as 2026-11-20' }).meta({ format: 'date', example: '2026-11-20' });

/** The form of a question. */
export const questionForm: z.ZodType<Question> = z
  .strictObject(
    {
      app: z.string({ error: 'the name of an app' }),
      from: day,
      to: day,
      exclude: z
        .array(day, { error: 'a list of days' })
        .exactOptional()
        .meta({ description: 'Days whose reports are left out. The question costs the same.' }),
      where: z
        .record(z.string(), z.array(z.string()), { error: 'lists of values by column' })
        .exactOptional()
        .meta({ description: 'Only reports with one of these values in each column.' }),
      measures: measures.exactOptional(),
      partition: z
        .strictObject({ by: columnField, parts: z.record(z.string(), measures) }, { error: 'a column `by`, and `parts` by its values' })
        .exactOptional()
        .meta({ description: 'Measurements of disjoint parts, by a value of the column `by`. They cost what the costliest part costs.' }),
    },
    { error: 'an object with app, from, to, and measures or a partition' },
  )
  .meta({ id: 'Question', description: 'It has either measures, whose costs add up, or a partition.' });

// Names in JSON that a form would leave out without a word. A condition that is left out asks, and charges, for more than was meant.

const DROPPED = '__proto__';

/** @throws {RangeError} when an object anywhere in it has a field that forms of records leave out */
export function checkNames(json: unknown): void {
  const waiting = [json];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, DROPPED)) throw new RangeError(`a question: expected names of columns and values, got ${DROPPED}`);
    for (const each of Object.values(value)) if (each !== undefined) waiting.push(each);
  }
}

/** Parses a question. @throws {RangeError} that says what was expected */
export function parseQuestion(json: unknown): Question {
  checkNames(json);
  const parsed = questionForm.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const expected =
    issue?.code === 'unrecognized_keys' ? `no fields of other names, got ${JSON.stringify(issue.keys).slice(0, 80)}` : `${issue?.message}`;
  throw new RangeError(`${issue?.path.join('.') || 'a question'}: expected ${expected}`);
}

/*
 * A typed builder of questions, in the manner of PINQ (McSherry 2009, "Privacy Integrated Queries"). A misspelt column or value does not
 * compile. It holds no data and no budget: what it builds is plain JSON, which the collector resolves, charges and answers.
 */

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

/** Builders for given columns: the values do not depend on the columns that compile. */
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
