/** Loads every source of the packages once, so that the compile cache has them. What needs a browser, or a thread's data, is loaded all the same. */

import { globSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
for (const file of globSync(`${root}{client,collector,shared}/src/**/*.ts`)) await import(pathToFileURL(file).href).catch(() => undefined);
flushCompileCache();
process.exit();
