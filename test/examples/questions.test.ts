/** The table of client/README.md that says which question to ask: each of its lines is a question that a schema takes; and the catalogue. */

import { readFile } from 'node:fs/promises';
import { defineSchema, permanent } from '@murmuration/client';
import { expect, test } from 'vitest';
import * as questions from '#client/questions/index.ts';
import { spendingOf } from '#collector/planning/audit/spending.ts';

const readme = await readFile(new URL('../../client/README.md', import.meta.url), 'utf8');
const section = readme.slice(readme.indexOf('## Which question do I ask?'));
const table = section.slice(0, section.indexOf('\n\n', section.indexOf('| --')));
const lines = [...table.matchAll(/^\| [^|]+ \| `([^`]+)`/gm)].map(([, line = '']) => line);
const constructors = { ...questions, permanent };
const names = Object.keys(constructors);

test.each(lines)('%s', (line) => {
  const metrics = new Function(...names, `return { asked: ${line} };`)(...Object.values(constructors));
  const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 4, per: 'year' }, metrics });
  expect(Object.keys(schema.document.metrics)).toEqual(['asked']);
  expect(Number(spendingOf(schema.document).metrics[0]?.year)).toBeLessThanOrEqual(4);
});

test('the catalogue has every constructor, and what each type is in a document', async () => {
  const catalogue = await readFile(new URL('../../docs/questions.md', import.meta.url), 'utf8');
  expect(names.filter((name) => !catalogue.includes(`| \`${name}(`))).toEqual([]);
  expect(Object.keys(questions).filter((name) => !new RegExp(`^${name} `, 'm').test(catalogue))).toEqual([]);
  // The mechanism that is chosen.
  const chosen = catalogue.slice(catalogue.indexOf('## What the library chooses'));
  expect(Object.keys(questions).filter((name) => !chosen.includes(`\`${name}\``))).toEqual([]);
});
