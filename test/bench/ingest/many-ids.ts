/** A store that keeps so many ids, as folds leave them: a row for each second of each day, up to a thousand ids long. */

import { randomFillSync } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dayNumber } from '@murmuration/shared';
import { ROW, WORDS } from '#collector/storage/sqlite/ids.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import { schema } from './schema.ts';

const DAYS = 14;
const SECONDS = 86_400;

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
  const ofDay = database.prepare('INSERT INTO day_ids (day, ids) VALUES (?, ?)');
  const ofApp = database.prepare('INSERT INTO app_ids (app, day, ids) VALUES (?, ?, ?)');
  const aDay = Math.floor(count / days);
  const aFold = Math.min(ROW, Math.max(1, Math.ceil(aDay / SECONDS)));
  for (let day = firstDay, first = 1; day < firstDay + days; day++) {
    ofDay.run(day, aDay);
    ofApp.run(schema.document.app, day, aDay);
    for (const end = first + aDay; first < end; first += aFold) {
      const words = randomFillSync(new Int32Array(Math.min(aFold, end - first) * WORDS));
      for (let at = WORDS - 1; at < words.length; at += WORDS) words[at] = day;
      insert.run(first, day, new Uint8Array(words.buffer));
    }
  }
  database.exec('COMMIT');
  database.close();
}
