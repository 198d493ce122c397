/** What streams read of the ledger while it is locked, in both stores: no more entries for the thousandth question than for the first. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCollector } from '@murmuration/collector';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { budgetsOf } from '#collector/release/budget/budgets.ts';
import type { Random } from '#collector/release/mechanisms/random.ts';
import { StreamOver } from '#collector/release/streams/ask.ts';
import { Streams } from '#collector/release/streams/streams.ts';
import type { Entry, Ledger } from '#collector/storage/release-ledger.ts';
import { schema } from '../../../kit/app.ts';
import { places } from '../places.ts';
import { catalog, far, giveBudgets, request, SILENT, stored } from './table.ts';

/** A ledger that notes each entry that is read. */
function noting(ledger: Ledger): { readonly ledger: Ledger; readonly read: Entry[] } {
  const read: Entry[] = [];
  const transact: Ledger['transact'] = (work) =>
    ledger.transact((transaction) =>
      work({
        ...transaction,
        find: async (wanted) => {
          const found = await transaction.find(wanted);
          read.push(...found);
          return found;
        },
      }),
    );
  return { ledger: { ...ledger, transact }, read };
}

describe.each(places)('a stream in $name', (place) => {
  let location: string;
  let ledger: Ledger;
  let noted: ReturnType<typeof noting>;
  let streams: Streams;
  let random: Random;

  beforeEach(async () => {
    location = await place.make();
    ledger = place.open(location);
    await giveBudgets(ledger, '100', '100');
    noted = noting(ledger);
    random = SILENT;
    const drawing: Random = {
      uniform: (t) => random.uniform(t),
      flip: (...parts) => random.flip(...parts),
      decay: (...parts) => random.decay(...parts),
    };
    streams = new Streams({ ledger: noted.ledger, read: stored(), random: drawing });
  });
  afterEach(async () => {
    await ledger.close();
    await place.remove(location);
  });

  const open = async (again = false): Promise<number> =>
    (await streams.open({ analysts: ['ann', 'ben'], catalog, who: 'test', request, again })).stream;
  const ask = (stream: number, where: Record<string, readonly string[]>) => streams.ask({ analyst: 'ann', apps: [], stream, where });
  const secret = (stream: number) => ledger.transact((transaction) => transaction.secrets.of(stream));
  /** What is read meanwhile: how often each kind. */
  const reading = async (work: () => Promise<unknown>): Promise<Record<string, number>> => {
    noted.read.length = 0;
    await work();
    const kinds = noted.read.map(({ kind }) => kind);
    return Object.fromEntries([...new Set(kinds)].sort().map((kind) => [kind, kinds.filter((other) => other === kind).length]));
  };

  const PLATFORMS = [['web'], ['ios'], ['android'], ['web', 'ios'], ['web', 'android'], ['ios', 'android']] as const;

  test('reads itself and the hard answer that came last for a new question, and one answer for a stored one', async () => {
    const [first, second] = [await open(), await open(true)];
    await ask(second, { tier: ['pro'] });
    await ask(second, { tier: ['free'] });
    await ask(first, { platform: ['web'] });
    random = far();
    for (const platform of PLATFORMS) await ask(first, { platform });
    const asked = await reading(() => ask(first, {}));
    // Twice each: before the ledger is locked for the answer, and then.
    expect(asked).toEqual({ stream: 2, 'stream-hard': 2 });
    expect(await reading(() => ask(first, { platform: ['ios', 'web', 'ios'], tier: ['pro', 'free'] }))).toEqual({
      stream: 1,
      'stream-easy': 1,
    });
    expect(await reading(() => expect(ask(99_999, {})).rejects.toThrow('expected the number of a stream that ann may ask'))).toEqual({});
  });

  test('is listed and counted without its answers, and shown with the newest of them', async () => {
    const stream = await open();
    random = far();
    for (const platform of PLATFORMS) await ask(stream, { platform });
    expect(await reading(() => streams.list({ apps: [] }))).toEqual({ stream: 1 });
    const [listed] = await streams.list({ apps: [] });
    const { answers, ...shown } = await streams.show({ apps: [] }, stream);
    expect([listed?.answered, shown, answers.map(({ where }) => where['platform'])]).toEqual([
      6,
      listed,
      PLATFORMS.map((values) => ['android', 'ios', 'web'].filter((value) => (values as readonly string[]).includes(value))),
    ]);
    expect((await streams.show({ apps: [] }, stream, 2)).answers).toEqual(answers.slice(-2));
    expect((await streams.show({ apps: [] }, stream, 0)).answers).toEqual([]);
  });

  test('knows what was spent from the charges of its app and who shares streams of others, read once by a transaction', async () => {
    await giveBudgets(ledger, '100', '100', 'all', 'other');
    const charge = { kind: 'charge', app: 'other', analyst: 'ann', question: 'a hash' } as const;
    const body = { from: 1, to: 1, cost: { epsilon: '1/9', rho: '1/99' } };
    await ledger.transact(async (transaction) => {
      for (let i = 0; i < 5; i++) await transaction.append('ann', { ...charge, body });
      await transaction.append('ann', { ...charge, question: 'opening 1', body: { ...body, shared: 99 } });
      await transaction.append('cid', { ...charge, analyst: 'cid', question: 'opening 1', body: { ...body, shared: 99 } });
    });
    const { groups, charges } = await ledger.transact((transaction) => budgetsOf(transaction, 'notes'));
    expect([groups, charges]).toEqual([[['ann', 'cid']], []]);
    // Two transactions look at the budgets: before the rows are read, and after.
    expect(await reading(() => open())).toMatchObject({ charge: 4 });
  });

  test('writes only the columns that a question restricts, and all reports as no restriction', async () => {
    const stream = await open();
    await ask(stream, { platform: ['web', 'ios', 'android'], tier: ['pro'] });
    await ask(stream, { platform: ['web', 'ios', 'android'], tier: ['free', 'pro'] });
    expect((await streams.show({ apps: [] }, stream)).answers.map(({ where }) => where)).toEqual([{ tier: ['pro'] }, {}]);
    expect(await ask(stream, {})).toMatchObject({ isRepeated: true });
  });

  test('is opened once by equal openings at the same time, in one process', async () => {
    const [one, two] = await Promise.all([open(), open()]);
    expect(one).toBe(two);
    const entries = await ledger.transact((transaction) => transaction.find({ app: 'notes' }));
    expect(entries.slice(4).map(({ kind }) => kind)).toEqual(['charge', 'charge', 'stream']);
  });

  test('is opened once by two processes: the second waits for what the first was charged for', async () => {
    const other = place.open(location);
    const [{ promise: gate, resolve: release }, { promise: charged, resolve: reached }] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
    ];
    try {
      const charges = async () => (await ledger.transact((transaction) => transaction.find({ kind: 'charge' }))).length;
      const slow: Ledger = {
        ...other,
        transact: async (work) => {
          if ((await charges()) > 0) {
            reached();
            await gate;
          }
          return other.transact(work);
        },
      };
      const parts = { read: stored(), random: SILENT, patience: 60_000 };
      const opening = { analysts: ['ann', 'ben'], catalog, who: 'test', request };
      const first = new Streams({ ...parts, ledger: slow }).open(opening);
      await charged;
      let looks = 0;
      const counted: Ledger = { ...ledger, transact: (work) => ledger.transact(work).finally(() => looks++) };
      const second = new Streams({ ...parts, ledger: counted }).open(opening);
      const waited = Promise.race([second, expect.poll(() => looks).toBeGreaterThan(3)]);
      await waited;
      expect(await charges()).toBe(2);
      release();
      const opened = await first;
      expect(await second).toEqual({ ...opened, isRepeated: true });
      expect(await charges()).toBe(2);
    } finally {
      release();
      await other.close();
    }
  });

  /** A stream whose process has ended between its last answer and the deletion of its counts. */
  async function crashed(): Promise<number> {
    const more = { ...request, hard: 1 };
    const { stream } = await streams.open({ analysts: ['ann'], catalog, who: 'test', request: more });
    let transactions = 0;
    const crashing: Ledger = {
      ...ledger,
      transact: (work) => (++transactions > 2 ? Promise.reject(new Error('the power failed')) : ledger.transact(work)),
    };
    const last = new Streams({ ledger: crashing, read: stored(), random: SILENT }).ask({
      ...{ analyst: 'ann', apps: [], stream, where: { platform: ['web'] } },
    });
    await expect(last).rejects.toThrow('the power failed');
    return stream;
  }

  test('a collector that starts deletes what a crash has left, and leaves streams that still answer alone', async () => {
    const [left, open] = [await crashed(), await streams.open({ analysts: ['ben'], catalog, who: 'test', request })];
    const data = mkdtempSync(join(tmpdir(), 'murmuration-start-'));
    try {
      const where = place.name === 'SQLite' ? { data: location } : { data, postgres: location, allowLoss: true };
      const collector = await createCollector({ open: true, schemas: [schema.document], ...where });
      await collector.close();
    } finally {
      rmSync(data, { recursive: true });
    }
    expect([await secret(left), typeof (await secret(open.stream))]).toEqual([undefined, 'string']);
  });

  test.each<[string, (stream: number) => Promise<unknown>]>([
    ['a new question', (stream) => expect(ask(stream, { tier: ['free'] })).rejects.toThrow(StreamOver)],
    ['a stored question', (stream) => ask(stream, { platform: ['web'] })],
    ['a list', () => streams.list({ apps: [] })],
    ['a look at it', (stream) => streams.show({ apps: [] }, stream)],
    ['its close', (stream) => streams.close('test', stream)],
    ['the start of a collector', () => streams.tidy()],
  ])('loses its counts by %s if a crash after its last answer has left them', async (_name, look) => {
    const stream = await crashed();
    expect(await secret(stream)).toBeDefined();
    await look(stream);
    expect(await secret(stream)).toBeUndefined();
  });
});
