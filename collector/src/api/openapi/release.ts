/** The routes of releases: their forms, and their OpenAPI description. */

import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import type { Answer, Preview } from '../../release/answer.ts';
import { UNITS, type Unit } from '../../release/budget/accounting.ts';
import type { ExpectedError } from '../../release/measures/measure.ts';
import { KINDS, type Measure } from '../../release/measures/table.ts';
import type { Measured } from '../../release/query/making.ts';
import { type Question, questionForm } from '../../release/query/question.ts';
import { exactly } from '../forms/answer-parts.ts';
import { json, refused, responsesOf } from './responses.ts';

// What the routes of releases take and answer, as zod schemas.

/** Bytes of a question's body. */
export const MOST_ASKED = 262_144;

/** A question, and whether a new answer is paid for where there is a stored one. */
export const askedForm: z.ZodType<{ readonly question: Question; readonly again?: boolean }> = exactly(
  z.strictObject(
    {
      question: questionForm,
      again: z
        .boolean({ error: 'true or false' })
        .exactOptional()
        .meta({ description: 'Pay for a new answer, even if there is a stored one.' }),
    },
    { error: 'an object with a question, and again where it is wanted' },
  ),
);

interface LimitText {
  readonly unit: Unit;
  readonly amount: string;
}

/** A table that releases are made of, as readers see it. */
export interface ReleaseTable {
  readonly app: string;
  readonly columns: readonly { readonly name: string; readonly values: readonly string[] }[];
  readonly colluders: number | 'all';
  readonly batchesPerDay: number;
  /** The most reports of one device-day. */
  readonly bound: number;
  readonly budgets: readonly { readonly analyst: string | null; readonly limit: LimitText | null; readonly spent: LimitText }[];
}

const amount = z.string().meta({ description: 'A decimal or a fraction, exact.' });
const cost = z.strictObject({ epsilon: amount.exactOptional().meta({ description: 'Absent where no ε covers the answer.' }), rho: amount });
const limit = z.strictObject({ unit: z.enum(UNITS), amount });
// The parts of stored questions are described in short: the forms of questions have all of them.
const measure = z.looseObject({
  kind: z.enum(KINDS),
  epsilon: amount.exactOptional(),
  rho: amount.exactOptional(),
}) as unknown as z.ZodType<Measure>;
const question = z.looseObject({ app: z.string(), from: z.iso.date(), to: z.iso.date() }) as unknown as z.ZodType<Question>;

const error: z.ZodType<ExpectedError> = exactly(
  z.strictObject({
    mechanism: z.string(),
    sensitivity: z.number().meta({ description: 'What one device-day can change.' }),
    standardDeviation: z.number().exactOptional(),
    within: z.number().meta({ description: 'With a probability of 95 %, the most by which the answer is off.' }),
    allWithin: z.number().exactOptional().meta({ description: 'The same for all numbers of the answer together.' }),
    ranges: z
      .strictObject({ mean: z.number(), worst: z.number() })
      .exactOptional()
      .meta({ description: 'Standard errors of sums over ranges of days: the root mean square over all ranges, and that of the worst.' }),
    blocks: z
      .strictObject({
        count: z.int().min(1),
        reports: z.int().min(0).meta({ description: 'Reports of each block, if as many come as are expected.' }),
        unrelated: z.number().meta({ description: 'A bound on the mean of what columns that are not related would show in such blocks.' }),
      })
      .exactOptional()
      .meta({ description: 'Of an association.' }),
  }),
);

const about = {
  question,
  bound: z.int().min(1).meta({ description: 'The most reports of one device-day among the rows.' }),
  days: z.int().min(1),
  cost: cost.meta({ description: 'For each device-day.' }),
  perDevice: cost.meta({ description: 'For a device that reports on all of the days.' }),
};

