/** What else changed: the other metrics of an app between the same two selections, judged together, from a real store. */

import { randomBytes } from 'node:crypto';
import { defineSchema, flag, text } from '@murmuration/client';
import { createReader } from '@murmuration/collector/reader';
import { dayNumber, dayText, MAX_REPORTS, toBase64url } from '@murmuration/shared';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOW, type Running, sendTo, start } from '../../kit/app.ts';

const ask = { epsilon: 1, description: 'A question?' } as const;
const asked = { dark: flag(ask), tour: flag(ask), near: flag(ask), same: flag(ask), rare: flag(ask), page: text(ask) };
const common = { app: 'notes', budget: { epsilon: 9, per: 'month' } } as const;
const before = defineSchema({ ...common, version: 1, metrics: asked });
const after = defineSchema({ ...common, version: 2, metrics: { ...asked, late: flag(ask) } });

const EACH = 1_000;
/** Reports that say yes, of 1,000 in each version. Without noise of their own: the law's is in their variance. */
const YES = { dark: [500, 650], tour: [500, 700], near: [500, 551], same: [500, 505] } as const;

const batch = (wire: string, reports: readonly (readonly [string, string])[]): string =>
  JSON.stringify({ v: 1, schema: wire, day: dayText(dayNumber(NOW)), batch: randomBytes(16).toString('hex'), reports });
const says = (metric: string, yes: number, of: number): readonly (readonly [string, string])[] =>
  Array.from({ length: of }, (_, i) => [metric, toBase64url(Uint8Array.of(i < yes ? 1 : 0))] as const);

let running: Running;
beforeAll(async () => {
  running = await start({ schemas: [before.document, after.document], perMetric: MAX_REPORTS, minimum: 20 });
  const bodies = [before.wire, after.wire].flatMap((wire, version) => [
    ...Object.entries(YES).map(([metric, yes]) => batch(wire, says(metric, yes[version] as number, EACH))),
    batch(wire, says('rare', 5, 10)),
  ]);
  await sendTo(running.url, bodies);
});
afterAll(() => running.close());

const versions = [{ version: 1 }, { version: 2 }] as const;
const reader = () => createReader(undefined, { url: running.url });

test('a metric differs only at its part of the level, and those that are left out have theirs', async () => {
  const { level, looks, others } = await reader().others('dark', ...versions, { looks: 'once' });
  expect([level, looks]).toEqual([0.05 / 6, 'once']);
  expect(Object.fromEntries(others.map(({ metric, state }) => [metric, state]))).toEqual({
    late: 'not-asked',
    near: 'unclear',
    page: 'strings',
    rare: 'few',
    same: 'unclear',
    tour: 'differs',
  });
  // Alone, the difference of `near` is told from 0.
  const alone = await reader().compare('near', ...versions, { looks: 'once' });
  expect(alone.differences[0]?.isClear).toBe(true);
  // The range that is told is the one of all together, so it is wider.
  const rangeOf = (verdict = ''): readonly number[] => [...verdict.matchAll(/\d+(?:\.\d+)?/g)].map(([figure]) => Number(figure));
  const [tour] = others.filter(({ metric }) => metric === 'tour');
  const [, low = 0, high = 0] = rangeOf(tour?.verdict);
  const [, lowAlone = 0, highAlone = 0] = rangeOf((await reader().compare('tour', ...versions, { looks: 'once' })).verdict);
  expect([tour?.verdict?.startsWith('yes is higher by '), low < lowAlone, high > highAlone]).toEqual([true, true, true]);
});

test('it holds at every look unless a single one is asked for, and needs that where days are left out', async () => {
  const { looks, others } = await reader().others('tour', ...versions);
  expect([looks, others.find(({ metric }) => metric === 'dark')?.state]).toEqual(['always', 'differs']);
  const exclude = [dayText(dayNumber(NOW) - 1)];
  await expect(reader().others('tour', ...versions, { exclude })).rejects.toMatchObject({ status: 400, code: 'bad-query' });
  await expect(reader().others('tour', { version: 1 }, { version: 9 })).rejects.toMatchObject({ status: 404 });
});
