/** Questions about a table of participation, as plain JSON. The builder (builder.ts), the command and the API all make one of these. */

import { z } from 'zod';
import { checkNames } from './names.ts';

/** The number of reports; with `groupBy`, of each combination of values. */
export interface Count {
  readonly kind: 'count';
  readonly epsilon: string;
  readonly groupBy?: readonly string[];
}

/** The sum of a column of whole numbers over all reports. Each value is first moved into `low` to `high`. */
export interface Sum {
  readonly kind: 'sum';
  readonly epsilon: string;
  readonly column: string;
  readonly low: number;
  readonly high: number;
  readonly groupBy?: readonly string[];
}

/** The value of a numeric column that half of the reports lie below. */
export interface Median {
  readonly kind: 'median';
  readonly epsilon: string;
  readonly column: string;
}

/** The value of a column that most reports have. */
export interface MostUsed {
  readonly kind: 'mostUsed';
  readonly epsilon: string;
  readonly column: string;
}

/** The number of reports of each day, such that sums over any range of days err little, too (mechanisms/ranges.ts). */
interface Days {
  readonly kind: 'days';
  readonly epsilon: string;
}

/** A synthetic table over columns, which answers all marginals up to two of them (mechanisms/marginal-table.ts). */
export interface Synthetic {
  readonly kind: 'synthetic';
  readonly epsilon: string;
  readonly columns: readonly string[];
  /**
   * How many reports the analyst expects, from an earlier answer or as a guess. The error before anything is spent is stated for it. The
   * answer does not depend on it.
   */
  readonly about: number;
}

/**
 * The share of the reports that have one of some values in a column; with `groupBy`, in each combination of values. It is the quotient of two
 * numbers of disjoint rows, so it costs its ε once.
 */
export interface Share {
  readonly kind: 'share';
  readonly epsilon: string;
  readonly column: string;
  readonly values: readonly string[];
  readonly groupBy?: readonly string[];
  /** How many reports the analyst expects in each combination. The error is stated for it, and the answer does not depend on it. */
  readonly about: number;
}

/** How strongly two columns go together: Cramér's V, by sample and aggregate (mechanisms/sample-and-aggregate.ts). */
export interface Association {
  readonly kind: 'association';
  readonly epsilon: string;
  readonly columns: readonly string[];
  /** How many reports the analyst expects in all. */
  readonly about: number;
}

/** One measurement. `epsilon` is what it costs each device-day, as text so that it is exact: `0.1` or `1/3`. */
export type Measure = Count | Sum | Median | MostUsed | Days | Synthetic | Share | Association;

/** The kinds of measurements. */
export const KINDS: readonly Measure['kind'][] = ['count', 'sum', 'median', 'mostUsed', 'days', 'synthetic', 'share', 'association'];

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
  /** Only reports with one of these values in each column. */
  readonly where?: { readonly [column: string]: readonly string[] };
  readonly measures?: readonly Measure[];
  readonly partition?: Partition;
}

/** Measurements in a question, at most. */
const MOST = 1_000;

/** Reports that may be expected, at most. */
const MOST_ABOUT = 2 ** 32;

const epsilon = z.string({ error: 'a number above 0 as text, such as "0.1" or "1/3"' }).meta({
  description: 'What it costs each device-day: a decimal or a fraction, as text so that it is exact.',
  example: '0.1',
});
const column = z.string({ error: 'the name of a column' }).meta({ description: 'metric, version, or the name of a segment.' });
const groupBy = z.array(column, { error: 'a list of columns' }).exactOptional();
const columns = z.array(column, { error: 'a list of columns' });
const about = z
  .int({ error: 'a whole number, how many reports are expected' })
  .min(1, { error: 'a number of reports from 1' })
  .max(MOST_ABOUT, { error: `a number of reports up to ${MOST_ABOUT}` })
  .meta({ description: 'How many reports are expected. The error is stated for it, and the answer does not depend on it.' });
const whole = (description: string) => z.int({ error: 'a whole number' }).meta({ description });

const measure: z.ZodType<Measure> = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('count'), epsilon, groupBy }),
    z.strictObject({
      kind: z.literal('sum'),
      epsilon,
      column,
      low: whole('Values below count as this.'),
      high: whole('Values above count as this.'),
      groupBy,
    }),
    z.strictObject({ kind: z.literal('median'), epsilon, column }),
    z.strictObject({ kind: z.literal('mostUsed'), epsilon, column }),
    z.strictObject({ kind: z.literal('days'), epsilon }),
    z.strictObject({ kind: z.literal('synthetic'), epsilon, columns, about }),
    z.strictObject({
      kind: z.literal('share'),
      epsilon,
      column,
      values: z.array(z.string(), { error: 'a list of values' }).meta({ description: 'The share is that of reports with one of them.' }),
      groupBy,
      about,
    }),
    z.strictObject({ kind: z.literal('association'), epsilon, columns, about }),
  ],
  { error: `one of ${KINDS.join(', ')}` },
);

const measures = z.array(measure, { error: 'a list of measurements' }).max(MOST, { error: `at most ${MOST} measurements` });
const day = z.string({ error: 'a day such as 2026-11-20' }).meta({ format: 'date', example: '2026-11-20' });

/** The form of a question. */
export const questionForm: z.ZodType<Question> = z
  .strictObject(
    {
      app: z.string({ error: 'the name of an app' }),
      from: day,
      to: day,
      where: z
        .record(z.string(), z.array(z.string()), { error: 'lists of values by column' })
        .exactOptional()
        .meta({ description: 'Only reports with one of these values in each column.' }),
      measures: measures.exactOptional(),
      partition: z
        .strictObject({ by: column, parts: z.record(z.string(), measures) }, { error: 'a column `by`, and `parts` by its values' })
        .exactOptional()
        .meta({ description: 'Measurements of disjoint parts, by a value of the column `by`. They cost what the costliest part costs.' }),
    },
    { error: 'an object with app, from, to, and measures or a partition' },
  )
  .meta({ id: 'Question', description: 'It has either measures, whose costs add up, or a partition.' });

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
