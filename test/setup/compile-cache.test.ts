/** The tests open and close hundreds of threads, and these must not each run Node's type stripper: see compile-cache.ts. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

const source = new URL('../../collector/src/storage/files/database.ts', import.meta.url);
const thread = `import(${JSON.stringify(source.href)}).then(() =>
  require('node:worker_threads').parentPort.postMessage(process.moduleLoadList.some((name) => name.includes('amaro'))))`;

test.each([
  ['with the compile cache no', process.env, false],
  ['without it a', { PATH: '' }, true],
])('%s thread that runs a source strips its types', async (_, env, expected) => {
  const [strips] = await once(new Worker(thread, { eval: true, env }), 'message');
  expect(strips).toBe(expected);
});
