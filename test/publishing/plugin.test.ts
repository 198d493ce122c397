/** The packed plugin in Vite, Rollup, webpack and esbuild: what it builds behaves as without it, and what is wrong does not build. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { first } from '../setup/effort.ts';
import { bundlers, type Plugin } from './bundlers.ts';
import { newClientApp, packOnce } from './packed.ts';

let app: string;
let plugin: Plugin;
beforeAll(async () => {
  app = await newClientApp(await packOnce());
  const { resolve } = createRequire(join(app, 'main.js'));
  plugin = (await import(pathToFileURL(resolve('@murmuration/client/plugin')).href)) as Plugin;
});

const ask = "{ epsilon: 1, description: 'A question?' }";
const daily = "{ epsilon: 0.1, every: 'day', description: 'A question?' }";

/** A question of each type and of many mechanisms, with a value of each. */
const metrics = [
  ['flag', `flag(${ask})`, 'true'],
  ['event', "flag({ epsilon: 0.1, every: 'day', otherwise: false, description: 'Was it printed?' })", 'true'],
  ['choice', `choice(plans, ${ask})`, "'pro'"],
  ['other', "choice(plans, { epsilon: 1, description: 'Which?', other: true })", "'unlisted'"],
  ['long', `choice(countries, { epsilon: 1, description: 'Which?', mechanism: longList() })`, "'country 7'"],
  ['choices', "choices(plans, { epsilon: 1, description: 'Which?', atMost: 2 })", "['free', 'pro']"],
  ['best', "best(['list', 'grid'], { epsilon: 1, description: 'Which?', utility: { few: [1, 0], many: [0, 1] } })", "'many'"],
  ['joint', `joint({ plan: plans, dark: [true, false] }, ${ask})`, "{ plan: 'pro', dark: false }"],
  ['pair', `joint({ page: text, plan: plans }, ${ask})`, "{ page: 'a', plan: 'pro' }"],
  ['histogram', `histogram([1, 10, 100], ${ask})`, '12'],
  ['count', `count(9, ${ask})`, '4'],
  ['mean', `mean([0, 60], ${ask})`, '12.5'],
  ['distribution', `distribution([0, 60], ${ask})`, '31'],
  ['text', `text(${ask})`, "'a page'"],
  ['discover', `discover(${ask})`, "'word'"],
  ['hashed', "text({ epsilon: 1, description: 'Which?', mechanism: stringHashing() })", "'a page'"],
  ['unary', "choice(plans, { epsilon: 1, description: 'Which?', mechanism: unary() })", "'team'"],
  ['keptFlag', `permanent(flag(${daily}), { epsilon: 1, renew: 'year' })`, 'true'],
  ['keptText', `permanent(text(${daily}), { epsilon: 1, renew: 'year' })`, "'a page'"],
  ['keptMean', `permanent(mean([0, 60], ${daily}), { epsilon: 1, renew: 'year' })`, '20'],
] as const;

const SCHEMA = `
import * as client from '@murmuration/client';
import { best, choice, choices, count, defineSchema as define, discover, distribution, flag, histogram, joint, longList, mean, permanent, text } from '@murmuration/client';
import { stringHashing, unary } from '@murmuration/client/mechanisms';
import { countries } from './countries.js';
export const plans = ['free', 'pro', 'team'];
const year = 'year';
export const schema = define({
  app: 'notes', version: 1, budget: { epsilon: 60, per: year }, segments: { platform: ['web', 'ios'] },
  metrics: {
    ${metrics.map(([name, question]) => `${name}: ${question},`).join('\n    ')}
  },
});
export const isNamed = 'flag' in client;
`;

const COUNTRIES = 'export const countries = Array.from({ length: 80 }, (_, i) => "country " + i);';

