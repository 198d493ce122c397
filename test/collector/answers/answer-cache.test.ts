/** Answers that are shared, bounded, and forgotten when nobody waits; and pages of their bytes. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnswerCache, type PackedAnswer, pack, partsOf } from '#collector/answers/packed-answer.ts';
import { anyString } from '../../setup/any-string.ts';

const signal = (): AbortSignal => new AbortController().signal;
const answerOf = (bytes: number): PackedAnswer => pack('rows', [{ text: 'x'.repeat(bytes) }], {});

test('every page of an answer is its JSON with those rows, whatever the texts', () => {
  const row = fc.record({ label: anyString(), estimate: fc.double({ noNaN: true, noDefaultInfinity: true }) });
  fc.assert(
    fc.property(
      fc.array(row),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.nat(30),
      fc.integer({ min: 1, max: 30 }),
      (rows, fields, offset, limit) => {
        const { rows: _rows, page: _page, ...others } = fields;
        const bytes = Buffer.concat(partsOf(pack('rows', rows, others), { offset, limit }));
        const expected = { ...others, page: { total: rows.length, offset, limit }, rows: rows.slice(offset, offset + limit) };
        expect(JSON.parse(bytes.toString())).toEqual(JSON.parse(JSON.stringify(expected)));
      },
    ),
  );
});

test('more rows than are written at once are all there', () => {
  const rows = Array.from({ length: 2_501 }, (_, i) => ({ i, text: 'é'.repeat(i % 5) }));
  const text = Buffer.concat(partsOf(pack('rows', rows, { a: 1 }), { offset: 999, limit: 1_400 })).toString();
  expect(JSON.parse(text)).toEqual({ a: 1, page: { total: 2_501, offset: 999, limit: 1_400 }, rows: rows.slice(999, 2_399) });
});

test('equal questions are computed once, and share the bytes', async () => {
  const cache = new AnswerCache();
  let computed = 0;
  const compute = async (): Promise<PackedAnswer> => {
    computed++;
    return answerOf(10);
  };
  const all = await Promise.all([cache.get('a', signal(), compute), cache.get('a', signal(), compute)]);
  all.push(await cache.get('a', signal(), compute));
  expect(computed).toBe(1);
  expect(new Set(all.map(({ answer }) => answer)).size).toBe(1);
});

test('a failure is told to all who wait, and is not kept', async () => {
  const cache = new AnswerCache();
  const failing = cache.get('a', signal(), () => Promise.reject(new Error('no')));
  const other = cache.get('a', signal(), () => Promise.reject(new Error('not asked')));
  await expect(failing).rejects.toThrow('no');
  await expect(other).rejects.toThrow('no');
  expect((await cache.get('a', signal(), async () => answerOf(1))).answer.list).toBe('rows');
});

test('a computation is abandoned when the last who waits has gone, and not before', async () => {
  const cache = new AnswerCache();
  const [one, other] = [new AbortController(), new AbortController()];
  let abandoned: AbortSignal | undefined;
  const compute = (gone: AbortSignal): Promise<PackedAnswer> => {
    abandoned = gone;
    return new Promise(() => undefined);
  };
  const waits = [cache.get('a', one.signal, compute), cache.get('a', other.signal, compute)];
  one.abort();
  await expect(waits[0]).rejects.toThrow(/abort/);
  expect(abandoned?.aborted).toBe(false);
  other.abort();
  await expect(waits[1]).rejects.toThrow(/abort/);
  expect(abandoned?.aborted).toBe(true);
  expect((await cache.get('a', signal(), async () => answerOf(1))).answer.list).toBe('rows');
});

test('answers beyond the bound are forgotten, the longest unused first', async () => {
  const cache = new AnswerCache(100_000);
  const computed: string[] = [];
  const ask = async (key: string): Promise<void> => {
    const held = await cache.get(key, signal(), async () => {
      computed.push(key);
      return answerOf(30_000);
    });
    held.release();
  };
  for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await ask(key);
  expect(computed).toEqual(['a', 'b', 'c', 'd', 'b']);
});

test('while more than the bound is being sent nothing else is welcome, and afterwards it is', async () => {
  const cache = new AnswerCache(100_000);
  const welcome: boolean[] = [];
  const ask = (key: string, bytes: number): ReturnType<AnswerCache['get']> =>
    cache.get(key, signal(), async (_gone, isWelcome) => {
      welcome.push(isWelcome());
      return answerOf(bytes);
    });
  const held = await ask('a', 200_000);
  await ask('b', 1);
  held.release();
  held.release();
  await ask('c', 1);
  expect(welcome).toEqual([true, false, true]);
});
