/** Options of `serve` from its command line, the environment and a file: which comes first, and what is an error. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { defineSchema, flag } from '@murmuration/client';
import { canonicalSchema } from '@murmuration/shared';
import { Command } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import { addServe } from '#collector/cli/serve.ts';
import { effectiveSettings, fillSettings } from '#collector/cli/settings.ts';
import { raw, report, schema } from '../../kit/senders.ts';
import { bin, runCommand } from '../../setup/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'murmuration-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const save = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
const document = save('schema.json', canonicalSchema(schema.document));
/** Another schema with the same app and version. */
const other = save(
  'other-schema.json',
  canonicalSchema(
    defineSchema({
      app: 'abuse',
      version: 1,
      budget: { epsilon: 2, per: 'month' },
      metrics: { dark: flag({ epsilon: 1, description: 'Dark?' }) },
    }).document,
  ),
);

/** The options of `serve` in effect, for this command line, environment and file. */
function settings(args: readonly string[], environment: Record<string, string> = {}, file?: unknown): Record<string, unknown> {
  const program = new Command();
  addServe(program);
  const [serve] = program.commands;
  if (serve === undefined) throw new Error('expected the command');
  let found: Record<string, unknown> = {};
  serve.action(() => {
    fillSettings(serve, environment);
    found = effectiveSettings(serve);
  });
  const more = file === undefined ? [] : ['--config', save('config.json', JSON.stringify(file))];
  program.parse(['serve', ...args, ...more], { from: 'user' });
  return found;
}

const failing = (environment: Record<string, string>, file?: unknown): string => {
  try {
    return `no error: ${JSON.stringify(settings([], environment, file))}`;
  } catch (error) {
    return (error as Error).message.replace(join(folder, 'config.json'), 'FILE');
  }
};

