/** Decodes that collectors on one database share: who computes, who follows, and who takes over. */

import { createCollector } from '@murmuration/collector';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DecodeTask, Progress } from '#collector/answers/decoded-strings.ts';
import { type PackedAnswer, pack } from '#collector/answers/packed-answer.ts';
import { type Compute, SharedDecodes } from '#collector/answers/shared-decodes.ts';
import { prepare } from '#collector/storage/postgres/opening.ts';
import { bodyOf, NOW, schema, sendTo } from '../../kit/app.ts';
import { createDatabase, dropDatabase } from '../../setup/postgres.ts';
import { execute } from '../../setup/postgres-server.ts';

const TASK = { of: [{ metric: { metric: 'home' }, range: {} }], settings: { minimum: 1, fdr: 0.05, all: false } } as unknown as DecodeTask;
const SOURCE = '[[3]]';
const LISTS = new Map([['home', ['page 0', 'page 1']]]);
const answer = (who: string): PackedAnswer => pack('strings', [{ answer: 'page 0' }], { who });
const never = (): Promise<PackedAnswer> => Promise.reject(new Error('expected no second decode'));
const untold = (): undefined => undefined;
const nobody = (): AbortSignal => new AbortController().signal;

let url: string;
let opened: SharedDecodes[];
const open = (version = '1.0.0', candidates = LISTS): SharedDecodes => {
  const shared = new SharedDecodes({ source: { postgres: url }, candidates, version });
  opened.push(shared);
  return shared;
};
const ask = (shared: SharedDecodes, compute: Compute, tell: (how: Progress) => void = untold, signal = nobody()): Promise<PackedAnswer> =>
  shared.answer(TASK, SOURCE, signal, tell, compute);
const rows = (columns: string): Promise<readonly (readonly unknown[])[]> =>
  execute(url, `SELECT ${columns} FROM murmuration.decoded ORDER BY begun`);

beforeEach(async () => {
  url = await createDatabase();
  await prepare({ postgres: url }, true);
  opened = [];
});
afterEach(async () => {
  for (const shared of opened) await shared.close();
  await dropDatabase(url);
});

/** A decode that ends when it is told to. */
function slow(): {
  readonly compute: Compute;
  readonly begun: Promise<void>;
  readonly end: (result?: Error) => void;
  readonly runs: () => number;
} {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let runs = 0;
  return {
    compute: async (tell) => {
      runs++;
      tell({ stage: 'decoding', candidates: 2, steps: 8 });
      begun.resolve();
      await ended.promise;
      return answer('the first');
    },
    begun: begun.promise,
    end: (error) => (error ? ended.reject(error) : ended.resolve()),
    runs: () => runs,
  };
}

test('one collector decodes, and the others tell how far it is and take its answer', async () => {
  const [first, second, third] = [open(), open(), open()];
  const work = slow();
  const asked = ask(first, work.compute);
  await work.begun;
  const told: Progress[] = [];
  const followers = [ask(second, never, (how) => told.push(how)), ask(third, never)];
  await expect.poll(() => told.at(-1)).toEqual({ stage: 'decoding', candidates: 2, steps: 8 });
  work.end();
  expect(await asked).toEqual(answer('the first'));
  expect(await Promise.all(followers)).toEqual([answer('the first'), answer('the first')]);
  expect(work.runs()).toBe(1);
  expect(new Set(told.map((how) => how.stage)).size).toBe(told.length);
  // And it is kept for who comes later.
  expect(await ask(open(), never)).toEqual(answer('the first'));
});

test.each([
  ['another version', '1.0.1', LISTS],
  ['another list', '1.0.0', new Map([['home', ['page 0']]])],
] as const)('collectors of %s do not share', async (_, version, list) => {
  await ask(open(), async () => answer('one'));
  expect(await ask(open(version, list as typeof LISTS), async () => answer('other'))).toEqual(answer('other'));
});

test('an answer of other tallies is another one', async () => {
  const shared = open();
  await ask(shared, async () => answer('old'));
  expect(await shared.answer(TASK, '[[4]]', nobody(), untold, async () => answer('new'))).toEqual(answer('new'));
});

