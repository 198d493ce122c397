/** Equal activity, which the promise assumes, is defined in the same words wherever it is defined. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const WORDS = 'when the app runs, which metrics without `otherwise` are recorded, whether the answer was listed';

const textOf = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
    .replaceAll(/\n *(\*|>|\/\/)? */g, ' ')
    .replaceAll(/ +/g, ' ');

test.each([
  'README.md',
  'client/README.md',
  'docs/threat-model.md',
  'docs/ledger.md',
  'docs/glossary.md',
  'client/src/ledger/ledger.ts',
  'collector/src/planning/audit/texts/english.ts',
])('%s says what equal activity is', (file) => {
  const text = textOf(file);
  expect(text).toContain(WORDS);
  expect(text).not.toMatch(/whether and when (the|an) app is used/);
});
