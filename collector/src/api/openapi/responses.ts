/** Common parts of the descriptions of all routes: JSON, and the refusals that readers meet, by status. */

import type { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { answers } from '../forms/answers.ts';

/** A body of JSON. */
export const json = (schema: z.ZodType): { readonly 'application/json': { readonly schema: z.ZodType } } => ({
  'application/json': { schema },
});

const WORDS = {
  '400': 'A parameter is wrong: what was expected, and what came.',
  '401': 'No access token, or one that is not valid.',
  '403': 'The reader has too small a role.',
  '404': 'There is no such metric or version.',
  '421': 'The Host is not a name of this collector.',
  '503': 'Too much waits. Ask again later.',
  '507': 'The disk of the collector is full.',
} as const;

/** Why readers get 429. */
export const TOO_MANY = 'Too many wrong tokens came from this address.';

/** Header with the time of the next try. */
export const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', required: true, schema: { type: 'integer', minimum: 1 } },
} as const;

/** A refusal. */
export const refused = (description: string): ZodOpenApiResponseObject => ({ description, content: json(answers.refusal) });

/** A refusal of those who come too often. */
export const delayed = (description: string): ZodOpenApiResponseObject => ({ ...refused(description), headers: RETRY_AFTER });

/** The answer to a reader, and the refusals that a route has besides those of every read. */
export const responsesOf = (schema: z.ZodType, more: readonly (keyof typeof WORDS)[]): ZodOpenApiResponsesObject => ({
  '200': { description: 'The answer.', content: json(schema) },
  ...Object.fromEntries((['401', '421', ...more] as const).map((status) => [status, refused(WORDS[status])])),
  '429': delayed(TOO_MANY),
});