const result: z.ZodType<Measured> = exactly(
  z.strictObject({
    part: z.string().exactOptional(),
    measure,
    error,
    cells: z
      .array(
        z.strictObject({
          values: z.record(z.string(), z.string()),
          value: z.number(),
          standardError: z.number().exactOptional().meta({ description: 'Of a day.' }),
          low: z.number().exactOptional().meta({ description: 'Lower end of a share, with 95 %.' }),
          high: z.number().exactOptional().meta({ description: 'Upper end of a share, with 95 %.' }),
        }),
      )
      .exactOptional(),
    chosen: z.string().exactOptional(),
    design: z
      .union([
        z.strictObject({
          branches: z.int(),
          levels: z.int().min(1).meta({ description: '1 for a histogram.' }),
          variance: z.number().meta({ description: 'Of each noisy sum.' }),
        }),
        z.strictObject({
          factored: z.literal(true).meta({ description: 'Paid in ρ.' }),
          variance: z.number().meta({ description: 'The unit of the variances.' }),
        }),
      ])
      .exactOptional()
      .meta({ description: 'Of days: the tree of noisy sums that the days were computed from, or the factorization.' }),
    table: z
      .strictObject({
        mechanism: z.string(),
        total: z.number().meta({ description: 'The released number of reports.' }),
        within: z.number().meta({ description: 'With a probability of 95 %, the most by which any marginal is off, as it was measured.' }),
      })
      .exactOptional()
      .meta({ description: 'Of a synthetic table.' }),
  }),
);

const answer: z.ZodType<Answer> = exactly(
  z.strictObject({
    ...about,
    results: z.array(result),
    openDays: z.int().min(0).meta({ description: 'Days that could still take reports when the rows were read.' }),
    analyst: z.string(),
    entry: z.strictObject({ n: z.int().min(1), hash: z.string(), at: z.iso.datetime() }).meta({ description: 'Its place in the ledger.' }),
    isRepeated: z.boolean().meta({ description: 'Whether it was stored before, and so cost nothing.' }),
  }),
);

const table: z.ZodType<ReleaseTable> = exactly(
  z.strictObject({
    app: z.string(),
    columns: z.array(z.strictObject({ name: z.string(), values: z.array(z.string()) })),
    colluders: z.union([z.int().min(1), z.literal('all')]),
    batchesPerDay: z.int().min(1),
    bound: z.int().min(1),
    budgets: z.array(z.strictObject({ analyst: z.string().nullable(), limit: limit.nullable(), spent: limit })),
  }),
);

/** The answers by route. */
export const releaseAnswers: {
  readonly tables: z.ZodType;
  readonly answers: z.ZodType;
  readonly preview: z.ZodType<Preview>;
  readonly answer: z.ZodType<Answer>;
} = {
  tables: z.strictObject({ tables: z.array(table) }),
  answers: z.strictObject({ answers: z.array(answer) }),
  preview: exactly(
    z.strictObject({
      ...about,
      errors: z.array(z.strictObject({ part: z.string().exactOptional(), measure, error })),
      left: z.string().exactOptional().meta({ description: 'What the analyst may still spend on the days, such as ε 0.3.' }),
    }),
  ),
  answer,
};

const requestBody = { description: `At most ${MOST_ASKED} bytes.`, required: true, content: json(askedForm) };

const OF_BODIES = {
  '400': refused('The body is no JSON, or the question does not fit the table: what was expected, and what came.'),
  '413': refused('The body is too large.'),
  '415': refused('The content is not application/json.'),
} as const;

export const releasePaths: ZodOpenApiPathsObject = {
  '/v1/release/tables': {
    get: {
      operationId: 'releaseTables',
      summary: 'The tables of participation that have a budget: their columns, and what was spent',
      description: 'Readers see their own budget, reviewers and admins all of them.',
      responses: responsesOf(releaseAnswers.tables, ['503', '507']),
    },
  },
  '/v1/release/answers': {
    get: {
      operationId: 'releaseAnswers',
      summary: 'The answers that were released',
      description: 'Readers see their own, reviewers and admins those of all analysts.',
      responses: responsesOf(releaseAnswers.answers, ['503', '507']),
    },
  },
  '/v1/release/preview': {
    post: {
      operationId: 'releasePreview',
      summary: 'What a question would cost, and how far its answer would be off; spends nothing',
      requestBody,
      responses: { ...responsesOf(releaseAnswers.preview, ['503', '507']), ...OF_BODIES },
    },
  },
  '/v1/release/ask': {
    post: {
      operationId: 'releaseAsk',
      summary: 'Answers a question and charges for it; the same question of the same reader gets the stored answer and costs nothing',
      requestBody,
      description: 'With `Accept: text/csv`, an answer that is one table comes as CSV: all but a median and the most used value.',
      responses: {
        ...responsesOf(releaseAnswers.answer, ['503', '507']),
        '200': { description: 'The answer.', content: { ...json(releaseAnswers.answer), 'text/csv': { schema: { type: 'string' } } } },
        ...OF_BODIES,
        '403': refused('The question does not fit what is left of a budget, which is said. Nothing was spent.'),
        '409': refused('The ledger may have lost charges, as after a restore. An admin must look.'),
      },
    },
  },
};
