/** The version of this package. */

import { readFileSync } from 'node:fs';

/** Reads it. The sources and the built files lie equally deep in the package. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }).version;
