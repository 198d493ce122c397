/** Roles of users whom a proxy names: the command, what each user may then read, and what forged and odd headers get. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, defineSchema } from '@murmuration/client';
import { type Collector, type CollectorOptions, createCollector } from '@murmuration/collector';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { schema } from '../../../kit/senders.ts';
import { type Ran, runCommand } from '../../../setup/command.ts';

const other = defineSchema({
  app: 'other',
  version: 1,
  budget: { epsilon: 2, per: 'month' },
  metrics: { colour: choice(['red', 'blue'], { epsilon: 1, description: 'Which colour?' }) },
});

const PROXY = { trustProxy: ['loopback'], authHeader: 'X-Remote-User' } as const;
let folder: string;
let collector: Collector | undefined;
let url: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-roles-'));
});
afterEach(async () => {
  await collector?.close();
  collector = undefined;
  rmSync(folder, { recursive: true });
});

async function open(access: CollectorOptions['access'] = PROXY, schemas = [schema.document, other.document]): Promise<void> {
  collector = await createCollector({ schemas, data: folder, access });
  url = await collector.listen(0, '127.0.0.1');
}

/** Runs the command, after which the collector has seen the change. */
function roles(...args: string[]): Ran {
  const ran = runCommand('roles', ...args, '--data', folder);
  collector?.admin.look();
  return ran;
}

interface Answer {
  readonly status: number;
  readonly body: { readonly [key: string]: unknown };
}

async function ask(path: string, user: string): Promise<Answer> {
  const response = await fetch(`${url}${path}`, { headers: { 'x-remote-user': user } });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

/** The status of a request with these header lines, as they are. */
const statusOf = (...lines: string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
    let said = '';
    socket
      .setEncoding('latin1')
      .on('data', (part: string) => {
        said += part;
      })
      .once('error', reject)
      .once('close', () => resolve(Number(said.split(' ')[1])));
    socket.write(Buffer.from(['GET /v1/keys HTTP/1.1', 'Host: localhost', ...lines, 'Connection: close', '', ''].join('\r\n'), 'latin1'));
  });

describe('the command', () => {
  test('sets, lists and removes roles, and the log of actions has each of it', async () => {
    expect(roles('set', 'ann@example.com', '--role', 'admin').stdout).toBe('ann@example.com reads as admin, all apps\n');
    expect(roles('set', 'Ben Mueller', '--role', 'viewer', '--app', 'abuse', 'other').status).toBe(0);
    expect(roles('set', 'ann@example.com', '--role', 'reviewer', '--app', 'other').status).toBe(0);
    expect(JSON.parse(roles('list', '--json').stdout)).toEqual({
      roles: [
        { name: 'Ben Mueller', role: 'viewer', apps: ['abuse', 'other'] },
        { name: 'ann@example.com', role: 'reviewer', apps: ['other'] },
      ],
    });
    expect(roles('list').stdout).toMatch(/ann@example\.com +reviewer +other/);
    expect(roles('remove', 'ann@example.com').stdout).toBe('removed ann@example.com, who now reads what --auth-role says\n');
    await open();
    const actions = collector?.admin.actions(10, undefined, []) ?? [];
    expect(actions.map(({ who, what, app }) => [who, what, app])).toEqual([
      ['command line', 'created a store in this folder', null],
      ['command line', 'took the role reviewer from the user ann@example.com', 'other'],
      ['command line', 'gave the user ann@example.com the role reviewer for other', 'other'],
      ['command line', 'gave the user Ben Mueller the role viewer for abuse, other', null],
      ['command line', 'gave the user ann@example.com the role admin for all apps', null],
    ]);
  });

  test.each([
    [['set', 'ann'], "required option '--role <role>' not specified"],
    [['set', 'ann', '--role', 'none'], '--role: expected one of analyst, viewer, reviewer, admin, got "none"'],
    [['set', 'ann', '--role', 'viewer', '--app', '../etc'], '--app: expected a letter'],
    [['set', '', '--role', 'viewer'], 'expected the name of a user in at most 255 characters'],
    [['set', ' ann', '--role', 'viewer'], 'without spaces around it, got " ann"'],
    [['set', 'a\nb', '--role', 'viewer'], 'got "a\\nb"'],
    [['set', 'jörg', '--role', 'viewer'], 'of ASCII'],
    [['set', 'a'.repeat(256), '--role', 'viewer'], 'at most 255 characters'],
    [['remove', 'nobody'], 'folder that serve, keys create or schemas publish has used'],
    [['list'], 'folder that serve, keys create or schemas publish has used'],
    [['show'], 'unknown command'],
  ])('roles %j is wrong usage, in one line, and a folder that was misspelt is not created to be read', (args, message) => {
    const nowhere = join(folder, 'nowhere');
    const { status, stdout, stderr } = runCommand('roles', ...args, '--data', nowhere);
    expect([status, stdout, stderr.trim().split('\n').length]).toEqual([2, '', 1]);
    expect(stderr).toContain(message);
    if (args[0] !== 'set') expect(existsSync(nowhere)).toBe(false);
  });

  test('a user without an entry can not be removed', () => {
    expect(roles('set', 'ann', '--role', 'viewer').status).toBe(0);
    expect(roles('remove', 'Ann')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('expected the name of a user who was given'),
    });
  });
});

