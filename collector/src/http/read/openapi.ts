/** The OpenAPI 3.1 description of the read API, made from the zod schemas that the routes parse and that tests validate answers by. */

import { z } from 'zod';
import { createDocument, type ZodOpenApiContentObject, type ZodOpenApiPathItemObject, type ZodOpenApiResponsesObject } from 'zod-openapi';
import { answers } from './answers.ts';
import { decodeAnswer } from './decode-answer.ts';
import { decodeParameters } from './decode-parameters.ts';
import { compareParameters, estimatesParameters, listParameters, seriesParameters } from './parameters.ts';

/** The description: plain JSON. */
export type Description = ReturnType<typeof createDocument>;

const json = (schema: z.ZodType) => ({ 'application/json': { schema } });

const responsesOf = (schema: z.ZodType, isOfMetric: boolean, others: ZodOpenApiContentObject = {}): ZodOpenApiResponsesObject => ({
  '200': { description: 'The answer.', content: { ...json(schema), ...others } },
  '400': { description: 'A parameter is wrong: what was expected, and what came.', content: json(answers.refusal) },
  ...(isOfMetric && { '404': { description: 'There is no such metric or version.', content: json(answers.refusal) } }),
  '401': { description: 'No access token, or one that is not valid.', content: json(answers.refusal) },
  '503': { description: 'Too much waits. Ask again later.', content: json(answers.refusal) },
});

const path = z.object({ name: z.string().meta({ description: 'The name of the metric.', example: 'plan' }) });

const segmentOf = (prefix: string, of: string) => ({
  in: 'query' as const,
  name: `${prefix}segment.{segment}`,
  description: `A value of a segment, such as ${prefix}segment.platform=web: only reports ${of} with this value.`,
  schema: { type: 'string' as const },
});

const paths: { readonly [path: string]: ZodOpenApiPathItemObject } = {
  '/v1/metrics': {
    get: {
      operationId: 'listMetrics',
      summary: 'The published metrics, and how many reports each has',
      requestParams: { query: listParameters },
      responses: responsesOf(answers.list, false),
    },
  },
  '/v1/metrics/{name}/estimates': {
    get: {
      operationId: 'estimates',
      summary: 'Each answer’s estimate with its 95 % interval',
      requestParams: { path, query: estimatesParameters },
      parameters: [segmentOf('', '')],
      responses: responsesOf(answers.estimates, true),
    },
  },
  '/v1/metrics/{name}/decode': {
    get: {
      operationId: 'decode',
      summary: 'Which strings are in the reports of a text, and what the whole distribution looks like',
      description:
        'It may take a while. With Accept: text/event-stream the answer comes as server-sent events: progress, then answer or refusal.',
      requestParams: { path, query: decodeParameters },
      parameters: [segmentOf('', '')],
      responses: responsesOf(decodeAnswer, true, { 'text/event-stream': { schema: z.string() } }),
    },
  },
  '/v1/metrics/{name}/series': {
    get: {
      operationId: 'series',
      summary: 'Estimates day by day, week by week or month by month, each with its change',
      requestParams: { path, query: seriesParameters },
      parameters: [segmentOf('', '')],
      responses: responsesOf(answers.series, true),
    },
  },
  '/v1/metrics/{name}/compare': {
    get: {
      operationId: 'compare',
      summary: 'The difference between two ranges of days, versions or segments, with its interval and a verdict',
      description: 'Parameters without a prefix hold for both sides. At least one must differ.',
      requestParams: { path, query: compareParameters },
      parameters: [segmentOf('', ''), segmentOf('a.', 'of a '), segmentOf('b.', 'of b ')],
      responses: responsesOf(answers.comparison, true),
    },
  },
};

/** Describes the read API. */
export const describeApi = (): Description =>
  createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Murmuration',
      version: '1',
      description:
        'Reads what devices reported, as estimates with error bars. Every refusal is one line of JSON. A request with Cache-Control: max-age=N accepts an answer that is N seconds old.',
    },
    security: [{ token: [] }],
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'An access token. A collector that is open needs none.' } },
    },
    paths,
  });
