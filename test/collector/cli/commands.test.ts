/** The commands, run as people run them: their output, their exit codes, their one line of complaint. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, defineSchema, flag, joint, text } from '@murmuration/client';
import { canonicalSchema, type Mechanism, meanVariance, mechanismOf, type ShareLaw } from '@murmuration/shared';
import { afterAll, describe, expect, test } from 'vitest';
import { originsOption } from '#collector/base/usage.ts';
import { tokenPair } from '#collector/ingest/tokens.ts';
import { bin, runCommand as run, runProcess } from '../../setup/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'murmuration-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ask = { epsilon: 1, description: 'a question' };
const save = (name: string, schema: { readonly document: Parameters<typeof canonicalSchema>[0] }): string => {
  const file = join(folder, name);
  writeFileSync(file, canonicalSchema(schema.document));
  return file;
};
const budget = { epsilon: 5, per: 'month' } as const;
const first = save('first.json', defineSchema({ app: 'notes', version: 1, budget, metrics: { plan: choice(['a', 'b'], ask) } }));
const grown = save(
  'grown.json',
  defineSchema({ app: 'notes', version: 2, budget, metrics: { plan: choice(['a', 'b', 'c'], ask), dark: flag(ask) } }),
);
const same = save('same.json', defineSchema({ app: 'notes', version: 1, budget, metrics: { plan: choice(['a', 'b', 'c'], ask) } }));
const swapped = save('swapped.json', defineSchema({ app: 'notes', version: 2, budget, metrics: { plan: choice(['b', 'a'], ask) } }));

/** A list whose last answer is `other`. */
const unlisted = (answers: readonly string[], version: number): string =>
  save(
    `unlisted-${answers.join('-')}-${version}.json`,
    defineSchema({ app: 'notes', version, budget, metrics: { plan: choice(answers, { ...ask, other: true }) } }),
  );
const empty = join(folder, 'null.ts');
writeFileSync(empty, 'export const schema = null;');
const strings = save(
  'strings.json',
  defineSchema({
    app: 'pages',
    version: 1,
    budget,
    metrics: { page: text(ask), pair: joint({ page: text, plan: ['a', 'b'] }, ask), plan: choice(['a', 'b'], ask) },
  }),
);

describe('murmuration schema', () => {
  test('prints names, charges and canonical JSON', () => {
    const { status, stdout } = run('schema', '--schema', first, '--json');
    const value = JSON.parse(stdout);
    expect(status).toBe(0);
    expect(value.schema).toMatch(/^notes\/1\/[0-9a-f]{16}$/);
    expect(value.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(value.charges).toEqual([{ metric: 'plan', times: 1, epsilon: 1, charge: 1 }]);
    expect(run('schema', '--schema', first).stdout).toContain('charges      1 of 5 per month');
  });

  test('prints the canonical JSON alone, as serve takes it', () => {
    expect(run('schema', '--schema', first, '--document')).toEqual({ status: 0, stdout: `${readFileSync(first, 'utf8')}\n`, stderr: '' });
    for (const other of [['--json'], ['--against', grown]])
      expect(run('schema', '--schema', first, '--document', ...other)).toMatchObject({
        status: 2,
        stderr: `murmuration: --document: expected neither --json nor --against beside it, got ${other[0]}\n`,
      });
  });

  test('tells what may follow what', () => {
    expect(run('schema', '--schema', grown, '--against', first)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('dark: added'),
    });
    expect(run('schema', '--schema', same, '--against', first)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('version: expected more than 1'),
    });
    expect(run('schema', '--schema', swapped, '--against', first)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('append-only'),
    });
    expect(run('schema', '--schema', unlisted(['a', 'b', 'c'], 2), '--against', unlisted(['a', 'b'], 1))).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('reports of the two versions are not added up'),
    });
    for (const after of [unlisted(['b', 'a'], 2), unlisted(['a'], 2), swapped])
      expect(run('schema', '--schema', after, '--against', unlisted(['a', 'b'], 1))).toMatchObject({
        status: 1,
        stdout: expect.stringContaining('append-only'),
      });
    expect(JSON.parse(run('schema', '--schema', first, '--against', first, '--json').stdout)).toMatchObject({ changes: [], allowed: true });
  });
});

