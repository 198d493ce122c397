/** The checks of the house refuse what they are for: imports that point up, walls, and paths that are not there. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { againstTheLaw, floorsOf } from './floors.ts';
import { anchorsOf, brokenIn, missingIn } from './mentions.ts';

const PAGE = '| floor | room |\n| --- | --- |\n| 3 | `server/` | routes |\n| 2 | `storage/` | the store |\n| 1 | `base/` | errors |\n';
const floors = floorsOf(PAGE);

const complaintsAbout = (file: string, code: string): readonly string[] => againstTheLaw(floors, new Map([[file, code]]));

test('the floors are the table of ARCHITECTURE, the highest first', () => {
  expect(floors).toEqual(['server', 'storage', 'base']);
  const all = floorsOf(readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8'));
  expect([all[0], all.at(-1)]).toEqual(['dashboard', 'base']);
});

test('an import that points down or stays in its room is accepted', () => {
  expect(complaintsAbout('server/http/a.ts', "import { b } from '../../storage/b.ts';\nimport { c } from './c.ts';\n")).toEqual([]);
  expect(complaintsAbout('index.ts', "export { a } from './server/a.ts';\n")).toEqual([]);
});

test.each([
  ['a value', "import { a } from '../server/a.ts';"],
  ['a type', "import type { A } from '../server/a.ts';"],
  ['an export', "export { a } from '../server/a.ts';"],
  ['a lazy import', "const { a } = await import('../server/a.ts');"],
  ['a type of an import', "let a: import('../server/a.ts').A;"],
  ['several lines', "import {\n  a,\n  b,\n} from '../server/a.ts';"],
  ['a worker', "new Worker(new URL('../server/a.ts', import.meta.url));"],
])('%s that is imported from a higher floor is refused', (_, code) => {
  expect(complaintsAbout('storage/b.ts', code)).toEqual(['storage/b.ts imports server/a.ts: floor 2 may not import from floor 3']);
});

test('the entry and unknown rooms are refused', () => {
  expect(complaintsAbout('server/a.ts', "import { b } from '../index.ts';")).toEqual([
    'server/a.ts imports index.ts: the entry stands above all rooms',
  ]);
  expect(complaintsAbout('cellar/a.ts', '')).toEqual(['cellar/a.ts: expected a room of ARCHITECTURE.md, got cellar/']);
});

test.each([
  ['storage/sqlite/a.ts', '../postgres/b.ts', 'one backend does not know the other'],
  ['storage/postgres/spill/a.ts', '../../sqlite/b.ts', 'one backend does not know the other'],
  ['storage/postgres/a.ts', '../migration/b.ts', 'a backend does not know the migration'],
])('%s may not import %s', (file, specifier, why) => {
  expect(complaintsAbout(file, `import type { B } from '${specifier}';`)).toEqual([expect.stringContaining(why)]);
});

test('the dashboard reads the API, not the rooms behind it', () => {
  const all = ['dashboard', 'api', 'release', 'base'];
  const complaints = (code: string): readonly string[] => againstTheLaw(all, new Map([['dashboard/a.tsx', code]]));
  expect(complaints("import { a } from '../api/a.ts';\nimport { b } from '../base/b.ts';")).toEqual([]);
  expect(complaints("import type { a } from '../release/a.ts';")).toHaveLength(1);
});

test('a path that is mentioned and not there is found, in pages and in comments', () => {
  const files = ['collector/src/storage/store.ts', 'docs/format.md'];
  expect(missingIn('a.md', 'See `storage/store.ts`, [format](docs/format.md) and `storage/*.ts`.', files)).toEqual([]);
  expect(missingIn('a.md', 'See `storage/stores.ts`.\n\n```ts\n// app/schema.ts\n```\n', files)).toEqual(['storage/stores.ts']);
  expect(missingIn('a.ts', "// as in storage/gone.ts\nimport './not/prose.ts';\n", files)).toEqual(['storage/gone.ts']);
});

test('a link to a file or a heading that is not there is found', () => {
  const texts: Record<string, string> = { 'docs/a.md': '# One\n## What `x` is\n## One\n', 'b.md': '# B\n' };
  const broken = (text: string): readonly string[] => brokenIn('docs/b.md', text, Object.keys(texts), (page) => texts[page] as string);
  expect([...anchorsOf(texts['docs/a.md'] as string)]).toEqual(['one', 'what-x-is', 'one-1']);
  expect(broken('[a](a.md) [b](a.md#what-x-is) [c](../b.md#b) [d](https://a.example/#x) [e](../docs/)')).toEqual([]);
  expect(broken('[a](c.md) [b](a.md#two) [c](../b.md#one)')).toEqual(['c.md', 'a.md#two', '../b.md#one']);
});
