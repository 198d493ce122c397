/** What users may read whom a trusted proxy names. Users without an entry read what the collector's settings say. */

import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../files/database.ts';
import { logAction } from './actions.ts';
import { checkApps, onlyOne, type Role } from './credentials.ts';

/** A user's role. */
export interface UserRole {
  /** The user as the proxy names them: compared as it is, upper and lower case apart. */
  readonly name: string;
  readonly role: Role;
  /** The apps that the user may read; empty for all. */
  readonly apps: readonly string[];
}

/** What a header can say without an encoding. */
const NAME = /^[!-~]([ -~]{0,253}[!-~])?$/;

/** Every entry, by name. */
export const listRoles = (database: DatabaseSync): readonly UserRole[] =>
  database
    .prepare('SELECT name, role, apps FROM user ORDER BY name')
    .all()
    .map(({ name, role, apps }) => ({ name: name as string, role: role as Role, apps: JSON.parse(apps as string) as string[] }));

/** Gives a user a role, in place of any that they have. @throws {RangeError} when a name is not valid */
export function setRole(database: DatabaseSync, who: string, { name, role, apps }: UserRole): void {
  if (!NAME.test(name))
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
