/** `/v1/relay` as its OpenAPI description: messages of Oblivious HTTP. */

import { KEYS_TYPE, MAX_BODY_BYTES, REQUEST_TYPE, RESPONSE_TYPE } from '@murmuration/shared';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { RETRY_AFTER, refused } from './responses.ts';

const bytes = (type: string) => ({ [type]: { schema: { type: 'string', format: 'binary' } as const } });

export const relayPaths: ZodOpenApiPathsObject = {
  '/v1/relay': {
    get: {
      operationId: 'relayKeys',
      summary: 'The key configuration for messages through a relay',
      description: 'As RFC 9458 says. Apps have it built in.',
      security: [],
      responses: {
        '200': { description: 'The newest key.', content: bytes(KEYS_TYPE) },
        '404': refused('The collector has no --relay-keys.'),
      },
    },
    post: {
      operationId: 'sendMessage',
      summary: 'Takes a message from a relay, with a request to send a batch in it',
      description: 'As RFC 9458 says. The answer to the request is in the message that answers this one.',
      security: [{ relay: [] }],
      requestBody: { description: `At most ${MAX_BODY_BYTES} bytes.`, required: true, content: bytes(REQUEST_TYPE) },
      responses: {
        '200': { description: 'The message was opened. The answer to its request is in this one.', content: bytes(RESPONSE_TYPE) },
        '400': {
          description: 'The message is not for a key that is in force.',
          content: { 'application/problem+json': { schema: { type: 'object', required: ['type', 'title'] } } },
        },
        '401': refused('No token of a relay, or one that is not valid.'),
        '404': refused('The collector has no --relay-keys.'),
        '411': refused('No Content-Length.'),
        '413': refused(`More than ${MAX_BODY_BYTES} bytes.`),
        '415': refused(`Another type than ${REQUEST_TYPE}.`),
        '503': { ...refused('Too many bytes wait, or are on their way.'), headers: RETRY_AFTER },
        '507': { ...refused('The disk of the collector is full.'), headers: RETRY_AFTER },
      },
    },
  },
};