const MAIN = `
import { createTelemetry, ledger, memoryStorage, preview } from '@murmuration/client';
import { fakeClock, seededRng } from '@murmuration/client/testing';
import { schema } from './schema.js';
async function live(telemetry, clock, seen) {
  for (let day = 0; day < 3; day++) {
    ${metrics.map(([name, , value]) => `telemetry.record('${name}', ${value});`).join('\n    ')}
    telemetry.record('flag', 'no flag');
    telemetry.record('constructor', true);
    seen.push(await preview(telemetry), await ledger(telemetry));
    await telemetry.flush();
    clock.advance(86_400_000);
  }
  await telemetry.close();
}
export async function run(seed) {
  const seen = [];
  const clock = fakeClock(new Date('2026-11-20'));
  const segment = { platform: 'web' };
  const onOutcome = (outcome) => seen.push(outcome);
  const transport = async (upload) => { seen.push(upload); return { status: 204 }; };
  const first = createTelemetry({
    schema, endpoint: '/', consent: 'granted', segment, storage: memoryStorage(), clock, rng: seededRng(seed), onOutcome, transport,
  });
  await live(first, clock, seen);
  const later = createTelemetry({
    schema, endpoint: '/', upload: 'later', batchesPerDay: 2, sampleRate: 0.5, segment,
    storage: memoryStorage(), clock, rng: seededRng(seed), onOutcome, transport,
  });
  later.consent.grant();
  await live(later, clock, seen);
  return JSON.stringify(seen);
}
export const { document, wire } = schema;
`;

/** Bundlers that read no types can build this without the plugin, too. */
const files = { 'countries.js': COUNTRIES, 'schema.js': SCHEMA, 'main.js': MAIN };

interface Run {
  readonly run: (seed: number) => Promise<string>;
  readonly document: object;
  readonly wire: string;
}

