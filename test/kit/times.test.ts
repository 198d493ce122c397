/** What looks for times finer than a day finds them however they are written, and days and random ids are none. */

import { randomBytes, randomUUID } from 'node:crypto';
import { dayNumber, dayText } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { timesIn } from './times.ts';

const NOW = Date.parse('2026-11-20T12:34:56.789Z');
const span = { from: NOW - 2_000, to: NOW + 2_000 };

const bytes = (width: number, number: bigint): Buffer => Buffer.from(number.toString(16).padStart(2 * width, '0'), 'hex');
const reversed = (buffer: Buffer): Buffer => Buffer.from(buffer).reverse();
const hex = NOW.toString(16).padStart(12, '0');
const double = Buffer.alloc(8);
double.writeDoubleBE(NOW / 1000);

test.each([
  ['a number of seconds', Math.floor(NOW / 1000)],
  ['a number of seconds with a fraction', NOW / 1000],
  ['a number of milliseconds', NOW],
  ['a number of microseconds', BigInt(NOW) * 1_000n],
  ['a number of minutes', Math.floor(NOW / 60_000)],
  ['a date', new Date(NOW)],
  ['text', new Date(NOW).toISOString()],
  ['digits in a key', `flush:${NOW}:1`],
  ['a UUID of version 7', `${hex.slice(0, 8)}-${hex.slice(8)}-7123-8123-0123456789ab`],
  ['a UUID of version 7 in bytes', Buffer.concat([Buffer.from('ab'), bytes(6, BigInt(NOW)), randomBytes(10)])],
  ['milliseconds in bytes', reversed(bytes(8, BigInt(NOW)))],
  ['nanoseconds in base64', bytes(8, BigInt(NOW) * 1_000_000n).toString('base64url')],
  ['a double', reversed(double)],
])('%s', (_name, value) => {
  expect(timesIn([value], span)).not.toEqual([]);
});

test('seconds in four bytes, of each of a few rows', () => {
  const rows = [0, 1, 1].map((more) => Buffer.concat([Buffer.from([7]), bytes(4, BigInt(Math.floor(NOW / 1000) + more))]));
  expect(timesIn(rows, span)).toEqual(['seconds in 4 bytes']);
});

test('days, counts, random ids and hashes are none', () => {
  const day = dayNumber(NOW);
  const ids = Array.from({ length: 50 }, () => [randomUUID(), randomBytes(16), randomBytes(32).toString('base64url')]).flat();
  expect(timesIn([day, dayText(day), new Date(day * 86_400_000), 0, 12_345, null, 'notes/1/5f3a9c1e02b7d866', ...ids], span)).toEqual([]);
});
