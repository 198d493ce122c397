/** A store that keeps so many ids, as folds of a busy fortnight leave it. */

import { randomFillSync } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dayNumber } from '@murmuration/shared';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import { schema } from './schema.ts';

const WORDS = 7; // of an id: four of its own, two of the body's hash, the day
const IDS_A_FOLD = 2_000;
const DAYS = 14;

/** Fills a folder's store with random ids, in equal parts on so many days from `first` on. */
export async function fillIds(
  folder: string,
  count: number,
  { first: firstDay, days }: { readonly first: number; readonly days: number } = { first: dayNumber(Date.now()) - DAYS, days: DAYS },
): Promise<void> {
  await (await openSqliteStore(folder, new Map())).close();
  const database = new DatabaseSync(join(folder, 'murmuration.sqlite'));
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  const insert = database.prepare('INSERT INTO ids (first, day, words) VALUES (?, ?, ?)');
  const ofApp = database.prepare('INSERT INTO app_ids (app, day, ids) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET ids = ids + excluded.ids');
  const words = new Int32Array(IDS_A_FOLD * WORDS);
  for (let first = 0; first < count; first += IDS_A_FOLD) {
    randomFillSync(words);
    const day = firstDay + Math.floor((first / count) * days);
    for (let at = WORDS - 1; at < words.length; at += WORDS) words[at] = day;
    insert.run(first + 1, day, new Uint8Array(words.buffer));
    ofApp.run(schema.document.app, day, IDS_A_FOLD);
  }
  database.exec('COMMIT');
  database.close();
}
