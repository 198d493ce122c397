/**
 * What anybody may read: `GET /.well-known/murmuration.json` with its form as a zod schema, and questions that are published; with their OpenAPI
 * description.
 */

import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { exactly } from '../forms/answer-parts.ts';
import { answers } from '../forms/answers.ts';
import { noParameters } from '../forms/parameters.ts';
import { json, refused } from './responses.ts';

/** The path. It is well known (RFC 8615), so that people who use an app find it without asking. */
export const WELL_KNOWN = '/.well-known/murmuration.json';

/** The path of a question that is published. */
export const PUBLIC = '/v1/public/:app/:metric';

/** Privacy budget of a schema: natural units, rounded up, as decimals. */
interface PublicEpsilon {
  readonly report: { readonly [metric: string]: string };
  readonly month: string;
  readonly year: string;
  readonly life: string;
}

/** A schema as the public may see it. One that was retired and never published here has its name only. */
export interface PublicSchema {
  /** As app/version/checksum. */
  readonly schema: string;
  readonly inForce: boolean;
  /** The day on which it was published by command, in UTC. */
  readonly published?: string;
  readonly retired?: string;
  /** SHA-256 of the canonical JSON, in hex. */
  readonly fingerprint?: string;
  readonly epsilon?: PublicEpsilon;
  /** With `together`: every group of reports of 30 closed days had as many. Absent while there is none. */
  readonly reached?: boolean;
  readonly statement?: string;
  /** What it changes beside the version before it; absent for the first. */
  readonly changes?: readonly string[];
  readonly document?: object;
}

/** Public statement of a collector: its apps, each with its schemas, the newest first. */
export interface PublicApps {
  readonly format: 1;
  /** Transparency log of schemas: its path below the collector's address, and the key that signs it. */
  readonly log?: { readonly path: string; readonly key: string };
  readonly apps: readonly { readonly app: string; readonly schemas: readonly PublicSchema[] }[];
}

const epsilon = z.string().regex(/^\d+\.\d+$/);

const epsilons: z.ZodType<PublicEpsilon> = exactly(
  z.strictObject({
    report: z.record(z.string(), epsilon).meta({ description: 'Of a report of each metric.' }),
    month: epsilon.meta({ description: 'ε of all slots that begin in any 30 days, in this version and those before it.' }),
    year: epsilon.meta({ description: 'The same of 365 days.' }),
    life: epsilon.meta({ description: 'The same of 3,650 days.' }),
  }),
);

/** A schema, of which the form says little: it is that of shared/src/schema. */
const document: z.ZodType<object> = z.looseObject({ format: z.literal(1), app: z.string(), version: z.int().min(1) });

/** The form of the answer. */
export const publicApps: z.ZodType<PublicApps> = exactly(
  z
    .strictObject({
      format: z.literal(1),
      log: z
        .strictObject({ path: z.string(), key: z.string() })
        .exactOptional()
        .meta({ description: "The transparency log of schemas: its path below the collector's address, and the key that signs it." }),
      apps: z.array(
        z.strictObject({
          app: z.string(),
          schemas: z.array(
            z.strictObject({
              schema: z.string().meta({ description: 'As app/version/checksum.' }),
              inForce: z.boolean().meta({ description: 'Whether reports of it are taken. The others were retired.' }),
              published: z.iso.date().exactOptional().meta({ description: 'The day on which it was published by command.' }),
              retired: z.iso.date().exactOptional().meta({ description: 'The day on which it was retired.' }),
              fingerprint: z
                .string()
                .regex(/^[0-9a-f]{64}$/)
                .exactOptional()
                .meta({ description: 'SHA-256 of the canonical JSON.' }),
              epsilon: epsilons.exactOptional(),
              reached: z.boolean().exactOptional().meta({
                description: 'With `together`: every group of reports of 30 closed days had as many. Absent while there is none.',
              }),
              statement: z.string().exactOptional().meta({ description: 'The privacy statement.' }),
              changes: z
                .array(z.string())
                .exactOptional()
                .meta({ description: 'What it changes beside the version before it; absent for the first.' }),
              document: document.exactOptional(),
            }),
          ),
        }),
      ),
    })
    .meta({ id: 'PublicApps' }),
);

