/** `GET /v1/plan`: the forecast of a new question, and of wishes for those that there are. Its forms as zod schemas, and its description. */

import { PERIOD_DAYS, type Period } from '@murmuration/shared';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { types } from '../../estimation/questions.ts';
import { CADENCES, type Forecast, type PlannedCadence } from '../../planning/plan/forecast.ts';
import type { PlanOf } from '../../planning/plan/plan-of.ts';
import { planned } from '../../planning/plan/question.ts';
import type { Wishes } from '../../planning/plan/wishes.ts';
import { count, exactly, number } from '../forms/answer-parts.ts';
import { exactParameters, type Parameters, whole } from '../forms/parameters.ts';
import { responsesOf } from './responses.ts';

/** Weeks after which a reader looks, at most: ten years. */
const MOST_AFTER = 520;
const MOST_WISHES = 1_000;

const DEVICES = 'a whole number from 1 to 9999999';

/** A share or an ε in a query. */
const decimal = (most: number, what: string) =>
  z
    .string({ error: what })
    .regex(/^(?=.*[1-9])\d{0,3}(?:\.\d{1,6})?$/, { error: what })
    .refine((text) => Number(text) <= most, { error: what })
    .transform(Number);

/** The least that a short number may be, so that no division leaves the range of doubles. */
const share = (description: string) =>
  decimal(0.999999, 'a share above 0 and below 1, such as 0.01').meta({ description, example: '0.01' });

const aWish = 'a metric and an error, such as plan:0.01';

/** A metric and its error. */
const wish = z.string({ error: aWish }).regex(/^[\w.-]{1,200}:0?\.\d{1,6}$/, { error: aWish });

/** The parameters of a plan. */
export interface PlanAsked {
  readonly app?: string | undefined;
  readonly type: Forecast['type'];
  readonly of?: string | undefined;
  readonly atMost: number;
  readonly epsilon: number;
  readonly every: PlannedCadence;
  readonly error: number;
  readonly share?: number | undefined;
  readonly devices?: number | undefined;
  readonly after: number;
  readonly name: string;
  readonly description: string;
  readonly wish?: string | readonly string[] | undefined;
}

export const planParameters: Parameters<PlanAsked> = exactParameters(
  z.strictObject({
    app: z.string().optional().meta({ description: 'The app, needed where there are several.' }),
    type: z
      .enum(planned as [Forecast['type']], { error: `one of ${planned.join(', ')}` })
      .meta({ description: 'The type of the question.' }),
    of: z.string().max(500).optional().meta({
      description:
        'What its answers are, as `murmuration plan` takes it: how many of a choice or of choices, the edges of a histogram, the ends of the range of a mean or a distribution, the most of a count, the sizes of a joint question, the bytes of a discover.',
      example: '8',
    }),
    atMost: whole(1, 64, 3, 'Of choices: how many of the answers one user can give.'),
    epsilon: decimal(16, 'an ε above 0, up to 16').prefault('1').meta({ description: 'The ε of one report.' }),
    every: z
      .enum(CADENCES, { error: `one of ${CADENCES.join(', ')}` })
      .default('month')
      .meta({ description: 'How often a device answers.' }),
    error: share('The wanted error: half a 95 % interval. Of a number, relative to its range.').prefault('0.01'),
    share: share('The share at which errors are stated. Default: one over the number of answers; of texts, 0.01.').optional(),
    devices: z
      .string({ error: DEVICES })
      .regex(/^[1-9]\d{0,6}$/, { error: DEVICES })
      .transform(Number)
      .optional()
      .meta({ description: 'How many devices answer in each slot. Default: as the reports of the app show.', example: '10000' }),
    after: whole(1, MOST_AFTER, 4, 'Weeks after which the reader looks.'),
    name: z
      .string()
      .regex(/^[a-zA-Z][\w.-]{0,99}$/, { error: 'a name of letters, digits, dots, hyphens and underscores' })
      .default('newQuestion')
      .meta({ description: 'The name of the metric. One that the schema has is planned anew.' }),
    description: z.string().max(300).default('Your question?').meta({ description: 'The question in words.' }),
    wish: z
      .union([wish, z.array(wish).max(MOST_WISHES)], { error: aWish })
      .optional()
      .meta({ description: 'A metric of the app and the error that is wished for it. May be given several times.', example: 'plan:0.01' }),
  }),
);

