/** The routes of metrics and estimates, as their OpenAPI description. */

import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { answers } from '../forms/answers.ts';
import { decodeAnswer } from '../forms/decode-answer.ts';
import {
  appParameters,
  associationParameters,
  compareParameters,
  decodeParameters,
  estimatesParameters,
  listParameters,
  othersParameters,
  seriesParameters,
} from '../forms/parameters.ts';
import { json, responsesOf } from './responses.ts';

const path = z.object({ name: z.string().meta({ description: 'The name of the metric.', example: 'plan' }) });

const segmentOf = (prefix: string, of: string) => ({
  in: 'query' as const,
  name: `${prefix}segment.{segment}`,
  description: `A value of a segment, such as ${prefix}segment.platform=web: only reports ${of} with this value.`,
  schema: { type: 'string' as const },
});

/** A route about the reports that one selection of days, version and segment takes in. */
const ofOneSelection = (query: z.ZodObject, answer: z.ZodType) => ({
  requestParams: { path, query },
  parameters: [segmentOf('', '')],
  responses: responsesOf(answer, ['400', '403', '404', '503']),
});

/** A route that compares two selections. */
const ofTwoSelections = (query: z.ZodObject, answer: z.ZodType) => ({
  ...ofOneSelection(query, answer),
  parameters: [segmentOf('', ''), segmentOf('a.', 'of a '), segmentOf('b.', 'of b ')],
});

export const metricsPaths: ZodOpenApiPathsObject = {
  '/v1/signs': {
    get: {
      operationId: 'signs',
      summary: 'Signs that reports are not what they seem: crafted, missing, or changed with a version',
      description: 'An app without such reports shows one in at most 1 % of months.',
      requestParams: { query: appParameters },
      responses: responsesOf(answers.signs, ['400', '403', '503']),
    },
  },
  '/v1/metrics': {
    get: {
      operationId: 'listMetrics',
      summary: 'The published metrics, and how many reports each has',
      description: 'With what counts where nothing was answered (`otherwise`), and whether devices are asked a random part (`assign`).',
      requestParams: { query: listParameters },
      responses: {
        ...responsesOf(answers.list, ['400', '403', '503']),
        '304': { description: 'The list is still the one whose `ETag` came as `If-None-Match`.' },
      },
    },
  },
  '/v1/metrics/{name}/estimates': {
    get: {
      operationId: 'estimates',
      summary: 'Each answer’s unbiased estimate with its standard error and 95 % interval, and a verdict on all of them',
      description: 'Lists also have `normSub` and `shrunk`. A text joined with lists has each candidate with each answer.',
      ...ofOneSelection(estimatesParameters, answers.estimates),
    },
  },
  '/v1/metrics/{name}/decode': {
    get: {
      operationId: 'decode',
      summary: 'Which strings are in the reports: those of a list, or for discover any; and what the whole distribution looks like',
      description:
        'Each string with its share, an interval that allows for the choice, a p- and a q-value. With `Accept: text/event-stream` the answer comes as server-sent events: progress, then answer or refusal.',
      requestParams: { path, query: decodeParameters },
      parameters: [segmentOf('', '')],
      responses: {
        ...responsesOf(decodeAnswer, ['400', '403', '404', '503']),
        '200': { description: 'The answer.', content: { ...json(decodeAnswer), 'text/event-stream': { schema: z.string() } } },
      },
    },
  },
  '/v1/metrics/{name}/series': {
    get: {
      operationId: 'series',
      summary: 'Estimates day by day, week by week or month by month, each with its change since the last point',
      description: 'For the `top` answers, and the mean of a number.',
      ...ofOneSelection(seriesParameters, answers.series),
    },
  },
  '/v1/metrics/{name}/association': {
    get: {
      operationId: 'association',
      summary:
        'For a joint question: the table of a text, or of the first list, with the other lists; its sums, and a test of independence',
      ...ofOneSelection(associationParameters, answers.association),
    },
  },
  '/v1/metrics/{name}/compare': {
    get: {
      operationId: 'compare',
      summary: 'The difference between two ranges of days, versions or segments, with its interval and a verdict',
      description: 'Parameters without a prefix hold for both sides. At least one must differ.',
      ...ofTwoSelections(compareParameters, answers.comparison),
    },
  },
  '/v1/metrics/{name}/others': {
    get: {
      operationId: 'others',
      summary: 'Which other metrics of the app differ between the same two selections, all of them judged together',
      description: 'At most 1 answer in 20 names one where nothing differs. It stops after ten seconds, and says what is left out.',
      ...ofTwoSelections(othersParameters, answers.others),
    },
  },
};
