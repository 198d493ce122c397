/** `murmuration keys`, and the options of `serve` about access: what they print, what they refuse, and that a running collector follows. */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalSchema } from '@murmuration/shared';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { batch, schema } from '../../../kit/senders.ts';
import { bin, type Ran, runCommand } from '../../../setup/command.ts';

let folder: string;
let data: string;
let file: string;

const keys = (...args: string[]): Ran => runCommand('keys', ...args, '--data', data);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-keys-'));
  data = join(folder, 'data');
  file = join(folder, 'schema.json');
  writeFileSync(file, canonicalSchema(schema.document));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** `serve` on a free port, with everything that it says. */
async function serve(...args: string[]): Promise<{ readonly child: ChildProcess; readonly url: string; readonly said: () => string }> {
  const child = spawn(process.execPath, [bin, 'serve', '--schema', file, '--data', data, '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
  await expect.poll(() => /listens on (http\S+)/.test(said)).toBe(true);
  return { child, url: /listens on (http[^\s,]+)/.exec(said)?.[1] ?? '', said: () => said };
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

describe('the command', () => {
  test('creates, lists and revokes keys and tokens, and shows a secret once', () => {
    const key = keys('create', '--app', 'abuse', '--per-minute', '600');
    expect(key).toMatchObject({ status: 0, stdout: expect.stringMatching(/^pk_[\w-]{22}\n$/) });
    expect(key.stderr).toContain('It is public');
    const token = keys('create', '--role', 'viewer', '--name', 'ann', '--app', 'abuse', 'other');
    expect(token).toMatchObject({ status: 0, stdout: expect.stringMatching(/^at_[\w-]{43}\n$/) });
    expect(JSON.parse(keys('create', '--app', 'abuse', '--json').stdout)).toEqual({ name: 'abuse-2', key: expect.stringMatching(/^pk_/) });
    const { stdout } = keys('list', '--json');
    expect(stdout).not.toContain(token.stdout.trim());
    const created = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
    expect((JSON.parse(stdout) as { keys: unknown[] }).keys).toEqual([
      { name: 'abuse', role: 'writer', apps: ['abuse'], perMinute: 600, key: key.stdout.trim(), created, revoked: null },
      { name: 'abuse-2', role: 'writer', apps: ['abuse'], key: expect.stringMatching(/^pk_/), created, revoked: null },
      { name: 'ann', role: 'viewer', apps: ['abuse', 'other'], created, revoked: null },
    ]);
    expect(keys('list').stdout).toMatch(/ann +viewer +abuse, other/);
    expect(keys('revoke', key.stdout.trim())).toMatchObject({ status: 0, stdout: 'revoked abuse\n' });
    expect(keys('revoke', 'ann')).toMatchObject({ status: 0, stdout: 'revoked ann\n' });
  });

  test.each([
    [['create'], '--app: expected one app for a write key, or --role for an access token'],
    [['create', '--app', 'a', 'b'], '--app: expected one app for a write key'],
    [['create', '--app', '1st'], '--app: expected a letter'],
    [['create', '--app', 'a', '--per-minute', '0'], '--per-minute: expected a whole number'],
    [['create', '--role', 'owner', '--name', 'x'], '--role: expected one of analyst, viewer, reviewer, admin, got "owner"'],
    [['create', '--role', 'viewer'], '--name: expected the name of the person or program'],
    [['create', '--role', 'viewer', '--name', 'ann'], '--name: expected a name that no key or token has had, got "ann"'],
    [['create', '--role', 'viewer', '--name', 'x', '--per-minute', '1'], '--per-minute: expected a write key'],
    [['revoke', 'nobody'], 'expected the name of a key or token, or a write key, got "nobody"'],
    [['revoke', 'ann'], 'expected a key or token that is not revoked yet, got "ann"'],
    [['revoke'], "missing required argument 'name'"],
    [['rotate'], 'unknown command'],
  ])('keys %j is wrong usage, in one line', (args, message) => {
    const { status, stdout, stderr } = keys(...args);
    expect({ status, stdout, lines: stderr.trim().split('\n').length }).toEqual({ status: 2, stdout: '', lines: 1 });
    expect(stderr).toContain(message);
  });

  test('list and revoke do not create a folder that was misspelt', () => {
    const wrong = join(folder, 'wrong');
    expect(runCommand('keys', 'list', '--data', wrong).status).toBe(2);
    expect(runCommand('keys', 'revoke', 'x', '--data', wrong).status).toBe(2);
    expect(existsSync(wrong)).toBe(false);
  });

  test('create, roles set and schemas retire create nothing where they are refused', () => {
    const wrong = join(folder, 'wrong');
    for (const args of [
      ['keys', 'create', '--app', 'a b'],
      ['keys', 'create', '--role', 'viewer', '--name', 'a b'],
      ['roles', 'set', 'ann@example.com', '--role', 'viewer', '--app', 'a b'],
      ['schemas', 'retire', 'x'],
    ])
      expect([args, runCommand(...args, '--data', wrong).status, existsSync(wrong)]).toEqual([args, 2, false]);
  });
});

describe('serve', () => {
  test.each([
    [['--open', '--host', '0.0.0.0'], '--open: expected a --host that only this machine reaches'],
    [['--open', '--host', '::'], '--open: expected a --host that only this machine reaches'],
    [['--open', '--read-port', '0', '--read-host', '192.0.2.1'], '--open: expected a --host that only this machine reaches'],
    [['--auth-header', 'X Remote', '--trust-proxy', 'loopback'], '--auth-header: expected the name of a header'],
    [['--auth-header', 'Authorization', '--trust-proxy', 'loopback'], '--auth-header: expected the name of a header'],
    [['--open', '--auth-header', 'x-user', '--trust-proxy', 'loopback'], '--open: expected no --auth-header'],
    [['--auth-header', 'x-user'], '--auth-header: expected --trust-proxy with the addresses of the proxy'],
    [['--auth-header', 'x-user', '--trust-proxy', '1'], '--auth-header: expected --trust-proxy with the addresses of the proxy'],
    [['--auth-role', 'viewer'], '--auth-role: expected --auth-header'],
    [['--trust-proxy', 'everyone'], '--trust-proxy: expected a number from 1 to 9, or addresses'],
    [['--trust-proxy', '0'], '--trust-proxy: expected a number from 1 to 9, or addresses'],
    [['--trust-proxy', '10.0.0.0/99'], '--trust-proxy: expected a number from 1 to 9, or addresses'],
    [['--read-host', '127.0.0.1'], '--read-host: expected --read-port'],
  ])('serve %j is wrong usage, in one line', (args, message) => {
    const { status, stdout, stderr } = runCommand('serve', '--schema', file, '--data', join(folder, 'unused'), '--port', '0', ...args);
    expect({ status, stdout, lines: stderr.trim().split('\n').length }).toEqual({ status: 2, stdout: '', lines: 1 });
    expect(stderr).toContain(message);
    expect(existsSync(join(folder, 'unused'))).toBe(false);
  });

  test('the first start prints an admin token once, and says how an app gets its key; a key made meanwhile is in force in seconds', async () => {
    data = join(folder, 'fresh');
    const first = await serve();
    const post = async (key: string): Promise<number> =>
      (await fetch(`${first.url}/v1/reports?key=${key}`, { method: 'POST', body: batch() })).status;
    await expect.poll(first.said).toContain('murmuration keys create --app abuse');
    const admin = /at_[\w-]{43}/.exec(first.said())?.[0] ?? '';
    expect((await fetch(`${first.url}/v1/keys`, { headers: { authorization: `Bearer ${admin}` } })).status).toBe(200);
    expect((await fetch(`${first.url}/v1/keys`)).status).toBe(401);
    const key = keys('create', '--app', 'abuse').stdout.trim();
    await expect.poll(() => post(key)).toBe(204);
    keys('revoke', key);
    await expect.poll(() => post(key)).toBe(403);
    await end(first.child);
    const second = await serve('--open', '--read-port', '0');
    await expect.poll(second.said).toContain('Open: reads need no token');
    expect(second.said()).not.toContain('at_');
    const reads = /for reads on (http\S+)/.exec(second.said())?.[1];
    expect((await fetch(`${reads}/v1/metrics`)).status).toBe(200);
    expect((await fetch(`${second.url}/v1/metrics`)).status).toBe(404);
    await end(second.child);
  });
});
