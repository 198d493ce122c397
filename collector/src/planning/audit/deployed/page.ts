/** The page of an audit: the address of a deployed one, or a page made for a script. */

import { readFile } from 'node:fs/promises';
import { UsageError } from '../../../base/fault.ts';
import { unreadBecause } from '../../../base/usage.ts';
import type { DeployedOptions } from './deployed.ts';

/** The address of a page. @throws {UsageError} */
export function pageUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href;
  throw new UsageError(`--url: expected an address such as https://app.example, got ${JSON.stringify(text)}`);
}

/** A name that leads nowhere. Browsers treat it as a secure place, as they do `https`. */
const HOST = 'http://audit.localhost';

/** A page that holds nothing but a script: a module where it imports or exports. @throws {UsageError} */
export async function bundlePage(file: string): Promise<Required<Pick<DeployedOptions, 'url' | 'files'>>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--bundle: ${unreadBecause(error)}`);
  });
  const isModule = /\.mjs$/.test(file) || /(^|[;}\s])(import\s*["'{*\w]|export\s*[{*\w])|import\.meta/.test(text);
  const tag = `<script ${isModule ? 'type="module"' : 'defer'} src="/bundle.js"></script>`;
  return {
    url: `${HOST}/`,
    files: new Map([
      [`${HOST}/`, { type: 'text/html', text: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Audit</title>${tag}</html>` }],
      [`${HOST}/bundle.js`, { type: 'text/javascript', text }],
    ]),
  };
}
