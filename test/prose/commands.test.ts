/** The command of this project is never asked of npm without its scope: `murmuration` there is a package of strangers. */

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const OTHERS = ['node_modules', 'dist', 'api', '.data', '.git'];

/** What fetches a package that a folder lacks, with its options, up to the name. */
const FETCHES = /\b(?:npx|bunx|(?:npm|pnpm|yarn|bun)(?: run)? (?:exec|x|dlx|create|init|install|i|add))(?: +-[-\w=:/]+)*/;
const STRANGERS = new RegExp(`${FETCHES.source}(?: +[@\\w./-]+)*? +murmuration(?![\\w/-])`, 'g');

test('it finds every way to ask npm for the name without the scope, and no other', () => {
  const name = 'murmuration';
  const wrong = ['npx X', 'npx --yes X serve', 'npm exec X', 'pnpm dlx X plan', 'bunx X', 'npm i -g X', 'npm install --save-dev express X'];
  for (const line of wrong) expect(line.replace('X', name).match(STRANGERS), line).not.toBeNull();
  const right = ['npx @X/collector serve', 'npm install @X/client', 'npm install --prefix /opt/X-0.2.0', 'X serve', 'systemctl restart X'];
  for (const line of right) expect(line.replace('X', name).match(STRANGERS), line).toBeNull();
});

test('no page, message or script asks npm for it', () => {
  const files = globSync(['**/*', '.changeset/*', '.github/**/*'], {
    cwd: root,
    exclude: (path) => OTHERS.includes(basename(path)),
  }).filter((file) => /(?:\.(?:md|html|tsx?|m?js|c?js|json|ya?ml|sh|py|service|conf|sql)|file)$/.test(file));
  expect(files.length).toBeGreaterThan(1000);
  const found = files.flatMap((file) => (readFileSync(join(root, file), 'utf8').match(STRANGERS) ?? []).map((text) => `${file}: ${text}`));
  expect(found).toEqual([]);
});
