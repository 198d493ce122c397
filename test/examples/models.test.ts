/** Schemas that people copy, of pages, examples and the demo: none spends more than ε 4 a question in a year, and the audit accepts each. */

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineSchema, permanent } from '@murmuration/client';
import * as recipes from '@murmuration/client/recipes';
import type { SchemaDocument } from '@murmuration/shared';
import { expect, test } from 'vitest';
import * as questions from '#client/questions/index.ts';
import { spendingOf } from '#collector/planning/audit/spending.ts';
import { warningsOf } from '#collector/planning/audit/warnings.ts';

/** The most ε of a question in any 365 days. */
const MOST = 4;

const root = fileURLToPath(new URL('../../', import.meta.url));
const constructors = { ...questions, ...recipes, permanent, defineSchema };

/** The schemas that a page defines in blocks of code, which may name lists of answers above them. */
const definedIn = (page: string): readonly SchemaDocument[] =>
  [...readFileSync(`${root}${page}`, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => {
    const [schema] = /\bdefineSchema\(\{[\s\S]*?\n(?: *\} )?\}\)/.exec(block) ?? [];
    if (schema === undefined) return [];
    const lists = [...block.matchAll(/\bconst \w+ = \[.*?\]/g)].map(([list]) => `${list};`).join('');
    return [new Function(...Object.keys(constructors), `${lists}return ${schema};`)(...Object.values(constructors)).document];
  });

const pages = [
  'README.md',
  'client/README.md',
  'collector/README.md',
  ...globSync('docs/**/*.md', { cwd: root, exclude: ['docs/api/**'] }),
];
const modules = globSync('examples/**/schema.ts', { cwd: root, exclude: (path) => path.includes('node_modules') });
const models: (readonly [string, SchemaDocument])[] = pages.flatMap((page) => definedIn(page).map((schema) => [page, schema] as const));
for (const file of modules) models.push([file, (await import(`${root}${file}`)).schema.document]);

test('they are found', () => {
  expect(models.map(([place]) => place).sort()).toEqual([
    'README.md',
    'client/README.md',
    'docs/recipes.md',
    'docs/recipes.md',
    'examples/cli/schema.ts',
    'examples/demo/schema.ts',
    'examples/react/schema.ts',
  ]);
});

test.each(models)(`%s spends ε ${MOST} a question at most in a year, and nothing that needs --accept-large`, (_, document) => {
  const spending = spendingOf(document);
  for (const { metric, year } of spending.metrics) expect([metric, Number(year) <= MOST]).toEqual([metric, true]);
  expect(warningsOf(document, spending).filter(({ kind }) => kind === 'large-epsilon')).toEqual([]);
});
