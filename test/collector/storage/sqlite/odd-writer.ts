/**
 * The writer's thread with something odd about it, said in the environment: timers that never fire or hurry, sums that fail, a disk that is
 * full for as long as a file exists.
 */

import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Accumulator } from '#collector/storage/tallying/accumulator.ts';

const query = new URLSearchParams(process.env['ODD_WRITER']);

const { setTimeout } = globalThis;
const pace = query.get('pace');
if (pace === 'never') globalThis.setTimeout = (() => undefined) as never;
if (pace === 'fast') globalThis.setTimeout = ((work: () => void, delay: number) => setTimeout(work, delay / 100)) as never;

/** So many reports can be added up; the next can't. */
const most = Number(query.get('reports') ?? Number.POSITIVE_INFINITY);
let added = 0;
const { add } = Accumulator.prototype;
Accumulator.prototype.add = function (words, at) {
  if (++added > most) throw new RangeError('Array buffer allocation failed');
  add.call(this, words, at);
};

const full = query.get('full');
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql: string): void {
  if (full !== null && sql === 'COMMIT' && existsSync(full)) throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
  exec.call(this, sql);
};

await import('#collector/storage/sqlite/writer.ts');
