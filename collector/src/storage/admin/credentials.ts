/** Who may do what: write keys of apps, and access tokens of people and programs. */

import type { DatabaseSync } from 'node:sqlite';
import { dayNumber } from '@murmuration/shared';
import { transaction } from '../files/database.ts';
import { logAction } from './actions.ts';
import { hashOf, newKey, newToken } from './secrets.ts';

/**
 * What a token may do; each role includes those before it. An analyst sees nothing but the answers that a budget allows (release/), a viewer
 * everything that is exact, too.
 */
export const ROLES = ['analyst', 'viewer', 'reviewer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a role includes another. */
export const includesRole = (role: Role, wanted: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(wanted);

/** A write key or an access token, without its secret. */
export interface Credential {
  readonly name: string;
  /** `writer` for a write key. */
  readonly role: Role | 'writer';
  /** The apps that it is for; empty for a token of all apps. */
  readonly apps: readonly string[];
  /** Reports that may come with a write key in a minute, from all devices together. */
  readonly perMinute?: number;
  /** A write key, which is public. */
  readonly key?: string;
  /** Days since 1970-01-01. */
  readonly created: number;
  readonly revoked?: number;
}

/** A credential as it was created, with its secret. A token's secret can't be shown again. */
export interface Created {
  readonly name: string;
  readonly secret: string;
}

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

function check(what: string, name: string): void {
  if (!NAME.test(name))
    throw new RangeError(`${what}: expected a letter, then at most 63 of letters, digits, _ . -, got ${JSON.stringify(name)}`);
}

/** @throws {RangeError} when one of them can't be the name of an app */
export function checkApps(apps: readonly string[]): void {
  for (const app of apps) check('--app', app);
}

/** Every credential, oldest first, revoked ones included. */
export function listCredentials(database: DatabaseSync): readonly Credential[] {
  const rows = database.prepare('SELECT name, role, apps, per_minute, key, created, revoked FROM credential ORDER BY created, name').all();
  return rows.map(({ name, role, apps, per_minute: perMinute, key, created, revoked }) => ({
    name: name as string,
    role: role as Credential['role'],
    apps: JSON.parse(apps as string) as string[],
    ...(perMinute !== null && { perMinute: perMinute as number }),
    ...(key !== null && { key: key as string }),
    created: created as number,
    ...(revoked !== null && { revoked: revoked as number }),
  }));
}

const isTaken = (database: DatabaseSync, name: string): boolean =>
  database.prepare('SELECT 1 FROM credential WHERE name = ?').get(name) !== undefined;

function insert(
  database: DatabaseSync,
  credential: Pick<Credential, 'name' | 'role' | 'apps' | 'perMinute' | 'key'>,
  token?: string,
): void {
  const { name, role, apps, perMinute = null, key = null } = credential;
  if (isTaken(database, name)) throw new RangeError(`--name: expected a name that no key or token has had, got ${JSON.stringify(name)}`);
  database
    .prepare('INSERT INTO credential (name, role, apps, per_minute, key, hash, created) VALUES (?, ?, ?, ?, ?, ?, ?)')
    .run(name, role, JSON.stringify(apps), perMinute, key, token === undefined ? null : hashOf(token), dayNumber(Date.now()));
}

/** The only app of a list; undefined for several, and for none, which means all. */
export const onlyOne = (apps: readonly string[]): string | undefined => (apps.length === 1 ? apps[0] : undefined);

/** The first free name of an app's write keys: `notes`, then `notes-2`, and so on. */
function freeName(database: DatabaseSync, app: string): string {
  let name = app;
  for (let i = 2; isTaken(database, name); i++) name = `${app}-${i}`;
  return name;
}

/** Creates a write key of an app. @throws {RangeError} when a name is not valid or was used before */
export function createWriteKey(database: DatabaseSync, who: string, app: string, perMinute?: number, name?: string): Created {
  check('--app', app);
  if (name !== undefined) check('--name', name);
  const secret = newKey();
  let taken = '';
  transaction(database, () => {
    taken = name ?? freeName(database, app);
    insert(database, { name: taken, role: 'writer', apps: [app], ...(perMinute !== undefined && { perMinute }), key: secret });
    const limit = perMinute === undefined ? '' : `, at most ${perMinute} reports a minute`;
    logAction(database, who, `created write key ${taken} for ${app}${limit}`, app);
  });
  return { name: taken, secret };
}

/** Creates an access token for some apps, or for all of them. @throws {RangeError} when a name is not valid or was used before */
export function createToken(database: DatabaseSync, who: string, name: string, role: Role, apps: readonly string[]): Created {
  check('--name', name);
  checkApps(apps);
  const secret = newToken();
  transaction(database, () => {
    insert(database, { name, role, apps }, secret);
    logAction(database, who, `created ${role} token ${name} for ${apps.length === 0 ? 'all apps' : apps.join(', ')}`, onlyOne(apps));
  });
  return { name, secret };
}

/** Creates an admin token if there has never been a token. Two processes that start at once create one. */
export function createFirstToken(database: DatabaseSync, who: string): Created | undefined {
  const secret = newToken();
  let created: Created | undefined;
  transaction(database, () => {
    if (database.prepare("SELECT 1 FROM credential WHERE role <> 'writer' LIMIT 1").get() !== undefined) return;
    const name = freeName(database, 'admin');
    insert(database, { name, role: 'admin', apps: [] }, secret);
    logAction(database, who, `created admin token ${name} for all apps`);
    created = { name, secret };
  });
  return created;
}

/**
 * Revokes a key or token, by its name or, for a write key, by the key.
 *
 * @throws {RangeError} when there is none, or it was revoked before
 */
export function revokeCredential(database: DatabaseSync, who: string, which: string): string {
  let name = '';
  transaction(database, () => {
    const row = database.prepare('SELECT name, apps, revoked FROM credential WHERE name = ? OR key = ?').get(which, which);
    if (row === undefined) throw new RangeError(`expected the name of a key or token, or a write key, got ${JSON.stringify(which)}`);
    name = row['name'] as string;
    if (row['revoked'] !== null) throw new RangeError(`expected a key or token that is not revoked yet, got ${JSON.stringify(name)}`);
    database.prepare('UPDATE credential SET revoked = ? WHERE name = ?').run(dayNumber(Date.now()), name);
    logAction(database, who, `revoked ${name}`, onlyOne(JSON.parse(row['apps'] as string)));
  });
  return name;
}
