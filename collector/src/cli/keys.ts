/** `murmuration keys`: write keys of apps, and access tokens of people and programs. A running collector takes changes up within a second. */

import type { DatabaseSync } from 'node:sqlite';
import { dayText } from '@murmuration/shared';
import type { Command } from 'commander';
import { UsageError } from '../base/fault.ts';
import { choiceOption, print, wholeOption } from '../base/usage.ts';
import {
  type Created,
  type Credential,
  createToken,
  createWriteKey,
  listCredentials,
  ROLES,
  type Role,
  revokeCredential,
} from '../storage/admin/credentials.ts';
import { COMMAND_LINE, KEYS_SINCE } from '../storage/admin/database.ts';
import { type AdminPlace, readExistingAdmin, withAdmin, withExistingAdmin } from './admin.ts';
import { storeCommand } from './stored-options.ts';
import { table } from './table.ts';

interface CreateOptions extends AdminPlace {
  readonly app?: string[];
  readonly role?: Role;
  readonly name?: string;
  readonly perMinute?: number;
  readonly json?: boolean;
}

interface ListOptions extends AdminPlace {
  readonly json?: boolean;
}

/** Function that creates the key or token. @throws {UsageError} when options are missing or don't go together */
function creation({ app = [], role, name, perMinute }: CreateOptions): (database: DatabaseSync) => Created {
  const [only] = app;
  if (role === undefined) {
    if (only === undefined || app.length > 1)
      throw new UsageError(`--app: expected one app for a write key, or --role for an access token, got ${app.length} apps`);
    return (database) => createWriteKey(database, COMMAND_LINE, only, perMinute, name);
  }
  if (name === undefined) throw new UsageError('--name: expected the name of the person or program that gets the token, got none');
  if (perMinute !== undefined) throw new UsageError('--per-minute: expected a write key, without --role, got a token');
  return (database) => createToken(database, COMMAND_LINE, name, role, app);
}

async function create(options: CreateOptions): Promise<void> {
  const { role, json } = options;
  const created = await withAdmin(options, creation(options));
  print(
    json,
    role === undefined ? { name: created.name, key: created.secret } : { name: created.name, token: created.secret },
    () => created.secret,
  );
  if (json) return;
  process.stderr.write(
    role === undefined
      ? `Write key ${created.name}. It is public: createTelemetry({ ..., key: '${created.secret}' })\n`
      : `Access token ${created.name}, shown this once. It is secret.\n`,
  );
}

const rowOf = ({ name, role, apps, perMinute, key = '', created, revoked }: Credential): readonly string[] => [
  name,
  role === 'writer' ? 'write key' : role,
  apps.length === 0 ? 'all' : apps.join(', '),
  perMinute === undefined ? '' : `${perMinute}`,
  key,
  dayText(created),
  revoked === undefined ? '' : dayText(revoked),
];

async function list(options: ListOptions): Promise<void> {
  const { json } = options;
  const all = await readExistingAdmin(options, KEYS_SINCE, listCredentials);
  const day = (number: number | undefined): string | null => (number === undefined ? null : dayText(number));
  const keys = all.map((each) => ({ ...each, created: day(each.created), revoked: day(each.revoked) }));
  print(json, { keys }, () => table(['name', 'role', 'apps', 'a minute', 'write key', 'created', 'revoked'], all.map(rowOf)));
}

async function revoke(which: string, options: ListOptions): Promise<void> {
  const { json } = options;
  const revoked = await withExistingAdmin(options, (database) => revokeCredential(database, COMMAND_LINE, which));
  print(json, { revoked }, () => `revoked ${revoked}`);
}

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('write keys of apps, and access tokens of people and programs');
  const add = (name: string, description: string): Command => storeCommand(keys, name, description);
  add('create', 'create a write key of an app, or with --role an access token; its secret is shown once')
    .option('--app <name...>', 'the app of a write key; the apps of a token (default: all)')
    .option('--role <role>', `an access token: ${ROLES.join(', ')}`, choiceOption('--role', ROLES))
    .option('--name <name>', 'the name of the key (default: its app), or of who gets the token')
    .option(
      '--per-minute <n>',
      'reports that may come with a write key in a minute, from all devices together',
      wholeOption('--per-minute', 1),
    )
    .action(create);
  add('list', 'list keys and tokens, without the secrets of tokens').action(list);
  add('revoke', 'revoke a key or token; batches with a revoked key wait on their devices for 14 days')
    .argument('<name>', 'its name, or a write key')
    .action(revoke);
}
