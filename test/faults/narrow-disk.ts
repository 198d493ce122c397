/**
 * Preloaded into a collector: limits how many bytes of the log its disk accepts per second, as given in this file's query. A commit waits
 * for its own bytes.
 * (Commits of a fold do not wait: in these tests the oracle's batches have rows of their own, so the size of a fold is an artefact of the
 * test.)
 */

import { DatabaseSync, StatementSync } from 'node:sqlite';

const bytesPerSecond = Number(new URL(import.meta.url).searchParams.get('bytesPerSecond'));
if (!(bytesPerSecond > 0)) throw new RangeError(`expected bytesPerSecond above 0, got ${bytesPerSecond}`);

const { run } = StatementSync.prototype;
const { exec } = DatabaseSync.prototype;
const clock = new Int32Array(new SharedArrayBuffer(4));
let bytes = 0;

StatementSync.prototype.run = function (...values: unknown[]) {
  if (this.sourceSQL.startsWith('INSERT INTO log')) for (const value of values) if (value instanceof Uint8Array) bytes += value.length;
  return run.apply(this, values as Parameters<typeof run>);
};
DatabaseSync.prototype.exec = function (sql: string): void {
  if (sql === 'COMMIT') {
    Atomics.wait(clock, 0, 0, (1_000 * bytes) / bytesPerSecond);
    bytes = 0;
  }
  exec.call(this, sql);
};
