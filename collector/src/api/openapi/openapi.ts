/** The OpenAPI 3.1 description of the API, made from the zod schemas and constants that the routes use and that tests validate answers by. */

import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import { accessPaths } from './access.ts';
import { annotationsPaths } from './annotations.ts';
import { metricsPaths } from './metrics.ts';
import { planPaths } from './plan.ts';
import { relayPaths } from './relay.ts';
import { releasePaths } from './release.ts';
import { streamPaths } from './release-streams.ts';
import { reportsPaths } from './reports.ts';
import { wellKnownPaths } from './well-known.ts';

// The OpenAPI description as a plain page, made on the server: no script, and nothing from elsewhere.

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}code{font-size:.9em}td,th{text-align:left;vertical-align:top;padding:.2rem 1rem .2rem 0}h2{margin-top:2.5rem;overflow-wrap:anywhere}@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}a{color:#8bf}}';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: { readonly description?: string; readonly enum?: readonly string[]; readonly default?: unknown };
}

function rowOf({ name, in: where, description, required = false, schema = {} }: Parameter): string {
  const words = [description ?? schema.description ?? '', schema.enum ? `One of ${schema.enum.join(', ')}.` : ''].join(' ').trim();
  const usual = schema.default === undefined ? '' : ` Default: ${String(schema.default)}.`;
  const kind = where === 'path' ? 'in the path' : required ? 'required' : '';
  return `<tr><td><code>${escaped(name)}</code></td><td>${escaped(words + usual)}${kind && ` <em>${kind}</em>`}</td></tr>`;
}

type Operation = NonNullable<NonNullable<Description['paths']>[string]['get']>;

function sectionOf(method: string, path: string, { summary = '', description = '', parameters = [], responses = {} }: Operation): string {
  const rows = (parameters as readonly Parameter[]).map(rowOf).join('');
  const statuses = Object.entries(responses as { readonly [status: string]: { readonly description: string } })
    .filter(([status]) => status >= '300')
    .map(([status, { description: words }]) => `<tr><td>${status}</td><td>${escaped(words)}</td></tr>`);
  return `<h2><code>${method.toUpperCase()} ${escaped(path)}</code></h2><p>${escaped(summary)}. ${escaped(description)}</p><table><tbody>${rows}</tbody></table><details><summary>Refusals</summary><table><tbody>${statuses.join('')}</tbody></table></details>`;
}

/** The page. */
export function pageOf({ info, paths = {} }: Description): string {
  const sections = Object.entries(paths).flatMap(([path, item = {}]) =>
    (['get', 'post', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : sectionOf(method, path, operation);
    }),
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(info.title)}: the API</title><style>${STYLE}</style><h1>${escaped(info.title)}: the API</h1><p>${escaped(info.description ?? '')} The whole description, with the schemas of bodies and answers: <a href="openapi.json">openapi.json</a>.</p>${sections.join('')}</html>\n`;
}

/** Every route, with the zod schemas of its parameters and answers. */
export const apiPaths: ZodOpenApiPathsObject = {
  ...reportsPaths,
  ...relayPaths,
  ...wellKnownPaths,
  ...metricsPaths,
  ...annotationsPaths,
  ...planPaths,
  ...releasePaths,
  ...streamPaths,
  ...accessPaths,
};

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
        relay: { type: 'http', scheme: 'bearer', description: 'The token of a relay.' },
        key: { type: 'apiKey', in: 'query', name: 'key', description: 'A write key of the app. A collector that is open needs none.' },
      },
    },
    paths: apiPaths,
  });
