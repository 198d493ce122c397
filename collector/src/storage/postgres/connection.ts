/** One connection to the database: its settings, and work on one of its own. */

import type { ClientConfig } from 'pg';
import type { PostgresSource } from '../store.ts';
import { lineOf, NoConnection, sqlState } from './errors.ts';
import { type Query, queryOf } from './statements.ts';

/** Milliseconds: to connect, and to wait for an answer. */
const CONNECT = 5_000;
const ANSWER = 15_000;

/** The settings of a connection. */
export const settingsOf = ({ postgres }: PostgresSource): ClientConfig => ({
  connectionString: postgres,
  application_name: 'murmuration',
  connectionTimeoutMillis: CONNECT,
  query_timeout: ANSWER,
  keepAlive: true,
});

/** Whatever keeps a connection from being made, unless the server itself says it. */
function notConnected(error: unknown): never {
  throw sqlState(error) === '' ? new NoConnection(lineOf(error)) : error;
}

/** Runs work on one connection that is closed afterwards, without a transaction. */
export async function connected<T>(source: PostgresSource, work: (query: Query) => Promise<T>): Promise<T> {
  const { default: pg } = await import('pg');
  const client = new pg.Client(settingsOf(source));
  client.on('error', () => undefined); // told by the query that fails
  try {
    await client.connect().catch(notConnected);
    return await work(queryOf(client));
  } finally {
    await client.end().catch(() => undefined);
  }
}
