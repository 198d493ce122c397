/** What the client adds to a page: the compressed size of two bundles, and what must not be in the smaller one. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bundle, program } from '../kit/bundle.ts';
import { CORE, LAZY_PROGRAM, sizes } from '../kit/sizes.ts';

/** The limits. */
const LISTS = 8_900;
const STRINGS = 12_200;
const LAZY = 350;
/** How far a figure of client/README.md may be exceeded. */
const SLACK = 1.02;

describe('an app that asks a flag and a choice', async () => {
  const { bytes, text, files } = await bundle(program());

  test(`carries at most ${LISTS} bytes`, () => {
    expect(bytes).toBeLessThanOrEqual(LISTS);
  });

  test.each([
    'murmurhash',
    'rappor.ts',
    'hashing.ts',
    'mechanisms/table.ts',
    'ratio.ts',
    'designs.ts',
    'sketches.ts',
    'field.ts',
    'client/src/components/',
    'client/src/consent/',
  ])('carries nothing of %s', (name) => {
    expect(files).toContainEqual(expect.stringContaining('client/src/telemetry.ts'));
    expect(files.filter((file) => file.includes(name))).toEqual([]);
  });

  test('carries no other type of question', () => {
    const modules = files.filter((file) => file.includes('/src/questions/')).map((file) => file.slice(file.lastIndexOf('/') + 1));
    expect(new Set(modules)).toEqual(new Set(['flag.ts', 'choice.ts', 'lists.ts']));
  });

  test('carries no joint questions, no instantaneous stage, no decoding of base64', () => {
    expect(text).toContain('"choice"');
    for (const trace of ['"joint"', 'irr', 'canonical base64url']) expect(text).not.toContain(trace);
  });
});

test(`a page holds at most ${LAZY} bytes before the person agrees`, async () => {
  const { bytes, files } = await bundle(LAZY_PROGRAM, { external: ['./telemetry', './arrive.ts'] });
  expect(bytes).toBeLessThanOrEqual(LAZY);
  expect(files.filter((file) => file.includes('/src/'))).toEqual([expect.stringContaining('client/src/lazy.ts')]);
});

test('the question for consent carries nothing of the inspector, which comes when it is shown', async () => {
  for (const framework of ['react', 'svelte', 'vue']) {
    const line = `import { Consent } from '@murmuration/client/components/${framework}'; console.log(Consent);`;
    const { files } = await bundle(program('', '', line), { external: [framework] });
    expect(files).toContainEqual(expect.stringContaining('client/src/consent/index.ts'));
    expect(files.filter((file) => file.includes('inspector'))).toEqual([]);
  }
});

test('what checks a schema is in a development bundle, and not in that for production', async () => {
  const [production, development] = await Promise.all([bundle(program()), bundle(program(), { minify: false })]);
  for (const file of ['checks.ts', 'rules.ts']) {
    expect(production.files.filter((name) => name.includes(file))).toEqual([]);
    expect(development.files).toContainEqual(expect.stringContaining(`shared/src/schema/${file}`));
  }
  expect(development.text).toContain('a finite number above 0');
});

test(`permanent strings bring it to at most ${STRINGS} bytes`, async () => {
  const metric = "permanent(text({epsilon:1,description:'z'}),{epsilon:2,renew:'year'})";
  const { bytes, text, files } = await bundle(program('permanent, text', metric));
  expect(bytes).toBeLessThanOrEqual(STRINGS);
  expect(files).toContainEqual(expect.stringContaining('murmurhash'));
  for (const trace of ['irr', 'canonical base64url']) expect(text).toContain(trace);
});

describe('the table of client/README.md', async () => {
  const readme = readFileSync(new URL('../../client/README.md', import.meta.url), 'utf8');
  const rows = readme.matchAll(/^\| `?([^|`]+?)`? +\| +([\d,]+) \| +(?:[+−-][\d,]+ )?\|$/gm);
  const stated = new Map([...rows].map(([, name = '', bytes = '']) => [name, Number(bytes.replace(',', ''))]));
  const found = await sizes();

  test('names every program that is measured, and no other', () => {
    expect([...stated.keys()]).toEqual(found.map(({ name }) => name));
    expect(stated.has(CORE)).toBe(true);
  });

  test.each(found)('$name is not 2 % larger than it says', ({ name, bytes }) => {
    expect(bytes).toBeLessThanOrEqual(SLACK * (stated.get(name) ?? 0));
  });
});