/** A path parameter of the log. */
const part = (description: string, example: string): z.ZodType => z.string().meta({ description, example });

/** A route of the transparency log of schemas. */
const ofLog = (operationId: string, summary: string, description: string, type: string, parts: Readonly<Record<string, z.ZodType>>) => ({
  get: {
    operationId,
    summary,
    description,
    security: [],
    ...(Object.keys(parts).length > 0 && { requestParams: { path: z.object(parts) } }),
    responses: {
      '200': { description: 'The answer.', content: { [type]: { schema: { type: 'string' as const } } } },
      '404': refused('The log does not have it, or is empty.'),
      '507': refused('The disk of the collector is full.'),
    },
  },
});

const tileParts = { level: part('The level of the hashes, or `entries`.', '0'), index: part('Three digits.', '000') };
const TILES = 'As C2SP tlog-tiles says, with hashes of RFC 6962. It never changes.';

export const wellKnownPaths: ZodOpenApiPathsObject = {
  '/.well-known/murmuration-log/checkpoint': ofLog(
    'logCheckpoint',
    'The size and the root of the log of schemas, signed',
    'As C2SP tlog-checkpoint says. The key is in `/.well-known/murmuration.json`.',
    'text/plain',
    {},
  ),
  '/.well-known/murmuration-log/tile/{level}/{index}': ofLog(
    'logTile',
    '256 hashes or entries of the log',
    TILES,
    'application/octet-stream',
    tileParts,
  ),
  '/.well-known/murmuration-log/tile/{level}/{index}/{width}': ofLog(
    'logPartialTile',
    'The first hashes or entries of a tile that is not full',
    TILES,
    'application/octet-stream',
    { ...tileParts, index: part('Three digits and `.p`.', '000.p'), width: part('From 1 to 255.', '1') },
  ),
  '/.well-known/murmuration-log/schema/{fingerprint}': ofLog(
    'loggedSchema',
    'The canonical JSON of a schema that the log has',
    'Retired ones, and those with other descriptions, stay.',
    'application/json',
    { fingerprint: part('SHA-256 of the canonical JSON, in hex.', '0'.repeat(64)) },
  ),
  [WELL_KNOWN]: {
    get: {
      operationId: 'wellKnown',
      summary: 'What is asked and what that gives away, for anybody: schemas, privacy statements and ε, without estimates',
      description: 'On the port of batches, too.',
      security: [],
      responses: {
        '200': {
          description: 'The answer. It may be kept for an hour.',
          headers: { ETag: { description: 'Changes with the answer.', schema: { type: 'string' } } },
          content: json(publicApps),
        },
        '304': { description: 'The answer is the one that If-None-Match names.' },
        '500': refused('A failure of the collector.'),
      },
    },
  },
  '/v1/public/{app}/{metric}': {
    get: {
      operationId: 'publicQuestion',
      summary: 'A question that is published, for anybody: its estimates and their weeks, without segments and small counts',
      description: 'Of a metric with `publish: true`, unless it has strings. It counts whole weeks with at least 100 reports.',
      security: [],
      requestParams: {
        path: z.object({ app: z.string().meta({ example: 'notes' }), metric: z.string().meta({ example: 'plan' }) }),
        query: noParameters as z.ZodObject,
      },
      responses: {
        '200': {
          description: 'The answer. It may be kept for five minutes.',
          headers: { ETag: { description: 'Changes with the answer.', schema: { type: 'string' } } },
          content: json(answers.question),
        },
        '304': { description: 'The answer is the one that If-None-Match names.' },
        '400': refused('A parameter is wrong: what was expected, and what came.'),
        '404': refused('There is no such question, or it is not published.'),
        '421': refused('The Host is not a name of this collector.'),
        '500': refused('A failure of the collector.'),
        '503': refused('Too much waits. Ask again later.'),
      },
    },
  },
};
