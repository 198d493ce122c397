/** Transactions in few round trips: nothing runs whose BEGIN has failed, and nothing is committed whose last statement has. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { Database, type Query } from '#collector/storage/postgres/database.ts';
import { bigints, byteas, integers, smallints, texts, uuids } from '#collector/storage/postgres/packed.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { execute } from '../../../setup/postgres-server.ts';

let url: string;
/** Its transactions share one connection. */
let database: Database;
beforeEach(async () => {
  url = await createDatabase();
  await execute(url, 'CREATE SCHEMA murmuration; CREATE TABLE murmuration.row (n integer CHECK (n > 0))');
  database = new Database({ postgres: url }, { connections: 1, isGuarded: false });
});
afterEach(async () => {
  await database.close();
  await dropDatabase(url);
});

const INSERT = 'INSERT INTO murmuration.row VALUES ($1)';
const rows = () => execute(url, 'SELECT n FROM murmuration.row ORDER BY n');

test.each([
  ['with parameters', (query: Query) => query(INSERT, [1])],
  ['without parameters', (query: Query) => query('INSERT INTO murmuration.row VALUES (1)')],
] as const)('a statement %s does not run when the BEGIN that it is sent with fails', async (_, work) => {
  await expect(database.transaction(work, 'ISOLATION LEVEL NONE')).rejects.toThrow('syntax error');
  expect(await rows()).toEqual([]);
  await database.transaction(work);
  expect(await rows()).toEqual([[1]]);
});

test('the first statement returns its own rows, and the limits are those of the transaction alone', async () => {
  const limit = "SELECT $1::integer, current_setting('lock_timeout')";
  expect(await database.transaction((query) => query(limit, [7]))).toEqual([[7, '5s']]);
  expect(await database.transaction((query) => query('SHOW lock_timeout'))).toEqual([['5s']]);
  const after = async (query: Query): Promise<unknown> => {
    await query('COMMIT');
    return [await query('SHOW lock_timeout'), await query('BEGIN')];
  };
  expect(await database.transaction(after)).toEqual([[['0']], []]);
});

test('a transaction whose last statement fails is rolled back, and its connection goes on', async () => {
  const fails = async (query: Query, last: Query): Promise<void> => {
    await query(INSERT, [1]);
    await last(INSERT, [0]);
  };
  await expect(database.transaction(fails)).rejects.toThrow('check constraint');
  await database.transaction((_, last) => last(INSERT, [2]));
  expect(await rows()).toEqual([[2]]);
});

test('no statement follows the last one of a transaction', async () => {
  const late = async (query: Query, last: Query): Promise<void> => {
    await last(INSERT, [1]);
    await query(INSERT, [2]);
  };
  await expect(database.transaction(late)).rejects.toThrow('expected no statement after the last one');
  expect(await rows()).toEqual([[1]]);
});

test('lists in the binary format are read as what they are', async () => {
  const bytes = Buffer.from('00112233445566778899aabbccddeeffffffffffffffff8000000000000000', 'hex');
  const values = [
    smallints(3, (i) => i * 255),
    integers(2, (i) => (i === 0 ? -1 : 2 ** 31 - 1)),
    uuids(2, bytes, (i) => i),
    bigints(2, bytes, (i) => 15 + i * 8),
    texts(['', 'größe\n"{},\\']),
    byteas([new Uint8Array(0), Uint8Array.of(0, 255)]),
  ];
  const sql = 'SELECT $1::smallint[]::text, $2::integer[]::text, $3::uuid[]::text, $4::bigint[]::text, $5::text[], $6::bytea[]::text';
  expect(await database.transaction((query) => query(sql, values))).toEqual([
    [
      '{0,255,510}',
      '{-1,2147483647}',
      '{00112233-4455-6677-8899-aabbccddeeff,11223344-5566-7788-99aa-bbccddeeffff}',
      '{-1,-9223372036854775808}',
      ['', 'größe\n"{},\\'],
      '{"\\\\x","\\\\x00ff"}',
    ],
  ]);
  expect(await database.transaction((query) => query('SELECT $1::integer[]', [integers(0, () => 0)]))).toEqual([[[]]]);
});
