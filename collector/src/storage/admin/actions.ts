/** The log of who changed what. It is append-only, and holds actions of operators; nothing in it comes from a device. */

import type { DatabaseSync } from 'node:sqlite';

/** One action. */
export interface Action {
  readonly n: number;
  /** When, as `2026-11-20T12:00:00.000Z`. */
  readonly at: string;
  /** The name of a token, or where the action came from. */
  readonly who: string;
  readonly what: string;
  /** The app that it concerns; null where it concerns all of them, or several. */
  readonly app: string | null;
}

/** The name of whoever uses a command. */
export const COMMAND_LINE = 'command line';

/** Writes an action. Call it in the transaction that carries the action out. */
export function logAction(database: DatabaseSync, who: string, what: string, app?: string): void {
  const at = new Date().toISOString();
  database.prepare('INSERT INTO action (at, who, what, app) VALUES (?, ?, ?, ?)').run(at, who, what, app ?? null);
}

/** The newest actions first: at most `most`, only those before number `before`, and only of these apps unless the list is empty. */
export function listActions(
  database: DatabaseSync,
  most: number,
  before: number = Number.MAX_SAFE_INTEGER,
  apps: readonly string[] = [],
): readonly Action[] {
  const concerned = apps.length === 0 ? '' : `AND app IN (${apps.map(() => '?').join()})`;
  return database
    .prepare(`SELECT n, at, who, what, app FROM action WHERE n < ? ${concerned} ORDER BY n DESC LIMIT ?`)
    .all(before, ...apps, most)
    .map((row) => ({ ...row }) as unknown as Action);
}