let folders = 0;
/** A folder with these files, below the app whose packages they import. */
async function folderWith(texts: { readonly [file: string]: string }): Promise<string> {
  const folder = join(app, `of-plugin-${process.pid}-${folders++}`);
  for (const [file, text] of Object.entries(texts)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  return folder;
}

const SMALL = (spec: string): string => `
import { choice, createTelemetry, defineSchema, flag } from '@murmuration/client';
const schema = defineSchema(${spec});
const t = createTelemetry({ schema, endpoint: '/t' });
t.consent.grant(); t.record('a', true); t.record('b', 'x');
export default schema.wire;
`;
const small = (epsilon: string): string =>
  SMALL(`{ app: 'notes', version: 1, budget: { epsilon: ${epsilon}, per: 'month' }, metrics: {
    a: flag({ epsilon: 1, description: 'x' }), b: choice(['x', 'y'], { epsilon: 1, description: 'y' }) } }`);

describe.each(first(Object.keys(bundlers) as (keyof Plugin)[], 2))('with %s', (name) => {
  const bundler = bundlers[name];
  const built = async (texts: { readonly [file: string]: string }, isUsed: boolean) => {
    const folder = await folderWith(texts);
    const warnings: string[] = [];
    await bundler(folder, (message) => warnings.push(message), isUsed ? plugin : undefined);
    return {
      folder,
      warnings,
      script: await readFile(join(folder, 'out/main.js'), 'utf8'),
      from: pathToFileURL(join(folder, 'out/main.js')).href,
    };
  };

  test('it changes no byte that is sent, no outcome, no ledger and no preview', async () => {
    const [plain, resolved] = [await built(files, false), await built(files, true)];
    const [one, other] = [(await import(plain.from)) as Run, (await import(resolved.from)) as Run];
    expect(other.wire).toBe(one.wire);
    expect(other.document).toEqual(one.document);
    for (const seed of [1, 2]) {
      const seen = await one.run(seed);
      expect(seen).toContain('delivered');
      expect(await other.run(seed)).toBe(seen);
    }
  });

  test('it writes the schema beside the bundle, also that of a module with types', async () => {
    const typed = small('2').replace('const schema', "const app: 'notes' = 'notes'; export const schema").replace("app: 'notes',", 'app,');
    const texts = { 'main.js': "export { default } from './schema.ts';", 'schema.ts': typed };
    const { folder, from, warnings } = await built(texts, true);
    const { default: wire } = (await import(from)) as { readonly default: string };
    const written = JSON.parse(await readFile(join(folder, 'out/notes-1.schema.json'), 'utf8')) as { readonly app: string };
    expect(wire).toMatch(new RegExp(`^${written.app}/1/`));
    expect(warnings).toEqual([]);
  });

  test('a schema over its budget does not build, and the message has the table of charges', async () => {
    await expect(built({ 'main.js': small('1') }, true)).rejects.toThrow(
      /budget: expected charges of at most 1 per month, got\s+a: 1 x 1 = 1/,
    );
  });

  test('a schema that depends on where it runs stays as it is, and the build says so', async () => {
    const { script, warnings } = await built({ 'main.js': small("'window' in globalThis ? 2 : 3") }, true);
    expect(warnings).toEqual([expect.stringContaining('a schema is not known at build time')]);
    expect(script).toMatch(/["'`]window["'`] ?in globalThis/);
  });
});

describe('a schema', () => {
  const HEAD = "import { choice, defineSchema, flag } from '@murmuration/client';\n";
  const metric = "flag({ epsilon: 0.5, description: 'x' })";
  const define = (epsilon: string, metrics = `{ a: ${metric} }`): string =>
    `defineSchema({ app: 'notes', version: 1, budget: { epsilon: ${epsilon}, per: 'month' }, metrics: ${metrics} })`;
  const listed = define('1', "{ a: choice(list, { epsilon: 0.5, description: 'x' }) }");
  const wireOf = (schema: string): string => `const schema = ${schema};\nexport default schema.wire;`;
  const imported = `import { epsilon } from './epsilon.js';\n${HEAD}${wireOf(define('epsilon'))}`;

  /** Builds with and without the plugin. The schemas must have the same names, whether they are written out or not. */
  async function compared(files: { readonly [file: string]: string }) {
    const seen = [];
    for (const used of [undefined, plugin]) {
      const folder = await folderWith(files);
      const warnings: string[] = [];
      await bundlers.esbuild(folder, (message) => warnings.push(message), used);
      const from = join(folder, 'out/main.js');
      const { default: value } = (await import(pathToFileURL(from).href)) as { readonly default: unknown };
      seen.push({ value, warnings, script: await readFile(from, 'utf8') });
    }
    const [plain, resolved] = seen;
    return { plain, resolved };
  }

  test.each([
    ['made by a function', `const epsilon = 1; const make = (epsilon) => ${define('epsilon')}; export default make(2).wire;`],
    ['made in a block', `const epsilon = 1; let schema; { const epsilon = 2; schema = ${define('epsilon')}; } export default schema.wire;`],
    ['made in a class', `class Made { epsilon = 2; get() { return ${define('this.epsilon')}; } } export default new Made().get().wire;`],
    ['of a list that grows first', `const list = ['a', 'b']; list.push('c'); ${wireOf(listed)}`],
    ['of a list that a function fills', `const list = ['a']; const add = (x) => list.push(x); add('b'); ${wireOf(listed)}`],
    ['of a list that a loop fills', `const list = []; for (const x of ['a', 'b']) list.push(x); ${wireOf(listed)}`],
    ['of metrics that are added', `const metrics = { a: ${metric} }; metrics.b = ${metric}; ${wireOf(define('1', 'metrics'))}`],
    ['of a variable that is set again', `let epsilon = 1; epsilon = 2; ${wireOf(define('epsilon'))}`],
  ])('%s stays as it is, and the build says so', async (_, text) => {
    const { plain, resolved } = await compared({ 'main.js': HEAD + text });
    expect(resolved?.script).toBe(plain?.script);
    expect(resolved?.warnings).toEqual([expect.stringContaining('a schema is not known at build time')]);
  });

  test.each([
    ['a random number', 'export const epsilon = 1 + Math.random();'],
    ['the time', 'export const epsilon = new Date().getTime();'],
    ['the place', "export const epsilon = typeof window === 'undefined' ? 1 : 2;"],
    ['the environment', "export const epsilon = process.env.NODE_ENV === 'production' ? 1 : 2;"],
    ['the network', "export const epsilon = (await fetch('data:,1')).status;"],
  ])('whose imports read %s stays as it is', async (_, text) => {
    const { resolved } = await compared({ 'main.js': imported, 'epsilon.js': text });
    expect(resolved?.warnings).toEqual([expect.stringContaining('a schema is not known at build time')]);
  });

  test.each([
    [
      'through a namespace',
      wireOf(define('1')).replace('defineSchema', 'client.defineSchema'),
      "import * as client from '@murmuration/client';\n",
    ],
    [
      'under a quoted name',
      wireOf(define('1')).replace('defineSchema', 'd'),
      "import { 'defineSchema' as d } from '@murmuration/client';\n",
    ],
    ['with another in its file', `const list = ['a', 'b']; const one = ${listed};\n${wireOf(listed)}`, ''],
    ['after a directive', wireOf(define('1')), ''],
  ])('%s is written out', async (_, text, head) => {
    const { plain, resolved } = await compared({ 'main.js': `'use client';\n${head}${HEAD}${text}` });
    expect(resolved?.warnings).toEqual(plain?.warnings);
    expect(resolved?.value).toBe(plain?.value);
    expect(resolved?.script).toContain('__proto__:null,a:{type:');
    expect(resolved?.script.slice(0, 12)).toBe(plain?.script.slice(0, 12));
  });

  test('runs no declaration that it does not need, and what its imports begin ends with the evaluation', async () => {
    const folder = await folderWith({
      'main.js': `${HEAD}import { epsilon } from './epsilon.js'; const e = epsilon, other = missing(); ${wireOf(define('e'))}`,
      'epsilon.js': 'export const epsilon = 1; globalThis.leaked = setInterval(() => {}, 1_000);',
    });
    const warnings: string[] = [];
    await bundlers.esbuild(folder, (message) => warnings.push(message), plugin);
    expect(warnings).toEqual([]);
    expect('leaked' in globalThis).toBe(false);
  });
});

describe('a start', () => {
  const HEAD = `import { createTelemetry, memoryStorage } from '@murmuration/client';
    import { schema } from './schema.js';
    const endpoint = '/t', storage = memoryStorage();\n`;
  const SCHEMA = `import { defineSchema, flag } from '@murmuration/client';
    export const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 1, per: 'month' }, metrics: { a: flag(${ask}) } });`;

  /** What the bundle holds of the options that need code of their own. */
  async function held(start: string): Promise<readonly string[]> {
    const folder = await folderWith({ 'main.js': HEAD + start, 'schema.js': SCHEMA });
    await bundlers.esbuild(folder, () => {}, plugin);
    const script = await readFile(join(folder, 'out/main.js'), 'utf8');
    const traces = { key: '?key=', consent: 'globalPrivacyControl', upload: '"later"', sampleRate: '.draw' };
    return Object.entries(traces).flatMap(([option, trace]) => (script.includes(trace) ? [option] : []));
  }
  const ALL = ['key', 'consent', 'upload', 'sampleRate'];

  test.each([
    ['without options', 'createTelemetry({ schema, endpoint, storage });', []],
    ['in a function', 'export const start = () => createTelemetry({ schema, endpoint, storage });', []],
    ['with a key', "createTelemetry({ schema, endpoint, storage, key: 'pk_1' });", ['key']],
    ['with a consent', "createTelemetry({ schema, endpoint, storage, consent: 'granted' });", ['consent']],
    ['with a number of batches', 'createTelemetry({ schema, endpoint, storage, batchesPerDay: 2 });', ['upload']],
    ['with a share of devices', "createTelemetry({ schema, endpoint, storage, 'sampleRate': 0.5 });", ['sampleRate']],
    ['with options of another object', 'const more = {}; createTelemetry({ schema, endpoint, storage, ...more });', ALL],
    ['with a computed option', "const name = 'key'; createTelemetry({ schema, endpoint, storage, [name]: 'pk_2' });", ALL],
    ['with options in a variable', 'const options = { schema, endpoint, storage }; createTelemetry(options);', ALL],
    [
      'under a name that is also another’s',
      'export const start = (createTelemetry) => createTelemetry({ schema }); createTelemetry({ schema, endpoint, storage });',
      ALL,
    ],
  ])('%s holds the code of its own options', async (_, start, expected) => {
    expect(await held(start)).toEqual(expected);
  });
});
