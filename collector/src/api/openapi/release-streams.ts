/** The routes of streams: what they take and answer, and their OpenAPI description. */

import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import type { StreamAnswered } from '../../release/streams/ask.ts';
import type { Opened } from '../../release/streams/open.ts';
import { type Conditions, conditionsForm, MECHANISMS, requestForm, type StreamRequest } from '../../release/streams/request.ts';
import type { Stream, StreamWithAnswers } from '../../release/streams/stream.ts';
import type { StreamPreview } from '../../release/streams/streams.ts';
import { exactly } from '../forms/answer-parts.ts';
import { MOST_ASKED } from './release.ts';
import { json, refused, responsesOf } from './responses.ts';

/** A stream to open. */
export const openForm: z.ZodType<{
  readonly stream: StreamRequest;
  readonly analysts?: readonly string[];
  readonly again?: boolean;
}> = exactly(
  z.strictObject(
    {
      stream: requestForm,
      analysts: z
        .array(z.string(), { error: 'a list of names' })
        .exactOptional()
        .meta({ description: 'Analysts who may ask, and are charged. Without it, the reader. An admin may name others.' }),
      again: z
        .boolean({ error: 'true or false' })
        .exactOptional()
        .meta({ description: 'Pay for another stream, even if there is the same one.' }),
    },
    { error: 'an object with a stream, and analysts or again where they are wanted' },
  ),
);

/** A question of a stream. */
export const questionForm: z.ZodType<{ readonly where?: Conditions }> = exactly(
  z.strictObject(
    { where: conditionsForm.exactOptional().meta({ description: 'Only reports with one of these values in each column.' }) },
    { error: 'an object with where, or an empty one' },
  ),
);

const amount = z.string().meta({ description: 'A decimal or a fraction, exact.' });
const cost = z.strictObject({ epsilon: amount.exactOptional(), rho: amount });
const conditions = z.record(z.string(), z.array(z.string()));
const entry = z
  .strictObject({ n: z.int().min(1), hash: z.string(), at: z.iso.datetime() })
  .meta({ description: 'Its place in the ledger.' });

const about = {
  app: z.string(),
  analysts: z.array(z.string()).meta({ description: 'Analysts who may ask. Each of them was charged, and the table once.' }),
  from: z.iso.date(),
  to: z.iso.date(),
  where: conditions,
  columns: z.array(z.strictObject({ name: z.string(), values: z.array(z.string()) })),
  epsilon: amount,
  queries: z.int().min(1).meta({ description: 'How many questions can be asked.' }),
  about: z.int().min(1).meta({ description: 'How many reports were expected.' }),
  bound: z.int().min(1).meta({ description: 'The most reports of one device-day.' }),
  days: z.int().min(1),
  cost: cost.meta({ description: 'For each device-day.' }),
  perDevice: cost.meta({ description: 'For a device that reports on all of the days.' }),
  mechanism: z.enum(MECHANISMS),
  records: z.int().exactOptional().meta({ description: 'Of the databases that the median mechanism enumerates.' }),
  hard: z.int().min(1).meta({ description: 'How many of the questions may be hard.' }),
  lasts: z.boolean().meta({ description: 'Whether that is promised to be enough, if there are at most `about` reports.' }),
  within: z.number().meta({ description: 'With a probability of 95 %, the most by which any of the answers is off.' }),
  cellNoise: z.number().meta({ description: 'The same if each cell had noise of its own.' }),
};

const stream = {
  ...about,
  total: z.int().min(1).meta({ description: 'The released number of reports.' }),
  openDays: z.int().min(0).meta({ description: 'Days that could still take reports when the rows were read. Later ones are not counted.' }),
  stream: z.int().min(1).meta({ description: 'Its number.' }),
  entry,
  answered: z.int().min(0),
  hardLeft: z.int().min(0),
  ended: z.string().exactOptional().meta({ description: 'Why it answers no new questions. Missing while it does.' }),
};

const answer = {
  stream: z.int().min(1),
  where: conditions.meta({ description: 'Only columns that are restricted, with the values that were asked for.' }),
  value: z.int(),
  kind: z.enum(['easy', 'hard']).meta({ description: 'Easy answers follow from earlier ones. Hard ones have noise of their own.' }),
  analyst: z.string().meta({ description: 'Who asked first.' }),
  entry,
};

const isRepeated = z.boolean().meta({ description: 'Whether it was there before, and so cost nothing.' });

