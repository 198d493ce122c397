/** Questions about a table of participation, as plain JSON. The builder (builder.ts), the command and the API all make one of these. */

import { z } from 'zod';
import { columnField } from '../measures/measure.ts';
import { KINDS, type Kind, kindOf, type Measure } from '../measures/table.ts';

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