/** A module that holds `first`, and runs a line before. */
const moduleOf = (name: string, line: string): string => {
  const file = join(folder, name);
  writeFileSync(file, `${line}\nexport const schema = ${readFileSync(first, 'utf8')};\n`);
  return file;
};

describe('a schema module', () => {
  test('that prints does not spoil what a command prints', () => {
    const { status, stdout, stderr } = runProcess(
      'schema',
      '--json',
      '--schema',
      moduleOf('loud.ts', "console.log('loading'); process.stdout.write('still')"),
    );
    expect([status, JSON.parse(stdout).charges.length]).toEqual([0, 1]);
    expect(stderr).toBe('loading\nstill');
  });

  test.each(['process.exit(0);', 'await new Promise(() => {});'])('that ends the process fails the command: %s', (line) => {
    const file = moduleOf('ending.ts', line);
    const { status, stdout, stderr } = runProcess('audit', '--schema', file);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`murmuration: --schema ${file}: expected a module that loads, got one that ends the process\n`);
  });

  test.each([
    ['ts', 'answers: readonly string[]'],
    ['js', 'answers'],
  ])('in a .%s file is loaded where package.json says that files are CommonJS, as `npm init` writes it', (kind, declared) => {
    const project = mkdtempSync(join(folder, 'init-'));
    writeFileSync(join(project, 'package.json'), '{ "type": "commonjs" }');
    writeFileSync(join(project, `answers.${kind}`), `export const ${declared} = ['a', 'b'];\n`);
    const imports = `import { answers } from './answers.${kind}';\n`;
    const schema = join(project, `schema.${kind}`);
    writeFileSync(
      schema,
      `${imports}if (answers.length !== 2) throw new Error();\nexport const schema = ${readFileSync(first, 'utf8')};\n`,
    );
    const { status, stdout, stderr } = runProcess('schema', '--json', '--schema', schema);
    expect([status, JSON.parse(stdout).charges.length, stderr]).toEqual([0, 1, '']);
  });

  test.each(['ts', 'js'])('in a .%s file is loaded without a warning where no package.json says what files are', (kind) => {
    const file = join(mkdtempSync(join(folder, 'typeless-')), `schema.${kind}`);
    writeFileSync(file, `export const schema = ${readFileSync(first, 'utf8')};\n`);
    const { NODE_NO_WARNINGS: _, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'schema', '--document', '--schema', file], {
      encoding: 'utf8',
      env,
    });
    expect([status, stdout.trimEnd(), stderr]).toEqual([0, readFileSync(first, 'utf8'), '']);
  });

  test('of each version is loaded, whatever it prints', async () => {
    const child = spawn(process.execPath, [
      bin,
      'serve',
      ...['--schema', moduleOf('one.ts', "console.log('one')"), grown, '--port', '0', '--data', join(folder, 'versions')],
    ]);
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    child.kill();
    await once(child, 'exit');
    expect(line).toMatch(/^Murmuration listens on /);
  });
});

