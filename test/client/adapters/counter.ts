/** A process or thread that counts in a folder, and notes each number in a file of its own once its step is done. */

import { openSync, writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { fileStorage } from '@murmuration/client/node';

/** Adds one to what is stored. */
export const increment = (stored: string | undefined): { readonly next: string; readonly result: number } => {
  const result = Number(stored ?? 0) + 1;
  return { next: String(result), result };
};

if (import.meta.filename === process.argv[1] || workerData) {
  const [folder, notes, times = 'Infinity'] = (workerData ?? process.argv.slice(2)) as readonly [string, string, string?];
  const storage = fileStorage(folder);
  const file = openSync(notes, 'a');
  for (let i = 0; i < Number(times); i++) writeSync(file, `${await storage.transact('count', increment)}\n`);
}
