/** `murmuration verify-package`: tarballs and installed packages, as released and changed. */

import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { filesIn, listOf, sumsOf, sumsText } from '#collector/cli/verify-package.ts';
import { type Ran, runCommand } from '../../setup/command.ts';

let folder: string;
const at = (...path: readonly string[]): string => join(folder, ...path);

/** A release of one package, as `npm run packages` writes it, and the package as npm installs it. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-verify-'));
  mkdirSync(at('package', 'dist'), { recursive: true });
  writeFileSync(at('package', 'package.json'), '{"name":"@murmuration/client"}');
  writeFileSync(at('package', 'dist', 'index.js'), 'export {};\n');
  execFileSync('tar', ['-czf', at('murmuration-client.tgz'), '-C', folder, 'package']);
  const list = listOf('@murmuration/client');
  writeFileSync(at(list), sumsText(sumsOf(at('package'), filesIn(at('package')))));
  writeFileSync(at('SHA256SUMS'), sumsText(sumsOf(folder, ['murmuration-client.tgz', list])));
  cpSync(at('package'), at('installed'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const verify = (place: string): Ran => runCommand('verify-package', at(place), '--sums', at('SHA256SUMS'));

test('a package as released is so, packed and installed, with what is installed in it', () => {
  mkdirSync(at('installed', 'node_modules', 'other'), { recursive: true });
  writeFileSync(at('installed', 'node_modules', 'other', 'index.js'), 'export {};\n');
  for (const place of ['murmuration-client.tgz', 'installed'])
    expect(verify(place)).toMatchObject({ status: 0, stdout: `${at(place)}: as ${at('SHA256SUMS')} states\n` });
});

test('the lists are those of sha256sum', () => {
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder });
  execFileSync('sha256sum', ['--check', '--strict', at('murmuration-client.files')], { cwd: at('installed') });
});

test.each([
  [
    'a changed tarball',
    'murmuration-client.tgz',
    () => appendFileSync(at('murmuration-client.tgz'), 'x'),
    /^murmuration-client\.tgz: expected [0-9a-f]{64}, got [0-9a-f]{64}\n$/,
  ],
  [
    'a changed file',
    'installed',
    () => appendFileSync(at('installed', 'dist', 'index.js'), 'x'),
    /^@murmuration\/client\/dist\/index\.js: expected [0-9a-f]{64}, got/,
  ],
  [
    'a further file',
    'installed',
    () => writeFileSync(at('installed', 'more.js'), 'x'),
    /^@murmuration\/client\/more\.js: expected no such file, got/,
  ],
  [
    'a missing file',
    'installed',
    () => rmSync(at('installed', 'dist', 'index.js')),
    /^@murmuration\/client\/dist\/index\.js: expected [0-9a-f]{64}, got none\n$/,
  ],
  ['a changed list', 'installed', () => appendFileSync(at('murmuration-client.files'), '\n'), /^murmuration-client\.files: expected/],
  [
    'a tarball without a line',
    'other.tgz',
    () => writeFileSync(at('other.tgz'), 'x'),
    /^other\.tgz: expected a line in SHA256SUMS, got none\n$/,
  ],
])('%s is told, with exit code 1', (_, place, change, words) => {
  change();
  const { status, stdout } = verify(place);
  expect(status).toBe(1);
  expect(stdout).toMatch(words);
});

test('hashes that are missing or no hashes are bad input', () => {
  writeFileSync(at('SHA256SUMS'), 'abc  file\n');
  expect(verify('installed')).toMatchObject({ status: 2, stdout: '' });
  rmSync(at('SHA256SUMS'));
  expect(verify('installed')).toMatchObject({ status: 2, stdout: '' });
});
