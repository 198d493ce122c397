/** `murmuration roles`: what users may read whom the proxy names (`serve --auth-header`). A running collector takes changes up within a second. */

import type { Command } from 'commander';
import { choiceOption, print } from '../base/usage.ts';
import { listRoles, ROLES, type Role, removeRole, setRole } from '../storage/admin/credentials.ts';
import { COMMAND_LINE, ROLES_SINCE } from '../storage/admin/database.ts';
import { type AdminPlace, readExistingAdmin, withAdmin, withExistingAdmin } from './admin.ts';
import { storeCommand } from './stored-options.ts';
import { table } from './table.ts';

interface Options extends AdminPlace {
  readonly json?: boolean;
}

interface SetOptions extends Options {
  readonly role: Role;
  readonly app?: string[];
}

async function set(name: string, options: SetOptions): Promise<void> {
  const { role, app: apps = [], json } = options;
  const entry = { name, role, apps };
  await withAdmin(options, (database) => setRole(database, COMMAND_LINE, entry));
  print(json, entry, () => `${name} reads as ${role}, ${apps.length === 0 ? 'all apps' : apps.join(', ')}`);
}

async function list(options: Options): Promise<void> {
  const { json } = options;
  const roles = await readExistingAdmin(options, ROLES_SINCE, listRoles);
  print(json, { roles }, () =>
    table(
      ['user', 'role', 'apps'],
      roles.map(({ name, role, apps }) => [name, role, apps.length === 0 ? 'all' : apps.join(', ')]),
    ),
  );
}

async function remove(name: string, options: Options): Promise<void> {
  const { json } = options;
  await withExistingAdmin(options, (database) => removeRole(database, COMMAND_LINE, name));
  print(json, { removed: name }, () => `removed ${name}, who now reads what --auth-role says`);
}

export function addRoles(program: Command): void {
  const roles = program.command('roles').description('what users may read whom the proxy names in --auth-header');
  const add = (name: string, description: string): Command => storeCommand(roles, name, description);
  add('set', 'give a user a role, in place of any that they have')
    .argument('<user>', 'the name as the proxy sends it, upper and lower case apart')
    .requiredOption('--role <role>', `one of ${ROLES.join(', ')}`, choiceOption('--role', ROLES))
    .option('--app <name...>', 'the apps that the user may read (default: all)')
    .action(set);
  add('list', 'list the users that have a role').action(list);
  add('remove', 'remove a user; --auth-role says what the others may read').argument('<user>', 'the name').action(remove);
}
