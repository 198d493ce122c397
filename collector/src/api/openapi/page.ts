/** The OpenAPI description as a plain page, made on the server: no script, and nothing from elsewhere. */

import type { Description } from './openapi.ts';

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
