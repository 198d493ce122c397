/** The parameters of the read API, as zod schemas: the routes parse with them, and the OpenAPI description is made from them. */

import { parseDay } from '@murmuration/shared';
import { z } from 'zod';
import type { Page } from '../../answers/packed-answer.ts';
import { INTERVALS, type Interval } from '../../answers/series.ts';
import { parseDays, SOME_DAYS } from '../../base/days.ts';
import { Refusal } from '../../base/refusal.ts';
import { AMONG, type Among } from '../../estimation/estimate.ts';
import { LOOKS, type Looks } from '../../estimation/statistics/looks.ts';
import type { Checked } from './answer-parts.ts';

/** Rows of an answer, unless the reader asks for another number. */
const USUAL_LIMIT = 1_000;
const MOST_ROWS = 100_000;
/** Candidates in one request. */
const MOST_CANDIDATES = 1_000;

/** A schema of parameters with its values after parsing. */
export type Parameters<T> = z.ZodObject & z.ZodType<T>;

/** The schema, as one of the parameters `T`, if both agree (answer-parts.ts). */
export const exactParameters = <T, S extends Parameters<T>>(schema: S & Checked<S, T>): Parameters<T> => schema;

/** Which reports are meant: days since 1970-01-01, and the version of the schema. */
export interface RangeAsked {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly version?: number | undefined;
  /** Days that are left out. */
  readonly exclude?: readonly number[] | undefined;
}

/** The parameters of estimates. */
export interface EstimatesAsked extends RangeAsked, Page {
  readonly app?: string | undefined;
  readonly candidate?: string | readonly string[] | undefined;
  readonly ranges?: string | undefined;
  readonly quantiles?: string | undefined;
  readonly among?: Among | undefined;
  readonly looks?: Looks | undefined;
  readonly together: boolean;
  readonly orLater: boolean;
}

/** The parameters of a series. */
export interface SeriesAsked extends RangeAsked, Page {
  readonly app?: string | undefined;
  readonly interval: Interval;
  readonly top: number;
  readonly candidate?: string | readonly string[] | undefined;
  readonly among?: Among | undefined;
  readonly looks?: Looks | undefined;
}

/** The parameters of an association. */
export type AssociationAsked = Omit<EstimatesAsked, 'ranges' | 'quantiles' | 'looks' | 'together' | 'orLater'>;

/** The parameters of a comparison: those of both sides, and of each. */
export interface CompareAsked extends RangeAsked, Page {
  readonly app?: string | undefined;
  readonly 'a.from'?: number | undefined;
  readonly 'a.to'?: number | undefined;
  readonly 'a.version'?: number | undefined;
  readonly 'a.exclude'?: readonly number[] | undefined;
  readonly 'b.from'?: number | undefined;
  readonly 'b.to'?: number | undefined;
  readonly 'b.version'?: number | undefined;
  readonly 'b.exclude'?: readonly number[] | undefined;
  readonly candidate?: string | readonly string[] | undefined;
  readonly among?: Among | undefined;
  readonly looks?: Looks | undefined;
  readonly experiment: boolean;
}

const dayOf = (description: string) =>
  z
    .string()
    .transform((text, context) => {
      const number = parseDay(text);
      if (number === undefined) context.addIssue({ code: 'custom', message: 'a day such as 2026-11-20', input: text });
      return number as number;
    })
    .optional()
    .meta({ description, format: 'date', example: '2026-11-20' });

const excludeOf = (description: string) =>
  z
    .string()
    .transform((text, context) => {
      const days = parseDays(text);
      if (days === undefined) context.addIssue({ code: 'custom', message: SOME_DAYS, input: text });
      return days as readonly number[];
    })
    .optional()
    .meta({ description, example: '2026-11-08,2026-11-09' });

