/** Credentials: write keys of apps, access tokens of people and programs, and roles of users whom a proxy names. */

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { dayNumber } from '@murmuration/shared';
import { transaction } from '../files/database.ts';
import { logAction } from './database.ts';

// Write keys, which are public, and access tokens, which are secret. Both are drawn at random.

/** Bytes of a write key. It must be unique and hard to guess, but anybody can read it in the app. */
const KEY_BYTES = 16;
/** Bytes of a token: 256 bits. */
const TOKEN_BYTES = 32;

/** A new write key. */
const newKey = (): string => `pk_${randomBytes(KEY_BYTES).toString('base64url')}`;

/** A new access token. */
const newToken = (): string => `at_${randomBytes(TOKEN_BYTES).toString('base64url')}`;

/** Stored hash of a token. */
export const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** True if two hashes are equal, in a time that does not depend on where they differ. */
export const isSame = (one: Uint8Array, other: Uint8Array): boolean => one.length === other.length && timingSafeEqual(one, other);

/**
 * Roles of tokens; each role includes those before it. An analyst sees nothing but the answers that a budget allows (release/), a viewer
 * everything that is exact, too.
 */
export const ROLES = ['analyst', 'viewer', 'reviewer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** True if a role includes another. */
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

const TOKEN_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** @throws {RangeError} when it can't be the name of an app, a metric, a key or a token */
export function checkName(what: string, name: string): void {
  if (!TOKEN_NAME.test(name))
    throw new RangeError(`${what}: expected a letter, then at most 63 of letters, digits, _ . -, got ${JSON.stringify(name)}`);
}

/** @throws {RangeError} when one of them can't be the name of an app */
export function checkApps(apps: readonly string[]): void {
  for (const app of apps) checkName('--app', app);
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
const onlyOne = (apps: readonly string[]): string | undefined => (apps.length === 1 ? apps[0] : undefined);

/** The first free name of an app's write keys: `notes`, then `notes-2`, and so on. */
function freeName(database: DatabaseSync, app: string): string {
  let name = app;
  for (let i = 2; isTaken(database, name); i++) name = `${app}-${i}`;
  return name;
}

/** Creates a write key of an app. @throws {RangeError} when a name is not valid or was used before */
export function createWriteKey(database: DatabaseSync, who: string, app: string, perMinute?: number, name?: string): Created {
  checkName('--app', app);
  if (name !== undefined) checkName('--name', name);
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
  checkName('--name', name);
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

// What users may read whom a trusted proxy names. Users without an entry read what the collector's settings say.

/** A user's role. */
export interface UserRole {
  /** The user as the proxy names them: compared as it is, upper and lower case apart. */
  readonly name: string;
  readonly role: Role;
  /** The apps that the user may read; empty for all. */
  readonly apps: readonly string[];
}

/** Names that a header can hold without an encoding. */
const USER_NAME = /^[!-~]([ -~]{0,253}[!-~])?$/;

/** Every entry, by name. */
export const listRoles = (database: DatabaseSync): readonly UserRole[] =>
  database
    .prepare('SELECT name, role, apps FROM user ORDER BY name')
    .all()
    .map(({ name, role, apps }) => ({ name: name as string, role: role as Role, apps: JSON.parse(apps as string) as string[] }));

/** Gives a user a role, in place of any that they have. @throws {RangeError} when a name is not valid */
export function setRole(database: DatabaseSync, who: string, { name, role, apps }: UserRole): void {
  if (!USER_NAME.test(name))
    throw new RangeError(
      `expected the name of a user in at most 255 characters of ASCII, without spaces around it, got ${JSON.stringify(name)}`,
    );
  checkApps(apps);
  transaction(database, () => {
    database
      .prepare('INSERT INTO user (name, role, apps) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET role = excluded.role, apps = excluded.apps')
      .run(name, role, JSON.stringify(apps));
    logAction(
      database,
      who,
      `gave the user ${name} the role ${role} for ${apps.length === 0 ? 'all apps' : apps.join(', ')}`,
      onlyOne(apps),
    );
  });
}

/** Removes a user's entry. @throws {RangeError} when there is none */
export function removeRole(database: DatabaseSync, who: string, name: string): void {
  transaction(database, () => {
    const known = listRoles(database).find((each) => each.name === name);
    if (known === undefined) throw new RangeError(`expected the name of a user who was given a role, got ${JSON.stringify(name)}`);
    database.prepare('DELETE FROM user WHERE name = ?').run(name);
    logAction(database, who, `took the role ${known.role} from the user ${name}`, onlyOne(known.apps));
  });
}
