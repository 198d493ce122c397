/** The routes of releases, as their OpenAPI description. */

import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { askedForm, MOST_ASKED, releaseAnswers } from './release-answers.ts';
import { json, refused, responsesOf } from './responses.ts';

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
      description: 'With Accept: text/csv, an answer that is one table comes as CSV: all but a median and the most used value.',
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
