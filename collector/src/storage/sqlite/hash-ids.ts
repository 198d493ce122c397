/** The migration to version 3 of the embedded store: ids are stored as hashes, a thousand to a row. */

import type { DatabaseSync } from 'node:sqlite';
import { batchesOf, bytesOf, ID, wordsOf, writeHashOf } from '../group.ts';
import { ROW, WORDS } from './ids.ts';

/** Overwrites the id at this word with its hash. */
function hashAt(words: Int32Array, at: number): void {
  const bytes = Buffer.from(words.buffer, words.byteOffset + 4 * at, 16);
  writeHashOf(bytes.toString('hex'), bytes, 0);
}

/** Hashes all ids in a store, including those that are only in its log. */
export function hashIds(database: DatabaseSync): void {
  database.exec('CREATE TABLE hashed (first INTEGER PRIMARY KEY, day INTEGER NOT NULL, words BLOB NOT NULL)');
  const insert = database.prepare('INSERT INTO hashed (first, day, words) VALUES (?, ?, ?)');
  for (const row of database.prepare('SELECT first, day, words FROM ids').iterate()) {
    const words = wordsOf(row['words']);
    for (let at = 0; at < words.length; at += WORDS) hashAt(words, at);
    for (let at = 0; at < words.length; at += ROW * WORDS)
      insert.run(Number(row['first']) + at / WORDS, Number(row['day']), bytesOf(words.subarray(at, at + ROW * WORDS)));
  }
  database.exec('DROP TABLE ids; ALTER TABLE hashed RENAME TO ids');
  const update = database.prepare('UPDATE log SET words = ? WHERE n = ?');
  for (const { n, words: blob } of database.prepare('SELECT n, words FROM log').all()) {
    const words = wordsOf(blob);
    for (const start of batchesOf(words)) hashAt(words, start + ID);
    update.run(bytesOf(words), Number(n));
  }
}