describe('murmuration simulate', () => {
  const simulate = (...args: string[]): ReturnType<typeof run> =>
    run('simulate', '--type', 'choice', '--answers', '16', '--epsilon', '1', '--clients', '1000', '--rounds', '30', '--json', ...args);

  test.each([
    [],
    ['--mechanism', 'k-ary'],
    ['--mechanism', 'subset'],
    ['--mechanism', 'unary'],
    ['--mechanism', 'symmetric-unary'],
    ['--mechanism', 'local-hashing'],
    ['--mechanism', 'binary-local-hashing'],
    ['--mechanism', 'hadamard'],
    ['--mechanism', 'projective'],
    ['--mechanism', 'count-mean-sketch'],
    ['--mechanism', 'hadamard-count-mean-sketch'],
    ['--mechanism', 'd-bit-flip', '--bits', '4'],
    ['--distribution', 'uniform'],
  ])('agrees with theory %s %s', (...args) => {
    const result = JSON.parse(simulate(...args.filter((arg) => arg !== undefined)).stdout);
    expect(Math.abs(result.mse.unbiased - result.theoryMse) / result.mseStandardError).toBeLessThan(5);
    expect(result.optimumMse).toBeLessThanOrEqual(result.theoryMse * (1 + 1e-6));
  });

  test('of a histogram is that of a list of its buckets', () => {
    const result = JSON.parse(simulate('--type', 'histogram', '--edges=-10,0,100').stdout);
    expect(result).toMatchObject({ type: 'histogram', edges: [-10, 0, 100], answers: 4 });
    expect(Math.abs(result.mse.unbiased - result.theoryMse) / result.mseStandardError).toBeLessThan(5);
  });

  test.each(['0.5', '2', '5'])('of a mean agrees with theory at ε = %s', (epsilon) => {
    const result = JSON.parse(simulate('--type', 'mean', '--range=-10,30', '--epsilon', epsilon).stdout);
    expect(result).toMatchObject({ type: 'mean', mechanism: 'scored', range: [-10, 30], bytesPerReport: 1 });
    expect(Math.abs(result.mse - result.theoryMse) / result.mseStandardError).toBeLessThan(5);
    expect(result.theoryMse).toBeLessThan(result.worstMse);
  });

  test.each([
    ['piecewise', 'piecewise'],
    ['duchi', 'piecewise'],
    ['hybrid', 'hybrid'],
    ['laplace', 'laplace'],
  ])('of a mean by %s agrees with theory', (name, mechanism) => {
    const result = JSON.parse(simulate('--type', 'mean', '--range=-10,30', '--mechanism', name).stdout);
    expect(result).toMatchObject({ type: 'mean', mechanism });
    expect(Math.abs(result.mse - result.theoryMse) / result.mseStandardError).toBeLessThan(5);
    expect(result.theoryMse).toBeLessThan(result.worstMse * (1 + 1e-9));
  });

  test.each([[], ['--mechanism', 'geometric']])('of a count agrees with theory %s %s', (...args) => {
    const result = JSON.parse(simulate('--type', 'count', '--max', '12', ...args.filter((arg) => arg !== undefined)).stdout);
    expect(result).toMatchObject({ type: 'count', mechanism: args[1] ?? 'scored', range: [0, 12] });
    expect(Math.abs(result.mse - result.theoryMse) / result.mseStandardError).toBeLessThan(5);
  });

  test('of sets agrees with theory', () => {
    const result = JSON.parse(simulate('--type', 'choices', '--at-most', '3').stdout);
    expect(result).toMatchObject({ type: 'choices', mechanism: 'privset', answers: 16, atMost: 3 });
    expect(Math.abs(result.mse.unbiased - result.theoryMse) / result.mseStandardError).toBeLessThan(5);
    expect(simulate('--type', 'choices', '--at-most', '17')).toMatchObject({ status: 2, stderr: expect.stringContaining('--at-most') });
  });

  test('of strings that nobody listed finds them, and their intervals cover', () => {
    const result = JSON.parse(
      simulate('--type', 'discover', '--answers', '8', '--longest', '4', '--epsilon', '5', '--clients', '3000', '--rounds', '2').stdout,
    );
    expect(result).toMatchObject({ type: 'discover', mechanism: 'prefix-hashing', longest: 4, answers: 8, bytesPerReport: 4 });
    expect(result.found).toBeGreaterThan(2);
    expect(result.falseDiscoveries).toBeLessThan(0.2);
    expect(result.coverage95).toBeGreaterThan(0.8);
    for (const [args, message] of [
      [['--answers', '200', '--longest', '1'], '--longest: expected room for 200 strings of letters, got 1 bytes'],
      [['--answers', '8', '--mechanism', 'pem'], '--mechanism: expected none for discover, got pem'],
      [['--answers', '8', '--permanent', '5'], '--permanent: expected --type'],
    ] as const)
      expect(simulate('--type', 'discover', ...args)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
  });

  test('of the best of options agrees with theory', () => {
    const csv = join(folder, 'utility.csv');
    writeFileSync(csv, '2,0,0\n0,2,1\n');
    const result = JSON.parse(simulate('--type', 'best', '--utility', csv).stdout);
    expect(result).toMatchObject({ type: 'best', mechanism: 'exponential', inputs: 2, bytesPerReport: 1 });
    expect(Math.abs(result.mse - result.theoryMse) / result.mseStandardError).toBeLessThan(5);
    writeFileSync(csv, '2,0\n0,x\n');
    expect(simulate('--type', 'best', '--utility', csv)).toMatchObject({ status: 2, stderr: expect.stringContaining('line 2') });
  });

  test.each([
    ['0.5', 'square-wave'],
    ['2', 'square-wave'],
    ['0.5', 'hierarchical'],
    ['4', 'hierarchical'],
  ])('of a distribution at ε = %s by %s agrees with theory, and its intervals cover', (epsilon, mechanism) => {
    const result = JSON.parse(
      simulate('--type', 'distribution', '--range=0,100', '--epsilon', epsilon, '--mechanism', mechanism, '--rounds', '12').stdout,
    );
    expect(result).toMatchObject({ type: 'distribution', mechanism, cells: 64, range: [0, 100] });
    expect(Math.abs(result.mse - result.theoryMse) / result.mseStandardError).toBeLessThan(5);
    expect(result.coverage95.below).toBeGreaterThan(0.9);
    for (const [, error] of Object.entries(result.rangeMse)) expect(error).toBeLessThan(1);
  });

  test.each([
    ['flag', []],
    ['joint', ['--lists', '3,2']],
    ['text', []],
    ['text', ['--mechanism', 'string-hashing']],
  ])('of a %s agrees with theory %s', (type, args) => {
    const result = JSON.parse(simulate('--type', type, ...args).stdout);
    expect(result).toMatchObject({ type, clients: 1000, rounds: 30 });
    const mse = type === 'text' ? result.mse : result.mse.unbiased;
    expect(Math.abs(mse - result.theoryMse) / result.mseStandardError).toBeLessThan(5);
  });

  test.each([
    ['choice', 'k-ary', ['--mechanism', 'k-ary']],
    ['choice', 'unary', ['--mechanism', 'unary']],
    ['choice', 'unary', ['--mechanism', 'symmetric-unary']],
    ['choice', 'local-hashing', ['--mechanism', 'local-hashing']],
    ['choice', 'local-hashing', ['--mechanism', 'binary-local-hashing']],
    ['choice', 'd-bit-flip', ['--mechanism', 'd-bit-flip', '--bits', '4']],
    ['flag', 'k-ary', []],
    ['joint', 'k-ary', ['--lists', '2,2']],
    ['histogram', 'k-ary', ['--edges', '0,5,10']],
    ['text', 'rappor', []],
    ['text', 'string-hashing', ['--mechanism', 'string-hashing']],
    ['mean', 'one-bit', ['--range=-10,30']],
    ['count', 'one-bit', ['--max', '12']],
  ])('of a permanent %s by %s agrees with theory, one day and five: %s', (type, mechanism, args) => {
    const result = JSON.parse(simulate('--type', type, ...args, '--permanent', '4', '--days', '5', '--clients', '1000').stdout);
    expect(result).toMatchObject({ type, mechanism, permanent: 4, days: 5 });
    const { allDays } = result;
    expect(Math.abs((result.mse.unbiased ?? result.mse) - result.theoryMse) / result.mseStandardError).toBeLessThan(5);
    expect(Math.abs(allDays.mse - allDays.theoryMse) / allDays.mseStandardError).toBeLessThan(5);
    expect(allDays.coverage95).toBeGreaterThan(0.85);
    // Five reports of a device are worth less than five devices.
    expect(allDays.theoryMse).toBeGreaterThan(result.theoryMse / 5);
  });

  test('of a permanent list has (v₁ - v∞ + T v∞) / N as the error of all days', () => {
    const result = JSON.parse(simulate('--permanent', '3', '--days', '10', '--rounds', '1').stdout);
    const { support } = mechanismOf(result.parameters) as Mechanism<ShareLaw>;
    const [one, epoch] = [support(result.parameters), support(result.parameters, 'permanent')].map((each) => meanVariance(16, each)) as [
      number,
      number,
    ];
    expect(result.theoryMse / (one / 1000)).toBeCloseTo(1, 9);
    expect(result.allDays.theoryMse / ((one - epoch + 10 * epoch) / 10_000)).toBeCloseTo(1, 9);
    expect(result.mseStandardError).toBeNull();
  });

  test('the same seed gives the same numbers', () => {
    const numbers = (seed: string): unknown => JSON.parse(simulate('--seed', seed).stdout).mse;
    expect(numbers('7')).toEqual(numbers('7'));
    expect(numbers('7')).not.toEqual(numbers('8'));
  });

  test('takes weights from a file', () => {
    const csv = join(folder, 'weights.csv');
    writeFileSync(csv, Array.from({ length: 16 }, (_, i) => `answer ${i},${i}`).join('\n'));
    expect(simulate('--distribution', csv).status).toBe(0);
    writeFileSync(csv, '1\n2\n');
    expect(simulate('--distribution', csv)).toMatchObject({ status: 2, stderr: expect.stringContaining('expected 16 lines') });
  });
});

test('murmuration simulate prints a figure a line, and no JSON', () => {
  const { status, stdout } = run('simulate', '--type', 'choice', '--answers', '4', '--epsilon', '1', '--clients', '100', '--rounds', '2');
  const lines = stdout.trimEnd().split('\n');
  expect(status).toBe(0);
  expect(lines.filter((line) => !/^[\w.]+ {2,}[\w.-]+$/.test(line))).toEqual([]);
  expect(lines).toContainEqual(expect.stringMatching(/^mse\.unbiased {2,}[\d.e-]+$/));
});

test('--version prints the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../collector/package.json', import.meta.url), 'utf8')) as { version: string };
  expect(run('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});

describe('an output that', () => {
  const ended = async (stdout: 'pipe' | number): Promise<readonly unknown[]> => {
    const child = spawn(process.execPath, [bin, 'serve', '--help'], { stdio: ['ignore', stdout, 'pipe'] });
    child.stdout?.destroy();
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint += text;
    });
    const [code] = await once(child, 'close');
    return [code, complaint];
  };

  test('nobody reads any more is no failure', async () => expect(await ended('pipe')).toEqual([0, '']));

  test('is full is one', async () => {
    const full = openSync('/dev/full', 'w');
    expect(await ended(full)).toEqual([1, expect.stringMatching(/^murmuration: expected an output that can be written, got ENOSPC.*\n$/)]);
    closeSync(full);
  });
});

