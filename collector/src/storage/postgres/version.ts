/** The version of the tables. Whatever reads or writes them checks that it is the one that this program knows, in the same transaction. */

import { STEPS } from './tables.ts';

/** The tables are of another version than this program: a newer collector has migrated them. */
export class OtherVersion extends Error {}

/** @throws {OtherVersion} unless this is the version that this program knows */
export function checkVersion(found: unknown): void {
  if (Number(found) !== STEPS.length) throw new OtherVersion(`expected tables of version ${STEPS.length}, got version ${found}`);
}
