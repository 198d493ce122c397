/** The table of client/README.md that says which question to ask: each of its lines is a question that a schema takes. */

import { readFile } from 'node:fs/promises';
import {
  best,
  choice,
  choices,
  count,
  defineSchema,
  distribution,
  flag,
  histogram,
  joint,
  mean,
  permanent,
  text,
} from '@murmuration/client';
import { expect, test } from 'vitest';

const readme = await readFile(new URL('../../client/README.md', import.meta.url), 'utf8');
const section = readme.slice(readme.indexOf('## Which question do I ask?'));
const table = section.slice(0, section.indexOf('\n\n', section.indexOf('| --')));
const lines = [...table.matchAll(/^\| [^|]+ \| `([^`]+)`/gm)].map(([, line = '']) => line);
const constructors = { best, choice, choices, count, distribution, flag, histogram, joint, mean, permanent, text };
const names = Object.keys(constructors);

test.each(lines)('%s', (line) => {
  const questions = new Function(...names, `return { asked: ${line} };`)(...Object.values(constructors));
  const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 10, per: 'month' }, metrics: questions });
  expect(Object.keys(schema.document.metrics)).toEqual(['asked']);
});

test('the table has a line for every constructor', () => {
  expect(names.filter((name) => !lines.some((line) => new RegExp(`\\b${name}\\(`).test(line)))).toEqual([]);
});
