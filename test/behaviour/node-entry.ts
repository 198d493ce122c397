/** The behaviours, and the suite of storages over a folder, in whatever Node runs this bundle. It prints what came of them. `TRACE` is put in. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStorage } from '@murmuration/client/node';
import { testStorage } from '@murmuration/client/testing';
import { behaviours } from './behaviours.ts';
import { run } from './run.ts';

declare const TRACE: string;

const folder = mkdtempSync(join(tmpdir(), 'murmuration-node-'));
process.once('exit', () => rmSync(folder, { recursive: true }));

let devices = 0;
const storage = (): ReturnType<typeof fileStorage> => fileStorage(join(folder, `device ${devices++}`));
const results = await run((test) => {
  behaviours(test, { storage, hasEntropy: true, trace: TRACE });
  testStorage(test, () => fileStorage(join(folder, 'suite')));
});
console.log(JSON.stringify(results));