/** A whole number in a query. */
export function whole(least: number, most: number, usual: number, description: string): z.ZodType<number, string | undefined> {
  const tooMany = `a whole number from ${least} to ${most}`;
  return z
    .string({ error: tooMany })
    .regex(/^\d{1,7}$/, { error: tooMany })
    .refine((text) => Number(text) >= least && Number(text) <= most, { error: tooMany })
    .default(`${usual}`)
    .transform(Number)
    .meta({ description });
}

const pageParameters: { readonly [name in keyof Page]: z.ZodType<number> } = {
  limit: whole(1, MOST_ROWS, USUAL_LIMIT, `The most rows to send, up to ${MOST_ROWS}.`),
  offset: whole(0, 9_999_999, 0, 'How many rows to leave out before the first.'),
};

const version = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, { error: 'the version of a published schema' })
  .transform(Number)
  .optional()
  .meta({ description: 'Only reports of this version of the schema. Default: the newest, with older ones that ask by the same law.' });

/** Which reports are meant. Segments are chosen with `segment.<name>=<value>` besides. */
const rangeParameters = {
  from: dayOf('The first day.'),
  to: dayOf('The last day.'),
  exclude: excludeOf('Days to leave out, separated by commas. A day that is kept as a month takes its month with it.'),
  version,
};

const app = z.string().optional().meta({ description: 'The app, needed where several have a metric of this name.' });
const among = z
  .enum(AMONG, { error: `one of ${AMONG.join(', ')}` })
  .optional()
  .meta({ description: 'Whom intervals are about: all users (the default), or only the devices that reported.' });
const looks = z
  .enum(LOOKS, { error: `one of ${LOOKS.join(', ')}` })
  .optional()
  .meta({
    description:
      'Whether verdicts hold at every look while reports arrive (the default), or at a single one. Where from is given, always says that it stays the same at every look; without looks there is no verdict then.',
  });
const yesOrNo = (description: string): z.ZodType<boolean, 'true' | 'false' | undefined> =>
  z
    .enum(['true', 'false'], { error: 'true or false' })
    .default('false')
    .transform((text) => text === 'true')
    .meta({ description });
const tooMany = `at most ${MOST_CANDIDATES} strings`;
const candidate = z
  .union([z.string(), z.array(z.string()).max(MOST_CANDIDATES)], { error: tooMany })
  .optional()
  .meta({ description: 'A string to look for in a text. May be given several times. Default: the candidates of the collector.' });

/** The parameters of signs and of annotations. */
export interface AppAsked {
  readonly app?: string | undefined;
}

export const appParameters: Parameters<AppAsked> = exactParameters(
  z.strictObject({ app: z.string().optional().meta({ description: 'Only those of this app.' }) }),
);

/** Of routes that take none. */
export const noParameters: Parameters<object> = z.strictObject({});

export const listParameters: Parameters<Page> = exactParameters(z.strictObject(pageParameters));

export const estimatesParameters: Parameters<EstimatesAsked> = exactParameters(
  z.strictObject({
    app,
    ...rangeParameters,
    candidate,
    ranges: z.string().optional().meta({ description: 'For a distribution: ranges whose shares are asked for.', example: '0..10,20..30' }),
    quantiles: z.string().optional().meta({ description: 'For a distribution: levels above 0 and below 1.', example: '0.5,0.9' }),
    among,
    looks,
    together: yesOrNo('Whether each answer also gets an interval such that all of them hold together, 95 % of the time.'),
    orLater: yesOrNo('For a list of which a device gives one answer: whether each also gets the share of it and all later ones.'),
    ...pageParameters,
  }),
);

export const associationParameters: Parameters<AssociationAsked> = exactParameters(
  z.strictObject({
    app,
    ...rangeParameters,
    candidate,
    among,
    ...pageParameters,
  }),
);

export const seriesParameters: Parameters<SeriesAsked> = exactParameters(
  z.strictObject({
    app,
    interval: z
      .enum(INTERVALS, { error: `one of ${INTERVALS.join(', ')}` })
      .default('day')
      .meta({ description: 'The length of a point. Weeks begin on Monday, months on the first.' }),
    ...rangeParameters,
    candidate,
    top: whole(1, 100, 10, 'How many answers to follow: those that are largest over the whole range.'),
    among,
    looks,
    ...pageParameters,
  }),
);

