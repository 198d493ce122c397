/** The command on a Node that is too old: one line that says so, and no error of the loader. */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bin, type Ran } from '../../setup/command.ts';

/** What makes this Node one of version 20, whose `node:module` has no `enableCompileCache`. */
const OLDER = `
  import module, { registerHooks } from 'node:module';
  Object.defineProperty(process.versions, 'node', { value: '20.20.2' });
  Object.defineProperty(process, 'version', { value: 'v20.20.2' });
  const { enableCompileCache, ...others } = module;
  globalThis.others = others;
  const url = 'data:text/javascript,' + encodeURIComponent('export default globalThis.others');
  registerHooks({ resolve: (name, context, next) => (name === 'node:module' ? { url, shortCircuit: true } : next(name, context)) });
`;

const run = (node: string, ...args: readonly string[]): Ran => spawnSync(node, [...args, bin, '--version'], { encoding: 'utf8' });

const said = (version: string): string =>
  `murmuration: expected Node 24 or newer, got ${version}. In a project, npm i -D node@24 gives npx one\n`;

test('it says which Node it needs, and how a project gets it', () => {
  const imitated = run(process.execPath, '--import', `data:text/javascript,${encodeURIComponent(OLDER)}`);
  expect(imitated).toMatchObject({ status: 1, stdout: '', stderr: said('v20.20.2') });
  // The system's own Node is often an older one.
  const own = '/usr/bin/node';
  const version = existsSync(own) ? execFileSync(own, ['--version'], { encoding: 'utf8' }).trim() : process.version;
  if (Number.parseInt(version.slice(1), 10) < 24) expect(run(own)).toMatchObject({ status: 1, stdout: '', stderr: said(version) });
});
