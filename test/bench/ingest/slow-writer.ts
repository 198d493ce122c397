/** The collector's writer on a slow disk: every commit takes 5 ms more. */

import { DatabaseSync } from 'node:sqlite';

const DELAY = 5;
const { exec } = DatabaseSync.prototype;
const clock = new Int32Array(new SharedArrayBuffer(4));
DatabaseSync.prototype.exec = function (sql: string): void {
  if (sql === 'COMMIT') Atomics.wait(clock, 0, 0, DELAY);
  exec.call(this, sql);
};
await import('#collector/storage/sqlite/writer.ts');