describe('which place comes first', () => {
  const environment = { MURMURATION_PORT: '2', MURMURATION_PER_MINUTE: '20' };
  const file = { port: 3, perMinute: 30, keepAlive: 75 };

  test('the command line, then the environment, then the file, then the defaults', () => {
    expect(settings(['--port', '1'], environment, file)).toMatchObject({ port: 1, perMinute: 20, keepAlive: 75, minimum: 20 });
  });

  test('every option can be set by each of them, and is printed', () => {
    const names = Object.keys(settings([])).filter((name) => name !== 'config');
    expect(names).toEqual(
      expect.arrayContaining(['schema', 'candidates', 'data', 'host', 'origin', 'perMetric', 'mostQueued', 'leastFree']),
    );
    const special: { readonly [name: string]: readonly [text: string, value: unknown] } = {
      ...Object.fromEntries(['schema', 'candidates', 'allowHost', 'frameAncestors', 'trustProxy'].map((name) => [name, ['x', ['x']]])),
      ...Object.fromEntries(['data', 'spill', 'host', 'readHost', 'authHeader', 'relayKeys'].map((name) => [name, ['x', 'x']])),
      origin: ['https://a.example', ['https://a.example']],
      open: ['true', true],
      allowLoss: ['true', true],
      views: ['true', true],
      postgres: ['postgres://h/d', 'postgres://h/d'],
      authRole: ['reviewer', 'reviewer'],
      alerts: ['https://:secret@chat.example/hook', 'https://chat.example'],
    };
    for (const name of names) {
      const [text, value] = special[name] ?? ['70', 70];
      const variable = `MURMURATION_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
      expect(settings([], { [variable]: text })[name], variable).toEqual(value);
      expect(settings([], {}, { [name]: text })[name], name).toEqual(value);
    }
  });

  test('lists are lists in the file, and separated by commas in the environment', () => {
    const origins = ['https://a.example', 'https://b.example'];
    expect(settings([], { MURMURATION_ORIGIN: origins.join() })).toMatchObject({ origin: origins });
    expect(settings([], { MURMURATION_ORIGIN: 'https://c.example' }, { origin: origins })).toMatchObject({ origin: ['https://c.example'] });
  });

  test('the file may be named by the environment', () => {
    expect(settings([], { MURMURATION_CONFIG: save('other.json', '{ "port": 5 }') })).toMatchObject({ port: 5 });
  });

  test('variables of other programs are left alone', () => {
    expect(settings([], { MURMUR_PORT: '1', PORT: '2', port: '3' })).toMatchObject({ port: 8080 });
  });
});

describe('what is an error', () => {
  test.each([
    [{ MURMURATION_PRT: '1' }, undefined, 'environment: unknown setting "MURMURATION_PRT"; the nearest is MURMURATION_PORT'],
    [{ MURMURATION_CHECK_CONFIG: 'true' }, undefined, 'environment: unknown setting "MURMURATION_CHECK_CONFIG"'],
    [
      { MURMURATION_PORT: 'tcp://10.0.0.1:80' },
      undefined,
      'MURMURATION_PORT: --port: expected a whole number from 0 to 65535, got "tcp://',
    ],
    [{ MURMURATION_ORIGIN: 'https://a.example,b' }, undefined, 'MURMURATION_ORIGIN: --origin: expected an origin'],
    [{}, { perMinut: 3 }, 'FILE: unknown setting "perMinut"; the nearest is perMinute'],
    [{}, { 'per-minute': 3 }, 'the nearest is perMinute'],
    [{}, { config: 'x' }, 'FILE: unknown setting "config"'],
    [{}, { perMinute: 0 }, 'FILE: perMinute: --per-minute: expected a whole number from 1'],
    [{}, { perMinute: 1.5 }, 'got "1.5"'],
    [{}, { perMinute: [1, 2] }, 'FILE: perMinute: expected one value, got 2'],
    [{}, { perMinute: null }, 'FILE: perMinute: expected a text, a number, true, false or a list of texts, got null'],
    [{}, { origin: [] }, 'FILE: origin: expected a text, a number, true, false or a list of texts, got []'],
    [{}, { origin: [{}] }, 'got [{}]'],
    [{}, [], '--config FILE: expected an object, got []'],
    [{}, 'text', '--config FILE: expected an object, got "text"'],
    [{ MURMURATION_CONFIG: '/nowhere.json' }, undefined, '--config /nowhere.json: expected a file, got none'],
  ])('%j %j: %s', (environment, file, message) => {
    expect(failing(environment, file)).toContain(message);
  });

  test('a wrong value, even where another place has precedence', () => {
    expect(() => settings(['--port', '1'], {}, { port: 'x' })).toThrow('port: --port: expected a whole number');
  });
});

describe('murmuration serve --check-config', () => {
  test('prints what is in effect and exits 0', () => {
    const { status, stdout, stderr } = runCommand('serve', '--schema', document, '--keep-alive', '75', '--check-config');
    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ schema: [document], keepAlive: 75, mostQueued: 96 });
  });

  test('leaves a folder of an older version as it is, since an older collector may use it', () => {
    const data = join(folder, 'older');
    expect(runCommand('schemas', 'publish', document, '--data', data).status).toBe(0);
    const inDatabase = (statement: string): Record<string, unknown> | undefined => {
      const database = new DatabaseSync(join(data, 'admin.sqlite'));
      const row = database.prepare(statement).get();
      database.close();
      return row;
    };
    inDatabase('DROP TABLE user');
    inDatabase('PRAGMA user_version = 2');
    expect(runCommand('serve', '--data', data, '--check-config')).toMatchObject({ status: 0, stderr: '' });
    expect(inDatabase('PRAGMA user_version')).toEqual({ user_version: 2 });
  });

  test.each([
    [[], '--schema: expected a schema module or canonical JSON, or one that schemas publish has put into .data, got none'],
    [['--schema', '/nowhere.json'], '--schema /nowhere.json: expected a file, got none'],
    [['--schema', document, other], '--schema: schema abuse: expected one schema of version 1, got'],
    [['--schema', document, '--candidates', `plan=${document}`], '--candidates: expected a text metric'],
    [['--schema', document, '--keep-alive', '0'], '--keep-alive: expected a whole number from 1'],
    [['--schema', document, '--config', document], 'unknown setting "about"'],
    [['--schema', document, '--open', '--trust-proxy', '1'], '--open: expected no --trust-proxy, since everybody whom the proxy lets in'],
    [['--schema', document, '--open', '--trust-proxy', 'loopback', '10.0.0.0/8'], 'a token or a key, got loopback 10.0.0.0/8'],
    [['--schema', document, '--open', '--trust-proxy', 'loopback', '--auth-header', 'X-User'], '--open: expected no --auth-header'],
  ])('exits 2 with one line for %j', (args, message) => {
    const { status, stdout, stderr } = runCommand('serve', '--check-config', ...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

test.each([
  ['the command line', ['--open', '--trust-proxy', 'loopback'], {}, {}],
  ['a file', [], { open: true, trustProxy: ['loopback'] }, {}],
  ['a file and the command line', ['--open'], { trustProxy: 1 }, {}],
  ['the environment', [], {}, { MURMURATION_OPEN: 'true', MURMURATION_TRUST_PROXY: 'loopback' }],
  ['a file and the environment', [], { open: true }, { MURMURATION_TRUST_PROXY: 'loopback,10.0.0.0/8' }],
])(
  'an open collector behind a proxy does not start: %s',
  (_where, args, file, environment) => {
    const config = save('open.json', JSON.stringify(file));
    const data = join(folder, 'never');
    const all = ['serve', '--schema', document, '--data', data, '--port', '0', '--config', config, ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...all], {
      encoding: 'utf8',
      env: { ...process.env, ...environment },
    });
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^murmuration: --open: expected no --trust-proxy, .*\n$/)]);
    expect(existsSync(data)).toBe(false);
  },
  60_000,
);

test('serve says once what is in effect, keeps connections as long as it is told, and answers what it has before SIGTERM ends it', async () => {
  const args = ['serve', '--open', '--schema', document, '--port', '0', '--data', join(folder, 'data'), '--least-free', '0'];
  const child = spawn(process.execPath, [bin, ...args], { env: { ...process.env, MURMURATION_KEEP_ALIVE: '75' } });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const url = /http:\S+/.exec(line)?.[0] ?? '';
  const request = report();
  const { socket, answer } = await raw(url, request.slice(0, -20));
  const { headers } = await fetch(`${url}/livez`); // the collector has begun to read the report by now
  expect(headers.get('keep-alive')).toBe('timeout=75');
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await expect.poll(() => log).toContain('stopping');
  socket.write(request.slice(-20));
  expect(await answer).toMatch(/^HTTP\/1\.1 204 [\s\S]*connection: close/i);
  expect(await exit).toEqual([0, null]);
  const started = log
    .trim()
    .split('\n')
    .flatMap((each): { readonly settings?: object }[] => (each.startsWith('{') ? [JSON.parse(each)] : []))
    .filter(({ settings }) => settings);
  expect(started).toEqual([expect.objectContaining({ settings: expect.objectContaining({ keepAlive: 75, leastFree: 0, minimum: 20 }) })]);
}, 60_000);
