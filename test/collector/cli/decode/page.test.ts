/** docs/from-rappor.md: its commands run, on files with the names that it uses, and print what it says. */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { bin } from '../../../setup/command.ts';

const page = readFileSync(new URL('../../../../docs/from-rappor.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'murmuration-from-rappor-'));
afterAll(() => rmSync(folder, { recursive: true }));
cpSync(fileURLToPath(new URL('data/demo3-exp/', import.meta.url)), folder, { recursive: true });

/** Runs a command line of the page in the folder of its files. */
function run(line: string): { readonly status: number | null; readonly stdout: string } {
  const [, ...args] = line.split(' ');
  return spawnSync(process.execPath, [bin, ...args], { cwd: folder, encoding: 'utf8' });
}

test('the command of the page prints what the page shows, whatever the digits', () => {
  const [, line = '', shown = ''] = /```text\n\$ (murmuration decode .*)\n([\s\S]*?)```/.exec(page) ?? [];
  expect(page).toContain(`\`\`\`sh\n${line}\n`);
  const { status, stdout } = run(line);
  expect(status).toBe(0);
  const lines = shown.trimEnd().split('\n').slice(0, -1); // the last one says that there are more
  const form = (text: string): string => text.replaceAll(/[\d.,]+(e-\d+)?/g, '#').replaceAll(/ +/g, ' ');
  expect(stdout.split('\n').slice(0, lines.length).map(form)).toEqual(lines.map(form));
});

test('the counts of true and false strings are those of the page', () => {
  const truth = new Set(readFileSync(join(folder, 'truth.csv'), 'utf8').match(/^v\d+/gm));
  const found = readFileSync(join(folder, 'results.csv'), 'utf8').match(/^v\d+/gm) ?? [];
  const right = found.filter((text) => truth.has(text)).length;
  expect(page.replaceAll(/\s+/g, ' ')).toContain(`The command above reports ${right} and ${found.length - right}.`);
});

test('every column, field and option of the page exists', () => {
  const results = readFileSync(join(folder, 'results.csv'), 'utf8').split('\n')[0]?.split(',') ?? [];
  const { stdout } = run('murmuration decode --params params.csv --counts counts.csv --map map.csv.gz --json');
  for (const name of [...results, ...Object.keys(JSON.parse(stdout))]) expect(page, name).toContain(`\`${name}\``);
  const help = run('murmuration decode --help').stdout;
  for (const option of page.match(/--[a-z]+/g) ?? [])
    if (!['--alpha', '--correction'].includes(option)) expect(help, option).toContain(option);
});