describe('murmuration relay', () => {
  const file = join(folder, 'relay.json');

  test('adds keys, which are published one after the other, and admits relays, whose tokens are in no file', () => {
    const keysOf = (...args: readonly string[]): string => JSON.parse(run('relay', ...args, '--json').stdout).keys;
    const older = keysOf('rotate', file);
    const newer = keysOf('rotate', file, '--open-for', '10');
    expect(older).not.toBe(newer);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(run('serve', '--schema', first, '--relay-keys', file, '--check-config')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('expected a relay, as murmuration relay admit adds one, got none'),
    });
    const { token } = JSON.parse(run('relay', 'admit', file, 'edge', '--json').stdout);
    expect(token).toMatch(/^rt_[\w-]{32}$/);
    expect(readFileSync(file, 'utf8')).not.toContain(token);
    const { keys, relays } = JSON.parse(run('relay', 'show', file, '--json').stdout);
    expect(relays).toEqual([{ name: 'edge', perMinute: null }]);
    expect(keys).toEqual([
      { id: 1, until: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), keys: older },
      { id: 2, until: null, keys: newer },
    ]);
    expect(run('relay', 'show', file).stdout).toMatch(
      /key +opens messages until +as apps have it built in\n[\s\S]*ACkC[\s\S]*relays +edge\ntokens +of no app\n/,
    );
    expect(run('serve', '--schema', first, '--relay-keys', file, '--check-config').status).toBe(0);
  });

  test('limits a relay, whose token stays, gives it another token, whose limit stays, and ends it', () => {
    const relaysOf = () => JSON.parse(readFileSync(file, 'utf8')).relays;
    const [{ hash }] = relaysOf();
    expect(run('relay', 'limit', file, 'edge', '600').stderr).toContain('SIGHUP');
    expect(relaysOf()).toEqual([{ name: 'edge', hash, perMinute: 600 }]);
    run('relay', 'admit', file, 'edge');
    expect(relaysOf()).toEqual([{ name: 'edge', hash: expect.not.stringMatching(hash), perMinute: 600 }]);
    run('relay', 'admit', file, 'other');
    expect(run('relay', 'revoke', file, 'edge').status).toBe(0);
    expect(relaysOf()).toEqual([{ name: 'other', hash: expect.any(String) }]);
    expect(run('relay', 'revoke', file, 'edge')).toMatchObject({
      status: 2,
      stderr: 'murmuration: name: expected a relay of the file (other), got edge\n',
    });
    expect(run('relay', 'limit', file, 'other', '0').status).toBe(2);
  });

  test('says for which apps reports need a token, and prints the key for the app, or the secret for its server, again each time', () => {
    const tokens = (...args: readonly string[]) => run('relay', 'tokens', file, 'notes', ...args);
    expect(tokens('--secret')).toMatchObject({ status: 2, stderr: expect.stringContaining('app: expected one with a key of tokens') });
    const { stdout, stderr } = tokens('--from', '2028-01-15');
    expect(stderr).toContain('Reports from 2028-01-15 on need a token.');
    expect(JSON.parse(tokens('--from', '2027-01-15', '--json').stdout)).toEqual({ app: 'notes', key: stdout.trim(), from: '2027-01-15' });
    expect(JSON.parse(tokens('--json').stdout)).toEqual({ app: 'notes', key: stdout.trim(), from: '2027-01-15' });
    const secret = tokens('--secret').stdout.trim();
    expect(Buffer.from(tokenPair(secret).publicKey).toString('base64url')).toBe(stdout.trim());
    expect(run('relay', 'show', file).stdout).toContain('tokens     notes from 2027-01-15\n');
    expect(run('relay', 'show', file).stdout).not.toContain(secret);
    expect(tokens('--from', 'soon').stderr).toContain('--from: expected a day such as 2026-11-20, got "soon"');
  });

  test('writes no file that it would not read', () => {
    const before = readFileSync(file, 'utf8');
    for (const app of ['', '../notes', 'my notes', '1st']) {
      const { status, stderr } = run('relay', 'tokens', file, app);
      expect([app, status, stderr]).toEqual([app, 2, 'murmuration: tokens.1.app: expected the name of an app\n']);
    }
    for (const name of ['', 'two\nlines', 'a, b'])
      expect(run('relay', 'admit', file, name)).toMatchObject({
        status: 2,
        stderr: 'murmuration: relays.1.name: expected a name of letters, digits, ., - and _\n',
      });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('refuses a file that is none, and quotes no secret', () => {
    writeFileSync(file, readFileSync(file, 'utf8').replace('"secret": "', '"secret": "A'));
    const { status, stderr } = run('relay', 'rotate', file);
    expect([status, stderr]).toEqual([2, `murmuration: file ${file}: keys.0.secret: expected 32 bytes as base64url\n`]);
  });
});

