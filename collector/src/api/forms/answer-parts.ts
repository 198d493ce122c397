/** Members that several answers of the read API have, as zod schemas, and the check that a schema and its type agree. */

import { z } from 'zod';
import type { AnswerEstimate, ExcludedDays } from '../../answers/estimates.ts';
import type { PageInfo } from '../../answers/packed-answer.ts';
import type { Verdict } from '../../answers/verdict.ts';
import type { Estimate, Interval } from '../../estimation/estimate.ts';
import { LOOKS, type Looks } from '../../estimation/statistics/looks.ts';
import type { Watch } from '../../estimation/watch/watch.ts';

// A compile-time check that a zod schema and a type agree. The types are declared beside what computes the values, because no room below
// imports `api`, and `z.infer` can't declare those of `api`: `isolatedDeclarations` takes no type of a constant whose type is inferred.

/** A type without `readonly`, its intersections merged. */
type Plain<T> = { -readonly [name in keyof T]: Plain<T[name]> };

type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** What a schema must be, besides itself: nothing if its values are those of `T`. */
export type Checked<S extends z.ZodType, T> =
  IsSame<Plain<z.output<S>>, Plain<T>> extends true ? unknown : { readonly expected: Plain<T>; readonly got: Plain<z.output<S>> };

/** The schema, as one of `T`. It compiles only if what it parses has the members of `T`, all and no others, of the same types. */
export const exactly = <T, S extends z.ZodType<T>>(schema: S & Checked<S, T>): z.ZodType<T> => schema;

/** An answer whose rows come in pages. */
export interface Paged {
  readonly page: PageInfo;
}

export const count: z.ZodInt = z.int().min(0);
export const day: z.ZodType<string | null> = z.iso.date().nullable().meta({ description: 'A day in UTC; null without reports.' });
export const excludedDays: z.ZodType<readonly ExcludedDays[]> = exactly(
  z
    .array(z.strictObject({ from: z.iso.date(), to: z.iso.date(), reports: count }))
    .meta({ description: 'Days that the question leaves out, with their reports. A day that is kept as a month takes its month with it.' }),
);
export const number: z.ZodNumber = z.number();

export const interval: { readonly [field in keyof Estimate]: z.ZodNumber } = {
  estimate: number.meta({ description: 'Unbiased, so it may lie below 0 or above 1.' }),
  standardError: number.min(0),
  low: number.meta({ description: 'The low end of the 95 % interval, which holds for one answer at one look.' }),
  high: number.meta({ description: 'The high end of that interval.' }),
};
export const ends: z.ZodType<Interval> = exactly(z.strictObject({ low: number, high: number }).meta({ id: 'Interval' }));
export const always: z.ZodExactOptional<z.ZodType<Interval>> = ends
  .exactOptional()
  .meta({ description: 'The 95 % interval that holds at every look. Present where verdicts do.' });
export const estimate: z.ZodType<Estimate> = exactly(z.strictObject(interval).meta({ id: 'Estimate' }));

const plain = z.union([z.string(), z.boolean()]);
export const answer: { readonly answer: z.ZodType<AnswerEstimate['answer']>; readonly label: z.ZodString } = {
  answer: z.union([plain, z.record(z.string(), plain)]).meta({ description: 'The answer; of a joint question, one to each part.' }),
  label: z.string(),
};

export const page: z.ZodType<PageInfo> = exactly(
  z
    .strictObject({ total: count.meta({ description: 'How many rows there are in all.' }), offset: count, limit: count })
    .meta({ id: 'Page' }),
);

export const about: { readonly [field in 'app' | 'metric' | 'type']: z.ZodString } & { readonly version: z.ZodInt } = {
  app: z.string(),
  metric: z.string(),
  version: count,
  type: z.string(),
};
export const watch: z.ZodType<Watch> = exactly(
  z.strictObject({
    pValue: number,
    cells: number.exactOptional(),
    fit: number.exactOptional(),
    answers: number.exactOptional(),
    cohorts: number.exactOptional(),
    ones: number.exactOptional(),
    perPercent: number.exactOptional(),
  }),
);

export const looks: z.ZodType<Looks> = z.enum(LOOKS).meta({ description: 'Whether it holds at every look, or at a single one.' });

export const verdict: z.ZodType<Verdict> = exactly(
  z
    .strictObject({
      kind: z.enum(['share', 'mean', 'median', 'lead', 'close', 'best', 'tied', 'noise', 'none']).meta({
        description:
          'share: of a flag’s yes. mean, median: of numbers. lead: the first answer is the most frequent one. close: the first answer and those that can’t be told from it; of strings, the found ones. best: the first option has the largest mean utility. tied: the first option and those that can’t be told from it. noise: no answer is told from 0. none: no verdict, for the reason.',
      }),
      looks: looks.exactOptional(),
      answers: z.array(z.string()).readonly().meta({ description: 'The labels of the answers or options that it names, largest first.' }),
      interval: ends
        .exactOptional()
        .meta({ description: 'Of the first answer, of the mean utility of the first option, or of the number.' }),
      reason: z.string().exactOptional(),
    })
    .meta({ id: 'Verdict', description: 'What may be said about the answers as a whole. It is wrong at most 1 time in 20.' }),
);
