/** Findings in the files that were built of an app: its endpoint and schema, development modules, and access tokens. */

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Finding, fault, fine, open } from './finding.ts';

/** A text that only development modules hold. */
const DEVELOPMENT = 'While you develop';

/** The scripts and pages of a folder, or a file. */
async function textsOf(path: string): Promise<string> {
  const files = (await stat(path)).isDirectory()
    ? (await readdir(path, { recursive: true })).filter((file) => /\.(?:[cm]?js|html)$/.test(file)).map((file) => join(path, file))
    : [path];
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
}

/**
 * Reads a bundle.
 *
 * @param wire the schema's name on the wire, where it is known
 */
export async function bundleFindings(path: string, endpoint: string, wire: string | undefined): Promise<readonly Finding[]> {
  const text = await textsOf(path);
  const token = /\bat_[\w-]{20,}/.exec(text)?.[0];
  const isDevelopment = text.includes(DEVELOPMENT);
  return [
    text.includes(endpoint)
      ? fine('bundle', `it sends to ${endpoint}`)
      : open('bundle', `it does not contain ${endpoint}`, 'the app may make the address where it runs, or was built for another one'),
    ...(isDevelopment
      ? [
          fault(
            'bundle',
            'it was built for development',
            'it holds the checks and texts for developers',
            'set NODE_ENV=production, and build again',
          ),
        ]
      : []),
    ...(token === undefined
      ? []
      : [fault('bundle', `it holds an access token, ${token.slice(0, 6)}…`, 'everybody can read it', 'revoke it, and pass a pk_ key')]),
    ...(wire === undefined || text.includes(wire)
      ? []
      : [open('bundle', `it does not contain ${wire}`, 'it was built without @murmuration/client/plugin, or of another schema')]),
  ];
}
