/**
 * `POST /v1/reports` as its OpenAPI description. The parser of batches is written by hand, because it is the hot path; a test holds the
 * schema here and the parser against each other.
 */

import { type Batch, MAX_BODY_BYTES, MAX_REPORTS, REFUSALS } from '@murmuration/shared';
import { z } from 'zod';
import type { ZodOpenApiPathsObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { isTemporary, type RefusalBody } from '../../base/refusal.ts';
import { BATCH_ID } from '../../ingest/parse-batch.ts';
import { json, RETRY_AFTER, refused } from './responses.ts';

/** The form of a batch. What is `malformed` does not fit it. */
export const batch: z.ZodType<Batch> = z
  .strictObject({
    v: z.literal(1),
    schema: z.string().meta({ description: 'A published schema, as app/version/checksum.' }),
    day: z.iso.date().meta({ description: 'The day in UTC on which the reports were recorded.' }),
    batch: z.string().regex(BATCH_ID).meta({ description: '128 random bits. A batch that is sent again is counted once.' }),
    segment: z.record(z.string(), z.string()).exactOptional().meta({ description: 'A value of each segment of the schema.' }),
    reports: z
      .array(z.tuple([z.string(), z.string()]))
      .min(1)
      .max(MAX_REPORTS)
      .meta({ description: 'The name of a metric and its report as base64url, each.' }),
  })
  .meta({ id: 'Batch' });

type Code = keyof typeof REFUSALS;

/** The refusals of one status. */
function refusalsOf(status: number): ZodOpenApiResponseObject {
  const codes = (Object.keys(REFUSALS) as Code[]).filter((code) => REFUSALS[code] === status);
  const body: z.ZodType<RefusalBody> = z.strictObject({
    error: z.enum(codes),
    expected: z.string(),
    got: z.string(),
    stop: z.literal(true).exactOptional().meta({ description: 'The device answers no metric of this schema any more.' }),
  });
  return {
    description: `Nothing of the batch was counted: ${codes.join(', ')}.`,
    content: json(body),
    ...(isTemporary(status) && { headers: RETRY_AFTER }),
  };
}

const STATUSES: readonly number[] = [...new Set(Object.values(REFUSALS))];

export const reportsPaths: ZodOpenApiPathsObject = {
  '/v1/reports': {
    post: {
      operationId: 'sendReports',
      summary: 'Takes a batch of reports, and answers once it is on the disk',
      description: 'A refusal counts nothing. The type of the content is not looked at.',
      security: [{ key: [] }],
      requestBody: {
        description: `A batch as JSON, at most ${MAX_BODY_BYTES} bytes.`,
        required: true,
        content: json(batch),
      },
      responses: {
        '204': { description: 'The batch is counted, or was counted before.' },
        ...Object.fromEntries(STATUSES.map((status) => [`${status}`, refusalsOf(status)])),
        '500': refused('A failure of the collector. The device keeps the batch.'),
      },
    },
  },
};
