/** Checks that every mutant still applies: a mutant whose line has changed would test nothing. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MUTANTS } from './client/mutants.ts';

test.each(MUTANTS)('$file: "$name" changes one place', ({ file, line }) => {
  const text = readFileSync(new URL(`../../client/src/${file}`, import.meta.url), 'utf8');
  expect(text.split(line)).toHaveLength(2);
});