describe('a user', () => {
  test('reads what the entry says, for its apps alone; others read what the default says; changes hold at once', async () => {
    await open({ ...PROXY, authRole: 'viewer' });
    roles('set', 'ann', '--role', 'admin');
    roles('set', 'ben', '--role', 'reviewer', '--app', 'other');
    expect((await ask('/v1/session', 'ann')).body).toEqual({ who: 'ann', role: 'admin', apps: [], by: 'proxy' });
    expect((await ask('/v1/session', 'ben')).body).toEqual({ who: 'ben', role: 'reviewer', apps: ['other'], by: 'proxy' });
    expect((await ask('/v1/session', 'cid')).body).toEqual({ who: 'cid', role: 'viewer', apps: [], by: 'proxy' });
    const statuses = async (user: string): Promise<readonly number[]> => {
      const found: number[] = [];
      for (const path of ['/v1/metrics/plan/estimates', '/v1/metrics/colour/estimates', '/v1/actions', '/v1/keys'])
        found.push((await ask(path, user)).status);
      return found;
    };
    expect(await statuses('ann')).toEqual([200, 200, 200, 200]);
    expect(await statuses('ben')).toEqual([404, 200, 200, 403]);
    expect(await statuses('cid')).toEqual([200, 200, 403, 403]);
    roles('remove', 'ann');
    expect(await statuses('ann')).toEqual([200, 200, 403, 403]);
  });

  test('with the default none, reads nothing without an entry, and is told whom to ask', async () => {
    await open({ ...PROXY, authRole: 'none' });
    for (const path of ['/v1/metrics', '/v1/session', '/v1/openapi.json', '/v1/nothing'])
      expect([path, await ask(path, 'cid')]).toEqual([
        path,
        { status: 403, body: { error: 'forbidden', expected: 'a user with a role, as murmuration roles set gives it', got: 'cid' } },
      ]);
    roles('set', 'cid', '--role', 'viewer');
    expect((await ask('/v1/metrics', 'cid')).status).toBe(200);
    expect((await ask('/v1/metrics', 'Cid')).status).toBe(403);
  });

  test('of an app that is published no more sees nothing', async () => {
    await open(PROXY, [schema.document]);
    roles('set', 'ben', '--role', 'admin', '--app', 'other');
    expect((await ask('/v1/metrics', 'ben')).body['metrics']).toEqual([]);
    for (const [path, list] of [
      ['/v1/schemas', 'schemas'],
      ['/v1/audit', 'audits'],
      ['/v1/keys', 'keys'],
    ] as const)
      expect([path, (await ask(path, 'ben')).body[list]]).toEqual([path, []]);
    expect((await ask('/v1/metrics/plan/estimates', 'ben')).status).toBe(404);
  });
});

describe('a header that is forged or odd', () => {
  test('counts once, in any case, with the name as it is', async () => {
    await open();
    roles('set', 'ann', '--role', 'admin');
    for (const line of ['X-Remote-User: ann', 'x-remote-user: ann', 'X-REMOTE-USER:ann', 'x-Remote-user:   ann  '])
      expect([line, await statusOf(line)]).toEqual([line, 200]);
    const nobody = [
      'X-Remote-User: ',
      'X-Remote-User',
      'X_Remote_User: ann',
      'X-Remote-User : ann',
      'X-Remote-Userx: ann',
      'Remote-User: ann',
    ];
    for (const line of nobody) expect([line, [400, 401]]).toEqual([line, expect.arrayContaining([await statusOf(line)])]);
    for (const name of ['Ann', 'ANN', 'ann,', 'ann, ann', '"ann"', 'ann;', 'ann\u00a0', 'constructor', '__proto__', 'ann\u00e4'])
      expect([name, await statusOf(`X-Remote-User: ${name}`)]).toEqual([name, 403]);
  });

  test('that comes twice names nobody, whichever of the two came from outside', async () => {
    await open();
    roles('set', 'ann', '--role', 'admin');
    expect(await statusOf('X-Remote-User: ann', 'X-Remote-User: eve')).toBe(401);
    expect(await statusOf('x-remote-user: eve', 'X-Remote-User: ann')).toBe(401);
    expect(await statusOf('X-Remote-User: ann', 'x-remote-user: ')).toBe(401);
    await collector?.close();
    await open({ ...PROXY, authHeader: 'From' }); // of which Node's headers keep the first
    expect(await statusOf('From: ann', 'From: eve')).toBe(401);
    expect(await statusOf('From: ann')).toBe(200);
  });

  test('means nothing from a machine that is no trusted proxy, whatever it forwards', async () => {
    await open({ ...PROXY, trustProxy: ['10.0.0.0/8'] });
    roles('set', 'ann', '--role', 'admin');
    for (const more of [[], ['X-Forwarded-For: 10.0.0.1'], ['Forwarded: for=10.0.0.1'], ['X-Real-IP: 10.0.0.1']])
      expect(await statusOf('X-Remote-User: ann', ...more)).toBe(401);
  });
});
