/** Sources of batches, and how many are remembered. */

import { expect, test } from 'vitest';
import { RateLimits } from '#collector/ingest/sender-limits.ts';

test('a source has another name the next day, and neighbours in one IPv6 network have one', () => {
  const sources = new RateLimits(1);
  const name = sources.nameOf('192.0.2.7', 1);
  expect(sources.nameOf('192.0.2.7', 1)).toBe(name);
  expect(sources.nameOf('192.0.2.8', 1)).not.toBe(name);
  expect(sources.nameOf('2001:db8:1:2:3::4', 1)).toBe(sources.nameOf('2001:db8:1:2:ffff::1', 1));
  const namesOf = (...addresses: string[]): number => new Set(addresses.map((address) => sources.nameOf(address, 1))).size;
  expect(namesOf('2001:db8::1:2:3:4', '2001:db8::ffff:2:3:4', '2001:0DB8:0:0:7::', '2001:db8::', '2001:db8::192.0.2.7')).toBe(1);
  expect(namesOf('2001:db8::1:2:3:4', '2001:db8:0:1::', '2001:db8:1::', '::1', 'fe80::1%eth0')).toBe(5);
  expect(namesOf('::ffff:192.0.2.7', '::ffff:c000:207', '0:0:0:0:0:ffff:192.0.2.7')).toBe(1);
  expect(namesOf('::ffff:192.0.2.7', '::ffff:192.0.2.8', '::1')).toBe(3);
  expect(namesOf('192.0.2.7', '192.0.2.7:4711', '192.0.2.7:4712', '[::ffff:192.0.2.7]:4711')).toBe(1);
  expect(namesOf('2001:db8:7::1', '[2001:db8:7::2]', '[2001:db8:7::1]:4711')).toBe(1);
  expect(namesOf('', 'unknown', 'somebody', '_hidden', '192.0.2.7:', '[x]:1')).toBe(1);
  expect(sources.nameOf('192.0.2.7', 2)).not.toBe(name);
  expect(name).not.toContain('192');
});

test('what is remembered is bounded: the source that came first is forgotten after 100,000 others', () => {
  const sources = new RateLimits(1);
  sources.add('first', 1, 0);
  for (let i = 0; i < 99_999; i++) sources.add(`${i}`, 1, 0);
  expect(sources.isSpent('first', 0)).toBe(true);
  sources.add('last', 1, 0);
  expect([sources.isSpent('first', 0), sources.isSpent('last', 0)]).toEqual([false, true]);
});
