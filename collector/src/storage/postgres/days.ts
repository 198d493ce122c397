/** Opens days of a store on PostgreSQL again that a wrong clock has closed. */

import type { PostgresSource } from '../store.ts';
import { connected } from './connection.ts';
import { checkStored } from './opening.ts';
import { SCHEMA } from './tables.ts';

/** The day before which a store has closed all days; 0 when it has closed none. @throws {UnfitDatabase} when there is no store */
export async function closedBeforeIn(source: PostgresSource): Promise<number> {
  await checkStored(source);
  return connected(source, async (query) => Number((await query(`SELECT closed FROM ${SCHEMA}.store`))[0]?.[0]));
}

/** Opens the days from this one on again. Collectors that run take them when they are restarted. */
export async function reopenDaysIn(source: PostgresSource, from: number): Promise<void> {
  await connected(source, (query) => query(`UPDATE ${SCHEMA}.store SET closed = $1 WHERE closed > $1`, [from]));
}
