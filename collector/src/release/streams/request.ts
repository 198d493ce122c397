/** Requests to open and to ask streams, as plain JSON. The command and the API both make these. */

import { z } from 'zod';

/** The mechanisms, as `--mechanism` names them. */
export const MECHANISMS = ['median', 'weights'] as const;
export type MechanismName = (typeof MECHANISMS)[number];

/** Conditions on columns: reports with one of these values in each of them. */
export type Conditions = { readonly [column: string]: readonly string[] };

/** Request to open a stream. */
export interface StreamRequest {
  readonly app: string;
  /** First and last day, such as 2026-11-20. */
  readonly from: string;
  readonly to: string;
  /** Which reports the stream is about. */
  readonly where?: Conditions;
  /** Combinations of the values of these columns are the cells. Questions are conditions on them. */
  readonly columns: readonly string[];
  /** Cost of the whole stream for each device-day, as text so that it is exact. */
  readonly epsilon: string;
  /** How many questions can be asked. The error is stated for all of them together. */
  readonly queries: number;
  /** How many reports are expected, from an earlier answer or as a guess. The error is stated for them. */
  readonly about: number;
  /** How many of the questions may be hard; without it, as many as the promise needs that the stream lasts. */
  readonly hard?: number;
  /** Without it, that of the smaller stated error, if it is below that of noise for each cell. */
  readonly mechanism?: MechanismName;
}

/** More questions would fill the ledger. */
export const MOST_QUERIES = 10_000;
/** More reports than an app has. Median databases take no more than 2^32. */
export const MOST_ABOUT = 1_000_000_000;

const whole = (what: string, most: number) =>
  z
    .int({ error: `a whole number, ${what}` })
    .min(1, { error: `a whole number from 1, ${what}` })
    .max(most, { error: `a whole number up to ${most}, ${what}` })
    .meta({ description: `${what[0]?.toUpperCase()}${what.slice(1)}.` });

const day = z.string({ error: 'a day such as 2026-11-20' }).meta({ format: 'date', example: '2026-11-20' });

export const conditionsForm: z.ZodType<Conditions> = z.record(z.string(), z.array(z.string()), { error: 'lists of values by column' });

/** The form of a request. */
export const requestForm: z.ZodType<StreamRequest> = z
  .strictObject(
    {
      app: z.string({ error: 'the name of an app' }),
      from: day,
      to: day,
      where: conditionsForm.exactOptional().meta({ description: 'Only reports with one of these values in each column.' }),
      columns: z.array(z.string({ error: 'the name of a column' }), { error: 'a list of columns' }),
      epsilon: z.string({ error: 'text such as "0.1" or "1/3"' }).meta({ description: 'A decimal or a fraction, exact.' }),
      queries: whole('how many questions can be asked', MOST_QUERIES),
      about: whole('how many reports are expected', MOST_ABOUT),
      hard: whole('how many of the questions may be hard', MOST_QUERIES).exactOptional(),
      mechanism: z.enum(MECHANISMS, { error: `one of ${MECHANISMS.join(', ')}` }).exactOptional(),
    },
    { error: 'an object with app, from, to, columns, epsilon, queries and about' },
  )
  .meta({ id: 'StreamRequest' });