/** The answers by route. */
export const streamAnswers: {
  readonly list: z.ZodType<{ readonly streams: readonly Stream[] }>;
  readonly show: z.ZodType<StreamWithAnswers>;
  readonly preview: z.ZodType<StreamPreview>;
  readonly opened: z.ZodType<Opened>;
  readonly answered: z.ZodType<StreamAnswered>;
  readonly closed: z.ZodType<Stream>;
} = {
  list: exactly(z.strictObject({ streams: z.array(z.strictObject(stream)) })),
  show: exactly(z.strictObject({ ...stream, answers: z.array(z.strictObject(answer)) })),
  preview: exactly(
    z.strictObject({
      ...about,
      left: z.string().exactOptional().meta({ description: 'What is left of all budgets that it would be charged to, such as ε 0.3.' }),
    }),
  ),
  opened: exactly(z.strictObject({ ...stream, isRepeated })),
  answered: exactly(
    z.strictObject({
      ...answer,
      isRepeated,
      within: about.within,
      hardLeft: stream.hardLeft,
      questionsLeft: z.int().min(0),
    }),
  ),
  closed: exactly(z.strictObject(stream)),
};

const requestBody = (form: z.ZodType) => ({ description: `At most ${MOST_ASKED} bytes.`, required: true, content: json(form) });
const requestParams = { path: z.object({ stream: z.string().meta({ description: 'The number of a stream.' }) }) };

const OF_BODIES = {
  '400': refused('The body is no JSON, or does not fit the table or the stream: what was expected, and what came.'),
  '413': refused('The body is too large.'),
  '415': refused('The content is not application/json.'),
} as const;
const NO_STREAM = refused('The number is not that of a stream that the reader may see.');
const IN_DOUBT = 'The ledger may have lost entries, as after a restore. An admin must look.';
const USUAL = ['503', '507'] as const;

export const streamPaths: ZodOpenApiPathsObject = {
  '/v1/release/streams': {
    get: {
      operationId: 'releaseStreams',
      summary: 'The streams of questions',
      description: 'Readers see those that they may ask, reviewers and admins all of them.',
      responses: responsesOf(streamAnswers.list, [...USUAL]),
    },
    post: {
      operationId: 'releaseStreamOpen',
      summary: 'Opens a stream of questions, and charges each of its analysts and the table once; the same one that is open costs nothing',
      requestBody: requestBody(openForm),
      responses: {
        ...responsesOf(streamAnswers.opened, [...USUAL]),
        ...OF_BODIES,
        '403': refused('It does not fit what is left of a budget, which is said, or it would charge others. Nothing was spent.'),
        '409': refused(IN_DOUBT),
      },
    },
  },
  '/v1/release/streams/preview': {
    post: {
      operationId: 'releaseStreamPreview',
      summary: 'What a stream would cost, and the error that it would state; spends nothing',
      requestBody: requestBody(openForm),
      responses: { ...responsesOf(streamAnswers.preview, [...USUAL]), ...OF_BODIES, '403': refused('It would charge others.') },
    },
  },
  '/v1/release/streams/{stream}': {
    get: {
      operationId: 'releaseStream',
      summary: 'A stream with its answers',
      requestParams: {
        ...requestParams,
        query: z.object({ newest: z.string().exactOptional().meta({ description: 'Only so many answers, the newest. All without it.' }) }),
      },
      responses: {
        ...responsesOf(streamAnswers.show, [...USUAL]),
        '400': refused('The number of the stream or of its answers is none, or not one that the reader may see.'),
      },
    },
  },
  '/v1/release/streams/{stream}/ask': {
    post: {
      operationId: 'releaseStreamAsk',
      summary: 'Answers a question of a stream; the same question of any of its analysts gets the stored answer',
      requestParams,
      requestBody: requestBody(questionForm),
      responses: {
        ...responsesOf(streamAnswers.answered, [...USUAL]),
        ...OF_BODIES,
        '409': refused(`The stream answers no new questions, and why. Or: ${IN_DOUBT}`),
      },
    },
  },
  '/v1/release/streams/{stream}/close': {
    post: {
      operationId: 'releaseStreamClose',
      summary: 'Ends a stream, and deletes its counts and its threshold; its answers stay',
      requestParams,
      responses: {
        ...responsesOf(streamAnswers.closed, [...USUAL]),
        '400': NO_STREAM,
        '403': refused('Others have paid for the stream, and the reader is no admin.'),
        '409': refused(`The stream has ended already. Or: ${IN_DOUBT}`),
      },
    },
  },
};
