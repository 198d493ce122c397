/** Wrong tokens are limited by address; nothing else is: neither who signs in rightly, nor sessions, nor the neighbours of a guesser. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collector, type CollectorOptions, createCollector } from '@murmuration/collector';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { schema } from '../../../kit/senders.ts';

const MOST = 10;
/** The first second of a minute. */
const START = Date.parse('2026-11-20T12:00:01Z');

let folder: string;
let collector: Collector;
let url: string;
let right: string;
let time: number;

async function open(access: CollectorOptions['access'] = { trustProxy: ['loopback'] }): Promise<void> {
  collector = await createCollector({ schemas: [schema.document], data: folder, now: () => time, access });
  collector.admin.announceFirst((token) => {
    right = token;
  });
  url = await collector.listen(0, '127.0.0.1');
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-sign-ins-'));
  time = START;
});
afterEach(async () => {
  await collector.close();
  rmSync(folder, { recursive: true });
});

const signIn = (token: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ token }),
  });

const read = (headers: Record<string, string>): Promise<Response> => fetch(`${url}/v1/session`, { headers });
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });

/** How many of these requests are refused with each status. */
async function statuses(count: number, ask: () => Promise<Response>): Promise<readonly number[]> {
  const found: number[] = [];
  for (let i = 0; i < count; i++) found.push((await ask()).status);
  return found;
}

const times = (count: number, status: number): readonly number[] => Array.from({ length: count }, () => status);

test('ten wrong tokens a minute are answered 401, whichever way they come, and then 429 until the minute is over; a right one always passes', async () => {
  await open();
  const here = from('192.0.2.1');
  expect(await statuses(MOST / 2, () => signIn('at_wrong', here))).toEqual(times(MOST / 2, 401));
  expect(await statuses(MOST / 2, () => read({ ...bearer('at_wrong'), ...here }))).toEqual(times(MOST / 2, 401));
  for (const ask of [
    () => signIn('at_wrong', here),
    () => signIn(right.slice(0, -1), here),
    () => read({ ...bearer('at_wrong'), ...here }),
  ]) {
    const answer = await ask();
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('set-cookie')]).toEqual([429, '59', null]);
    expect(await answer.json()).toEqual({
      error: 'too-many',
      expected: 'at most 10 failed sign-ins a minute from one address',
      got: 'more; try again later',
    });
  }
  expect((await signIn(right, here)).status).toBe(204);
  expect((await fetch(`${url}/metrics`, { headers: { ...bearer(right), ...here } })).status).toBe(200);
  expect((await signIn('at_wrong', here)).status).toBe(429);
  time += 59_000;
  expect((await signIn('at_wrong', here)).status).toBe(401);
  expect((await signIn(right, here)).status).toBe(204);
});

test('right tokens are never counted, and neither are sessions that have ended', async () => {
  await open();
  expect(await statuses(3 * MOST, () => signIn(right))).toEqual(times(3 * MOST, 204));
  expect(await statuses(3 * MOST, () => read(bearer(right)))).toEqual(times(3 * MOST, 200));
  expect(await statuses(3 * MOST, () => read({ cookie: 'murmuration=ended' }))).toEqual(times(3 * MOST, 401));
  expect(await statuses(3 * MOST, () => read({}))).toEqual(times(3 * MOST, 401));
  expect((await signIn(right)).status).toBe(204);
});

test('a session goes on beside a guesser at the same address', async () => {
  await open();
  const cookie = (await signIn(right)).headers.get('set-cookie')?.split(';')[0] ?? '';
  await statuses(MOST, () => signIn('at_wrong'));
  expect((await signIn('at_wrong')).status).toBe(429);
  expect((await read({ cookie })).status).toBe(200);
});

test('an address has a limit of its own, and an IPv6 network one for all of its addresses', async () => {
  await open();
  await statuses(MOST, () => signIn('at_wrong', from('192.0.2.1')));
  expect((await signIn('at_wrong', from('192.0.2.2'))).status).toBe(401);
  expect((await signIn(right, from('192.0.2.2'))).status).toBe(204);
  expect((await signIn('at_wrong', from('::ffff:192.0.2.1'))).status).toBe(429);
  let host = 0;
  expect(await statuses(MOST + 1, () => signIn('at_wrong', from(`2001:db8:1:2::${(++host).toString(16)}`)))).toEqual([
    ...times(MOST, 401),
    429,
  ]);
  expect((await signIn(right, from('2001:db8:1:3::1'))).status).toBe(204);
});

test('who is behind no trusted proxy can forward no address', async () => {
  await open({});
  let host = 0;
  expect(await statuses(MOST + 1, () => signIn('at_wrong', from(`192.0.2.${++host}`)))).toEqual([...times(MOST, 401), 429]);
});

test('Bearer in any case, another scheme and an empty token are failures like any other', async () => {
  await open();
  const odd = [
    'bearer at_wrong',
    'BEARER at_wrong',
    'Bearer',
    'Bearer a b',
    'Basic YTpi',
    'Bearer  at_wrong ',
    'Digest x',
    ',',
    'a',
    'Bearer\tx',
  ];
  for (const authorization of odd) expect([authorization, (await read({ authorization })).status]).toEqual([authorization, 401]);
  expect((await read({ authorization: 'bearer at_wrong' })).status).toBe(429);
  expect((await read({ authorization: `bearer ${right}` })).status).toBe(200);
});