describe('bad usage', () => {
  test.each([
    [
      [],
      'murmuration: expected a command, one of serve, schema, plan, audit, verify-package, simulate, backup, restore, days, keys, roles, schemas, relay, log, annotations, prune, delete, vacuum, migrate, export, decode, discover, release, doctor, init, got none',
    ],
    [
      ['help', 'nosuch'],
      'expected a command, one of serve, schema, plan, audit, verify-package, simulate, backup, restore, days, keys, roles, schemas, relay, log, annotations, prune, delete, vacuum, migrate, export, decode, discover, release, doctor, init, got help nosuch',
    ],
    [['frobnicate'], 'unknown command'],
    [['schema'], 'required option'],
    [['keys'], 'murmuration: keys: expected a command, one of create, list, revoke, got none'],
    [['release', 'stream'], 'murmuration: release stream: expected a command, one of open, ask, list, close, got none'],
    ...['no-such.json', 'no-such.ts'].map((name): [string[], string] => [
      ['schema', '--schema', join(folder, name)],
      `--schema ${join(folder, name)}: expected a file, got none`,
    ]),
    [['schema', '--schema', first, '--against', folder], `--against ${folder}: expected a file, got a folder`],
    [['schema', '--schema', ''], '--schema "": expected a file, got none'],
    [['export', '--schema', first, '--metric', 'plam'], 'expected metrics of the schemas (notes plan), got plam'],
    [['backup', '--verify', folder], `${folder}: expected a file that backup wrote, got something that is no file`],
    [['serve', '--open', '--schema', first, '--data', first], `--data ${first}: expected a folder, got a file`],
    [['keys', 'create', '--app', 'notes', '--data', first], `${first}: expected a folder, got a file`],
    [['schema', '--schema', empty], 'null.ts: schema: expected an object, got null'],
    [['serve', '--schema', first, '--port', '99999'], '--port: expected a whole number from 0 to 65535'],
    [['serve', '--schema', first, '--candidates', 'nonsense'], '--candidates: expected metric=FILE'],
    [
      ['serve', '--schema', first, strings, '--candidates', `nosuch=${first}`],
      '--candidates: expected a text metric of the schemas, or a joint one with a text (page, pair), got "nosuch"',
    ],
    [['serve', '--schema', first, '--candidates', `plan=${first}`], 'with a text (there is none), got "plan"'],
    ...['https://app.example/', 'https://app.example/page', 'https://App.example', 'https://app.example:443', 'app.example', 'null'].map(
      (origin): [string[], string] => [
        ['serve', '--schema', first, '--origin', 'https://app.example', origin],
        `--origin: expected an origin as browsers name it, such as https://app.example, got "${origin}"`,
      ],
    ),
    [['simulate', '--type', 'median', '--answers', '4', '--epsilon', '1'], '--type: expected one of flag, choice, joint'],
    [['simulate', '--type', 'histogram', '--epsilon', '1'], '--type histogram: expected --edges, got none'],
    [['simulate', '--type', 'count', '--epsilon', '1'], '--type count: expected --max, got none'],
    [
      ['simulate', '--type', 'distribution', '--epsilon', '1', '--range', '0,1', '--mechanism', 'magic'],
      '--mechanism: expected square-wave or hierarchical',
    ],
    [
      ['simulate', '--type', 'mean', '--epsilon', '1', '--range', '0,1', '--mechanism', 'magic'],
      '--mechanism: expected piecewise or duchi or',
    ],
    [['simulate', '--type', 'mean', '--epsilon', '1', '--range', '0,1,2'], '--range: expected two numbers, got 3'],
    ...['mean', 'distribution'].map((type): [string[], string] => [
      ['simulate', '--type', type, '--epsilon', '1', '--range=-1e308,1e308', '--json'],
      '--range: expected two numbers at most 1e+75 apart, got -1e+308,1e+308',
    ]),
    [['simulate', '--type', 'count', '--epsilon', '1', '--max', '5', '--mechanism', 'subset'], '--mechanism: expected geometric'],
    [['simulate', '--type', 'histogram', '--epsilon', '1', '--edges', '1,1'], '--edges: expected ascending numbers, at least 1'],
    [['simulate', '--type', 'choice', '--answers', '4', '--epsilon', '-1'], '--epsilon'],
    [['simulate', '--type', 'joint', '--lists', '3', '--epsilon', '1'], '--lists: expected two or more whole numbers'],
    [['simulate', '--type', 'joint', '--lists', '999,999', '--epsilon', '1'], '--lists: expected a product of at most 100000'],
    [['simulate', '--type', 'text', '--answers', '4', '--epsilon', '1', '--mechanism', 'k-ary'], 'expected rappor or string-hashing'],
    [['simulate', '--type', 'choice', '--answers', '4', '--epsilon', '1', '--mechanism', 'd-bit-flip'], 'expected --bits, got none'],
    [['simulate', '--type', 'choice', '--answers', '4', '--epsilon', '1', '--bits', '2'], '--bits: expected --mechanism d-bit-flip'],
    [
      ['simulate', '--type', 'choice', '--answers', '4', '--epsilon', '1', '--mechanism', 'd-bit-flip', '--bits', '5'],
      '--bits: expected at most as many as there are answers, 4, got 5',
    ],
    [['simulate', '--type', 'choice', '--answers', '4', '--epsilon', '1', '--days', '3'], '--days: expected --permanent with it'],
    [
      ['simulate', '--type', 'choice', '--answers', '4', '--epsilon', '1', '--permanent', '0.5'],
      '--permanent: expected at least --epsilon',
    ],
    [['simulate', '--type', 'choice', '--answers', '4', '--epsilon', '1', '--permanent', '99'], 'epsilon that 32 bits represent'],
    [['simulate', '--type', 'distribution', '--range', '0,1', '--epsilon', '1', '--permanent', '2'], '--permanent: expected --type flag'],
    [
      ['simulate', '--type', 'choice', '--answers', '4', '--epsilon', '1', '--permanent', '2', '--mechanism', 'subset'],
      'binary-local-hashing, d-bit-flip where --permanent is given',
    ],
    [
      ['simulate', '--type', 'mean', '--range', '0,1', '--epsilon', '1', '--permanent', '2', '--mechanism', 'duchi'],
      '--mechanism: expected one-bit where --permanent is given',
    ],
    [
      ['simulate', '--type', 'choice', '--answers', '4', '--epsilon', '1', '--mechanism', 'magic'],
      '--mechanism: expected one of k-ary, subset',
    ],
    [['simulate', '--type', 'choice', '--answers', '4', '--epsilon', '1', '--distribution', 'normal'], '--distribution: expected zipf:S'],
    [
      ['simulate', '--type', 'choice', '--answers', '100000', '--epsilon', '0.0001', '--mechanism', 'k-ary'],
      'epsilon that 32 bits represent',
    ],
  ])('%s', (args, message) => {
    const { status, stdout, stderr } = run(...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

test('murmuration serve says in one line why it does not start', () => {
  const data = join(folder, 'no-store');
  mkdirSync(data);
  writeFileSync(join(data, 'murmuration.sqlite'), 'no database '.repeat(100));
  const { status, stderr } = runProcess('serve', '--schema', first, '--data', data, '--port', '0');
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^murmuration: .*expected a store, got a file that is no SQLite database\n$/),
  ]);
});

test('origins of apps have schemes of their own', () => {
  const origins = ['https://app.example:8443', 'capacitor://localhost', 'chrome-extension://abcdef'];
  expect(origins.reduce<readonly string[]>((before, origin) => originsOption(origin, before), [])).toEqual(origins);
});

test('murmuration serve ends with one line where its port is taken, and leaves its store to the next', async () => {
  const data = join(folder, 'no-port');
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  for (let i = 0; i < 2; i++) {
    const { status, stdout, stderr } = runProcess('serve', '--open', '--schema', first, '--data', data, '--port', `${port}`);
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      `murmuration: --host 127.0.0.1 --port ${port}: expected an address and a port that are free, got listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
    ]);
  }
  holder.close();
});

test('murmuration serve prints its address, answers, and stops on SIGTERM with everything on the disk', async () => {
  const child = spawn(process.execPath, [bin, 'serve', '--open', '--schema', first, '--port', '0', '--data', join(folder, 'data')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const address = /http:\S+/.exec(line)?.[0];
  const { metrics } = (await (await fetch(`${address}/v1/metrics`)).json()) as { metrics: unknown[] };
  expect(metrics).toHaveLength(1);
  expect(await (await fetch(`${address}/`)).text()).toContain('<!doctype html>');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});
