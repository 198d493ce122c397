/** The security checklist, and the loads and mistakes of docs/reliability.md: they name tests that exist, and quote what is in them. */

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const textOf = (file: string): string => readFileSync(new URL(file, root), 'utf8');

interface Row {
  readonly line: string;
  readonly state: string;
  readonly reason: string;
}

const rows: readonly Row[] = textOf('docs/security-checklist.md')
  .split('\n')
  .filter((text) => /^\| \d/.test(text))
  .map((text) => {
    const [, line = '', , state = '', reason = ''] = text.split('|').map((cell) => cell.trim());
    return { line, state, reason };
  });

test('every line is held, not held or not applicable, and says by what or why', () => {
  expect(rows.length).toBeGreaterThan(80);
  for (const { line, state, reason } of rows) {
    expect(['held', 'not held', 'not applicable'], line).toContain(state);
    expect(reason.length, line).toBeGreaterThan(3);
  }
  expect(rows.filter(({ state }) => state === 'not held').length).toBeGreaterThan(0);
});

function expectTests(reason: string): void {
  const files = [...reason.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) expect(existsSync(new URL(file, root)), file).toBe(true);
  const texts = files.map(textOf).join('\n');
  for (const [, quote = ''] of reason.matchAll(/"([^"]+)"/g)) expect(texts).toContain(quote);
}

test.each(rows.filter(({ state }) => state === 'held'))('$line names a test that exists, and quotes what is in it', ({ reason }) =>
  expectTests(reason),
);

test('the tests of loads and mistakes exist, with the names that are quoted', () => {
  const named = textOf('docs/reliability.md')
    .split('\n')
    .filter((line) => line.startsWith('|') && line.includes('`test/'));
  expect(named).toHaveLength(13);
  for (const line of named) expectTests(line);
});
