/** One connection to the database: its settings, and work on one of its own. */

import type { ClientConfig } from 'pg';
import type { PostgresSource } from '../store.ts';
import { lineOf, NoConnection, sqlState, UnfitDatabase } from './errors.ts';
import { type Query, queryOf } from './statements.ts';

// URLs of databases. They may hold a password, so no error and no log ever shows one as it is.

const EXAMPLE = 'postgres://user@host:5432/database';
const EXPECTED = `--postgres: expected a URL such as ${EXAMPLE}`;
const ESCAPES = 'write / ? # @ of a password as %2F %3F %23 %40';

/** Parameters whose values hold no secret. */
const OPEN = ['sslmode', 'host', 'port', 'application_name'];

/** Ways to use TLS: not at all, with any certificate, and with one that is valid for the host. The driver takes all others for the last. */
const TLS = ['disable', 'no-verify', 'verify-full'];

/** True if a password may be where none is looked for: a `/`, `?` or `#` in it ends the host, and without a host all is the path. */
const isUnclear = ({ host, pathname, search, hash }: URL): boolean => host === '' || `${pathname}${search}${hash}`.includes('@');

/** A URL without its password, for logs and messages; nothing of it where it is not a URL. */
export function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return '(not a URL)';
  const url = new URL(text);
  if (isUnclear(url)) return '(not a URL)';
  if (url.password !== '') url.password = '***';
  for (const name of new Set(url.searchParams.keys())) if (!OPEN.includes(name)) url.searchParams.set(name, '***');
  return url.href;
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Description of a value that is no URL: any part of it may be a password. */
function kindOf(text: string): string {
  if (text === '') return 'an empty text';
  return /^postgres(ql)?:/i.test(text) ? `one with a host or a port that none can have: ${ESCAPES}` : 'a text that begins with no protocol';
}

/** @throws {UnfitDatabase} when a text is not the URL of a database */
export function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol))
    throw new UnfitDatabase(`${EXPECTED}, got ${url === undefined ? kindOf(text) : url.protocol}`);
  if (isUnclear(url)) throw new UnfitDatabase(`${EXPECTED}, got one with no host or with @ after it: ${ESCAPES}`);
  for (const [part, of] of [
    ['user', url.username],
    ['password', url.password],
    ['host', url.hostname],
    ['database', url.pathname],
  ] as const)
    if (!canDecode(of))
      throw new UnfitDatabase(`${EXPECTED}, got a ${part} in which % is not followed by the digits of UTF-8: write % as %25`);
  for (const mode of url.searchParams.getAll('sslmode'))
    if (!TLS.includes(mode))
      throw new UnfitDatabase(
        `--postgres: expected sslmode=disable, no-verify or verify-full, got ${/^[\w-]*$/.test(mode) ? mode : 'another'}`,
      );
}

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