test('another collector takes over from one whose clients went, whose decode failed, or that is gone', async () => {
  const first = open();
  for (const why of ['the clients went', 'a decode failed']) {
    const work = slow();
    const asked = ask(first, work.compute);
    await work.begun;
    const taken = ask(open(), async () => answer('the second'));
    work.end(new Error(why));
    await expect(asked).rejects.toThrow(why);
    expect(await taken).toEqual(answer('the second'));
    await execute(url, 'DELETE FROM murmuration.decoded');
  }
  // A collector that was killed prolongs nothing, and writes nothing once its claim is another's.
  const work = slow();
  const asked = ask(first, work.compute);
  await work.begun;
  await execute(url, `UPDATE murmuration.decoded SET claim = gen_random_uuid(), held = now()`);
  expect(await ask(open(), async () => answer('the second'))).toEqual(answer('the second'));
  work.end();
  expect(await asked).toEqual(answer('the first'));
  await first.close();
  opened.shift();
  expect(await ask(open(), never)).toEqual(answer('the second'));
});

test('who goes while another collector decodes is gone at once', async () => {
  const work = slow();
  const asked = ask(open(), work.compute);
  await work.begun;
  const control = new AbortController();
  const following = ask(open(), never, untold, control.signal);
  control.abort();
  await expect(following).rejects.toThrow('aborted');
  work.end();
  await asked;
});

test('an answer is found by its age, and by nobody who wants a younger one', async () => {
  const shared = open();
  expect(await shared.find(TASK, 60_000)).toBeUndefined();
  await ask(shared, async () => answer('one'));
  expect(await shared.find(TASK, 60_000)).toBe(SOURCE);
  await execute(url, `UPDATE murmuration.decoded SET begun = begun - interval '61 seconds'`);
  expect(await shared.find(TASK, 60_000)).toBeUndefined();
  expect(await open('1.0.1').find(TASK, 100_000)).toBeUndefined();
});

test('what is old, too long or one of too many is not kept', async () => {
  const shared = open();
  await ask(shared, async () => pack('strings', [], { text: 'x'.repeat(2 ** 21) }));
  await expect.poll(() => rows('task')).toEqual([]);
  await execute(
    url,
    `INSERT INTO murmuration.decoded SELECT 'task', 'source ' || i, gen_random_uuid(), now() - i * interval '1 second',
      now() - i * interval '1 second', NULL, 'x' FROM generate_series(1, 100) AS i`,
  );
  await execute(url, `UPDATE murmuration.decoded SET held = now() - interval '301 seconds' WHERE source = 'source 1'`);
  await ask(shared, async () => answer('one'));
  await expect.poll(async () => (await rows('source')).length).toBe(64);
  expect((await rows('source')).map(([source]) => source)).not.toContain('source 1');
});

test('two collectors that are asked over HTTP decode once', async () => {
  const options = { open: true, allowLoss: true, minimum: 1, now: () => NOW, candidates: { home: ['page 0', 'page 1', 'page 9'] } };
  const collectors = [];
  for (let i = 0; i < 2; i++) collectors.push(await createCollector({ ...options, schemas: [schema.document], postgres: url }));
  try {
    const [one = '', other = ''] = await Promise.all(collectors.map((collector) => collector.listen(0, '127.0.0.1')));
    await sendTo(one, await Promise.all(Array.from({ length: 40 }, (_, i) => bodyOf(i))));
    const decode = (address: string, age: number): Promise<Response> =>
      fetch(`${address}/v1/metrics/home/decode`, { headers: { 'cache-control': `max-age=${age}` } });
    const bodies = await Promise.all([one, other].map(async (address) => (await decode(address, 0)).text()));
    expect(bodies[0]).toContain('"strings":[');
    expect(bodies[1]).toBe(bodies[0]);
    const [[claim] = []] = await rows('claim');
    await sendTo(other, [await bodyOf(41)]);
    // Readers who accept an answer of this age get it from both; others make one of them decode again.
    expect(await (await decode(other, 600)).text()).toBe(bodies[0]);
    expect(await rows('claim')).toEqual([[claim]]);
    expect(await (await decode(one, 0)).text()).not.toBe(bodies[0]);
    expect(await rows('claim')).toHaveLength(2);
  } finally {
    for (const collector of collectors) await collector.close();
  }
});