const reached = { weeks: count, reports: count, margin95: number };
const budgetPer = z.enum(Object.keys(PERIOD_DAYS) as [Period]);
const wanted = { error: number, share: number };

const wishes: z.ZodType<Wishes> = exactly(
  z.strictObject({
    devices: count,
    budget: z.strictObject({ epsilon: number, per: budgetPer }),
    metrics: z.array(
      z.strictObject({
        metric: z.string(),
        ...wanted,
        epsilon: number,
        needed: number.nullable().meta({ description: 'The least ε of one report that meets the wish; null when none does.' }),
        times: count.meta({ description: 'How often a window is charged with it.' }),
      }),
    ),
    others: number.meta({ description: 'What the questions without a wish are charged in a window.' }),
    needed: number.nullable().meta({ description: 'The smallest budget if all devices are asked everything.' }),
    isWithin: z.boolean(),
    shared: z
      .strictObject({ questions: count, of: count, charge: number, budget: number })
      .nullable()
      .meta({ description: 'The smallest budget if devices share the questions (`assign`), where every question has a wish.' }),
  }),
);

/** The form of the answer. */
const planAnswer: z.ZodType<PlanOf> = exactly(
  z
    .strictObject({
      app: z.string(),
      version: count,
      question: z.string(),
      type: z.enum(types),
      mechanism: z.string(),
      epsilon: number,
      every: z.enum(CADENCES),
      wanted: z.strictObject(wanted),
      tested: number.meta({ description: 'How many answers are tested together.' }),
      devices: count.meta({ description: 'Devices that answer in each slot.' }),
      asked: number.meta({ description: 'The share of them that is asked.' }),
      traffic: z
        .strictObject({ devices: count, metric: z.string() })
        .nullable()
        .meta({ description: 'How many devices answer in each slot, as a metric of the app shows; null without reports.' }),
      weeks: count.nullable().meta({ description: 'Weeks until the wanted error; null where ten years are not enough.' }),
      course: z.array(z.strictObject(reached)).meta({ description: 'The error after each week.' }),
      after: z.strictObject({
        ...reached,
        smallestShare: number.nullable().meta({ description: 'The smallest share that is told from 0; null where there is none.' }),
        epsilonForError: number.nullable().meta({ description: 'The least ε that reaches the wanted error by then.' }),
        devicesForError: count.nullable().meta({ description: 'The fewest devices with which the wanted error would be reached by then.' }),
        example: z
          .array(z.strictObject({ share: number, margin95: number }))
          .meta({ description: 'Shares as they may be, each with its error.' }),
      }),
      range: z.tuple([number, number]).readonly().exactOptional(),
      budget: z.strictObject({
        epsilon: number,
        per: budgetPer,
        before: number.meta({ description: 'What the other questions are charged in a window.' }),
        times: count,
        charge: number,
        fits: z.boolean(),
        isAssigned: z.boolean(),
        most: number.meta({ description: 'The largest ε of one report that fits.' }),
      }),
      line: z.string().meta({ description: 'The line of the schema.' }),
      wishes: wishes.exactOptional(),
    })
    .meta({ id: 'Plan' }),
);

export const planPaths: ZodOpenApiPathsObject = {
  '/v1/plan': {
    get: {
      operationId: 'plan',
      summary: 'A new question before anybody is asked: its error week by week, its cost, and its line of the schema',
      description: 'By the newest schema of the app and the traffic that its reports show. With `wish`, also the smallest budget.',
      requestParams: { query: planParameters },
      responses: responsesOf(planAnswer, ['400', '403', '404', '503']),
    },
  },
};