/** What is asked of both sides, and of each. */
const compared = {
  app,
  ...rangeParameters,
  'a.from': dayOf('The first day of a.'),
  'a.to': dayOf('The last day of a.'),
  'a.version': version,
  'a.exclude': excludeOf('Days to leave out of a.'),
  'b.from': dayOf('The first day of b.'),
  'b.to': dayOf('The last day of b.'),
  'b.version': version,
  'b.exclude': excludeOf('Days to leave out of b.'),
  among,
  looks,
  experiment: yesOrNo(
    'Whether the sides are arms that each device drew by an even coin: then their numbers of reports are tested, and nothing is told where a coin does not give them.',
  ),
};

export const compareParameters: Parameters<CompareAsked> = exactParameters(z.strictObject({ ...compared, candidate, ...pageParameters }));

/** The parameters of a comparison of the other metrics. */
export type OthersAsked = Omit<CompareAsked, 'candidate' | 'limit' | 'offset'>;

export const othersParameters: Parameters<OthersAsked> = exactParameters(z.strictObject(compared));

/** Throws the first mistake that zod found, as one line. */
function refuse(tooMany: z.ZodError, parameters: object): never {
  const [issue] = tooMany.issues;
  // What is expected is logged, so it has none of the words that came: names of parameters, above all.
  const expected =
    issue?.code === 'unrecognized_keys' ? 'no parameters of other names' : `${issue?.path.join('.') || 'parameters'}: ${issue?.message}`;
  throw new Refusal(400, 'bad-query', expected.slice(0, 200), JSON.stringify(parameters).slice(0, 200));
}

/** The values by segment. */
export type Segment = { readonly [name: string]: string };

/** Parsed request: the parameters, and the segments of each prefix. */
export interface Parsed<T> {
  readonly rest: T;
  readonly segments: readonly Segment[];
}

/** Splits `<prefix>segment.<name>=<value>` from the other parameters, and parses those. */
export function parseQuery<T>(schema: z.ZodType<T>, parameters: object, prefixes: readonly string[] = ['']): Parsed<T> {
  const starts = prefixes.map((prefix) => `${prefix}segment.`);
  const entries = Object.entries(parameters as { readonly [key: string]: unknown });
  const startOf = (key: string): string | undefined => starts.find((start) => key.startsWith(start));
  const parsed = schema.safeParse(Object.fromEntries(entries.filter(([key]) => startOf(key) === undefined)));
  if (!parsed.success) refuse(parsed.error, parameters);
  const segments = starts.map((start): Segment => {
    const own = entries.filter(([key]) => startOf(key) === start);
    return Object.fromEntries(own.map(([key, value]) => [key.slice(start.length), String(value)]));
  });
  return { rest: parsed.data, segments };
}

// The parameters of a decode, as a zod schema, and its answer.

/** The share of false strings among the found ones that is usual. */
const USUAL_FDR = '0.05';

/** Request for a decode. */
export interface DecodeAsked extends RangeAsked, Page {
  readonly app?: string | undefined;
  readonly candidate?: string | readonly string[] | undefined;
  readonly fdr: number;
  readonly all: boolean;
  readonly looks?: Looks | undefined;
}

const aShare = 'a share above 0 and below 1, such as 0.05';

export const decodeParameters: Parameters<DecodeAsked> = z.strictObject({
  app,
  ...rangeParameters,
  candidate,
  fdr: z
    .string({ error: aShare })
    .regex(/^0?\.\d{1,9}$/, { error: aShare })
    .refine((text) => Number(text) > 0, { error: aShare })
    .default(USUAL_FDR)
    .transform(Number)
    .meta({ description: 'The false discovery rate: of the strings that are found, at most this share are not there, on average.' }),
  looks,
  all: yesOrNo('Whether candidates that are not told apart from chance are sent, too, after those that are.'),
  ...pageParameters,
});
