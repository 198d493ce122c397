/** The OpenAPI 3.1 description of the API, made from the zod schemas and constants that the routes use and that tests validate answers by. */

import { createDocument } from 'zod-openapi';
import { accessPaths } from './access.ts';
import { metricsPaths } from './metrics.ts';
import { releasePaths } from './release.ts';
import { streamPaths } from './release-streams.ts';
import { reportsPaths } from './reports.ts';

/** The description: plain JSON. */
export type Description = ReturnType<typeof createDocument>;

/** Describes the API. */
export const describeApi = (): Description =>
  createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Murmuration',
      version: '1',
      description:
        'Takes reports of devices, and reads them as estimates with error bars. Every refusal is one line of JSON. A read with Cache-Control: max-age=N accepts an answer that is N seconds old.',
    },
    security: [{ token: [] }, { session: [] }],
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An access token. A collector that is open needs none.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'murmuration',
          description: 'A session that POST /v1/session began. Over https the cookie is __Host-murmuration.',
        },
        key: { type: 'apiKey', in: 'query', name: 'key', description: 'A write key of the app. A collector that is open needs none.' },
      },
    },
    paths: { ...reportsPaths, ...metricsPaths, ...releasePaths, ...streamPaths, ...accessPaths },
  });
