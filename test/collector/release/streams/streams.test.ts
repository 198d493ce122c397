/** Streams on both stores: what opening charges, easy, hard and free answers, crashes between any two steps, races, restores, and ends. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Json } from '@murmuration/shared';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { budgetsOf, OPENING, override, spendingOf } from '#collector/release/budget/budgets.ts';
import { OverBudget } from '#collector/release/budget/limits.ts';
import { type Random, systemRandom } from '#collector/release/mechanisms/random.ts';
import { StreamOver } from '#collector/release/streams/ask.ts';
import { mechanismOf } from '#collector/release/streams/design.ts';
import type { StreamParts } from '#collector/release/streams/sessions.ts';
import { designOptionsOf, forgetStreams, hashed, type StreamAbout } from '#collector/release/streams/stream.ts';
import { Streams } from '#collector/release/streams/streams.ts';
import { type Entry, InDoubt, type Ledger } from '#collector/storage/release-ledger.ts';
import { execute as query } from '../../../setup/postgres-server.ts';
import { places } from '../places.ts';
import { COUNTS, catalog, far, giveBudgets, request, SILENT, stored } from './table.ts';

const broken: Random = {
  uniform: () => {
    throw new Error('the power failed');
  },
  flip: () => false,
  decay: () => true,
};

describe.each(places)('a stream in $name', (place) => {
  let location: string;
  let ledger: Ledger;
  const streams = (parts: Partial<StreamParts> = {}): Streams => new Streams({ ledger, read: stored(), random: SILENT, ...parts });
  const opening = (more: object = {}, analysts: readonly string[] = ['ann', 'ben']) => ({
    ...{ analysts, catalog, who: 'test' },
    request: { ...request, ...more },
  });
  const question = (stream: number, where: Record<string, readonly string[]> = {}, analyst = 'ann') => ({
    analyst,
    apps: [],
    stream,
    where,
  });
  const entries = () => ledger.transact((transaction) => transaction.find({}));
  const kinds = async (): Promise<readonly string[]> => (await entries()).slice(4).map(({ kind }) => kind);
  const secret = (stream: number) => ledger.transact((transaction) => transaction.secrets.of(stream));
  const spent = async (): Promise<Record<string, string>> => {
    const spending = spendingOf(await ledger.transact((transaction) => budgetsOf(transaction, 'notes')));
    return Object.fromEntries(
      spending.map(({ analyst = 'table', spent: { amount } }) => [analyst, `${amount.numerator}/${amount.denominator}`]),
    );
  };

  beforeEach(async () => {
    location = await place.make();
    ledger = place.open(location);
    await giveBudgets(ledger, '10');
  });
  afterEach(async () => {
    await ledger.close();
    await place.remove(location);
  });

  test('charges each of its analysts and the table once, and tells error and cost before', async () => {
    const preview = await streams().preview(opening());
    expect(preview).toMatchObject({
      left: 'ε 10',
      bound: 1,
      hard: 4,
      lasts: false,
      cost: { epsilon: '8', rho: '7.994634397913' },
      mechanism: 'weights',
    });
    expect(await kinds()).toEqual([]);
    const opened = await streams().open(opening());
    expect(opened).toMatchObject({
      analysts: ['ann', 'ben'],
      total: 10_000,
      within: preview.within,
      openDays: 1,
      hardLeft: 4,
      isRepeated: false,
    });
    expect(await spent()).toEqual({ table: '8/1', ann: '8/1', ben: '8/1', cid: '0/1' });
    expect(await streams().open(opening())).toEqual({ ...opened, isRepeated: true });
    await expect(streams().open({ ...opening(), again: true })).rejects.toThrow(
      'expected a stream within what is left of the budget of the table of notes, ε 2 a day, got one of ε 8; nothing was spent',
    );
    expect(await kinds()).toEqual(['charge', 'charge', 'stream']);
  });

  test('is the same as one that was opened while every ε was charged as ε²/2, which stays charged so', async () => {
    const opened = await streams().open(opening());
    const [found] = (await entries()).filter(({ kind }) => kind === 'stream');
    const kept = (await secret(opened.stream)) as string;
    await streams().close('test', opened.stream);
    const { total, openDays, charge, ...about } = (found as Entry).body as unknown as StreamAbout & {
      total: number;
      openDays: number;
      charge: number;
    };
    const before = { ...about, cost: { epsilon: '8', rho: '32' }, perDevice: { epsilon: '8', rho: '32' } };
    const body = { ...before, total, openDays, charge } as unknown as Json;
    const name = `${OPENING}${hashed(before as unknown as Json)}`;
    const former = await ledger.transact(async (transaction) => {
      const { n } = await transaction.append('test', { kind: 'stream', app: 'notes', analyst: '', question: name, body });
      await transaction.secrets.keep(n, kept);
      return n;
    });
    expect(await streams().open(opening())).toMatchObject({ stream: former, isRepeated: true, cost: { rho: '32' } });
  });

  test('answers easy, hard and free questions, for any of its analysts, also after a restart', async () => {
    const opened = await streams().open(opening());
    const { stream } = opened;
    const web = { platform: ['web'] };
    const first = await streams().ask(question(stream, web));
    expect(first).toMatchObject({ value: 8000, kind: 'hard', hardLeft: 3, questionsLeft: 9, isRepeated: false, analyst: 'ann' });
    await ledger.close();
    ledger = place.open(location);
    const again = await streams({ random: broken }).ask(question(stream, { tier: ['pro', 'free'], platform: ['web', 'web'] }, 'ben'));
    expect(again).toEqual({ ...first, isRepeated: true });
    const all = await streams().ask(question(stream, {}, 'ben'));
    expect(all).toMatchObject({ value: 10_000, kind: 'easy', hardLeft: 3, questionsLeft: 8 });
    const mechanism = mechanismOf(designOptionsOf(opened), opened, opened.total);
    const learned = mechanism.resume(0, [{ query: [4, 5], value: 8000 }]).guesses;
    const guessed = await streams({ random: far() }).ask(question(stream, { platform: ['ios', 'android'] }));
    expect([guessed.kind, guessed.value]).toEqual(['easy', Math.round(learned.guess([0, 1, 2, 3]))]);
    expect(Math.abs(guessed.value - 2000)).toBeLessThan(6667 - 2000);
    expect(await streams().ask(question(stream, { tier: ['pro'] }))).toMatchObject({ value: 1400, kind: 'hard', hardLeft: 2 });
    const { answered, answers } = await streams().show({ analyst: 'ben', apps: [] }, stream);
    expect([answered, answers.map(({ kind }) => kind)]).toEqual([4, ['hard', 'easy', 'easy', 'hard']]);
    expect(await streams().list({ analyst: 'cid', apps: [] })).toEqual([]);
    await expect(streams().ask(question(stream, {}, 'cid'))).rejects.toThrow(
      `expected the number of a stream that cid may ask, as the list of streams has it, got ${stream}`,
    );
    await expect(streams().ask({ ...question(stream), apps: ['other'] })).rejects.toThrow('stream: expected the number of a stream');
  });

  test('shows its threshold and its counts nowhere, and writes easy and hard answers of one length', async () => {
    const { stream } = await streams().open(opening());
    const kept = (await secret(stream)) as string;
    const { threshold, counts } = JSON.parse(kept) as { readonly threshold: number; readonly counts: readonly unknown[] };
    expect([threshold > 0, counts]).toEqual([true, COUNTS.map((count, cell) => [cell, count])]);
    await streams().ask(question(stream, { platform: ['web'] }));
    await streams().ask(question(stream));
    const all = await entries();
    expect(JSON.stringify([all, await streams().list({ apps: [] }), await streams().show({ apps: [] }, stream)])).not.toMatch(
      /threshold|counts/,
    );
    const values = all.flatMap(({ kind, body }) => (kind.startsWith('stream-') ? [[kind, (body as { value: string }).value.length]] : []));
    expect(values).toEqual([
      ['stream-hard', 17],
      ['stream-easy', 17],
    ]);
  });

  test('is refused before anything is read when a budget does not hold it, and when an analyst has none', async () => {
    const reads: unknown[] = [];
    const read = async () => {
      reads.push(1);
      return stored()();
    };
    await expect(streams({ read }).open(opening({ epsilon: '11' }))).rejects.toThrow(OverBudget);
    for (const about of [2 ** 41, 0, 1.5])
      await expect(streams({ read }).open(opening({ about }))).rejects.toThrow('about: expected a whole');
    await expect(streams({ read }).open(opening({ queries: 10 ** 6 }))).rejects.toThrow('queries: expected a whole number from 1 to 10000');
    await expect(streams({ read }).open(opening({}, ['ann', 'eve']))).rejects.toThrow(
      'expected an analyst with a budget on notes, got eve',
    );
    expect([reads, await kinds()]).toEqual([[], []]);
  });

  test('costs nothing when the rows can’t be read; a crash after the charge leaves charges and no stream', async () => {
    const away = () => Promise.reject(new Error('the store is away'));
    await expect(streams({ read: away }).open(opening())).rejects.toThrow('the store is away');
    expect(await kinds()).toEqual([]);
    await expect(streams({ random: broken, patience: 0 }).open(opening({ epsilon: '4' }))).rejects.toThrow(
      'the stream failed, and nothing was answered',
    );
    expect(await kinds()).toEqual(['charge', 'charge']);
    let transactions = 0;
    const failing: Ledger = {
      ...ledger,
      transact: (work) => (++transactions === 4 ? Promise.reject(new Error('no room')) : ledger.transact(work)),
    };
    await expect(streams({ ledger: failing, patience: 0 }).open(opening({ epsilon: '4' }))).rejects.toThrow('no room');
    expect(await kinds()).toEqual(['charge', 'charge', 'charge', 'charge']);
    expect(await spent()).toMatchObject({ table: '8/1', ann: '8/1' });
    await expect(streams({ patience: 0 }).open(opening({ epsilon: '4' }))).rejects.toThrow('ε 2 a day');
  });

  test('loses a draw that a crash keeps from being written, and nothing else: the question is drawn anew', async () => {
    const { stream } = await streams().open(opening());
    const web = question(stream, { platform: ['web'] });
    await expect(streams({ random: broken }).ask(web)).rejects.toThrow('the stream failed, and nothing was answered');
    let drawn = 0;
    const counting: Random = {
      ...SILENT,
      uniform: () => {
        drawn++;
        return 0;
      },
    };
    const torn: Ledger = {
      ...ledger,
      transact: (work) =>
        ledger.transact((transaction) =>
          work({
            ...transaction,
            append: async (...entry) => {
              await transaction.append(...entry);
              throw new Error('the power failed');
            },
          }),
        ),
    };
    await expect(streams({ ledger: torn, random: counting }).ask(web)).rejects.toThrow('the power failed');
    const onHard = drawn;
    await expect(streams({ ledger: torn, random: counting }).ask(question(stream))).rejects.toThrow('the power failed');
    expect([onHard, drawn - onHard]).toEqual([2, 2]); // the comparison, and an answer that an easy question drops
    expect(await kinds()).toEqual(['charge', 'charge', 'stream']);
    expect(await streams().ask(web)).toMatchObject({ kind: 'hard', hardLeft: 3, isRepeated: false });
  });

  test('ends with its last hard question, in one line that says so; its answers stay', async () => {
    const { stream } = await streams().open(opening({ hard: 1 }));
    const first = await streams().ask(question(stream, { platform: ['web'] }));
    expect(first).toMatchObject({ kind: 'hard', hardLeft: 0 });
    await expect(streams().ask(question(stream))).rejects.toThrow(StreamOver);
    await expect(streams().ask(question(stream))).rejects.toThrow(
      `expected a stream that still answers, got stream ${stream}: it has answered all of its 1 hard questions; its answers are kept, and asking for them again is free`,
    );
    expect(await streams({ random: broken }).ask(question(stream, { platform: ['web'] }, 'ben'))).toEqual({ ...first, isRepeated: true });
    expect(await secret(stream)).toBeUndefined();
  });

  test('ends with its last question, although hard ones are left', async () => {
    const { stream } = await streams().open(opening({ hard: 1, queries: 2 }));
    for (const platform of [
      ['ios', 'android', 'web'],
      ['android', 'ios'],
    ]) {
      const { kind } = await streams({ random: SILENT }).ask(question(stream, { platform }));
      if (kind === 'hard') return; // the other end, above
    }
    await expect(streams().ask(question(stream, { tier: ['pro'] }))).rejects.toThrow('it has answered all of its 2 questions');
  });

  test('gives its last hard question to exactly one of those that race for it, and the same question one answer', async () => {
    const { stream } = await streams().open(opening({ hard: 1 }));
    const other = place.open(location);
    try {
      const ask = (on: Ledger, tier: string, platform: string, analyst: string) =>
        streams({ ledger: on, random: systemRandom() }).ask(question(stream, { tier: [tier], platform: [platform] }, analyst));
      const ends = await Promise.allSettled([
        ask(ledger, 'free', 'web', 'ann'),
        ask(other, 'free', 'web', 'ben'),
        ask(other, 'pro', 'ios', 'ben'),
        ask(ledger, 'free', 'android', 'ann'),
      ]);
      const hard = (await kinds()).filter((kind) => kind === 'stream-hard');
      expect(hard).toHaveLength(1);
      const [one, two] = ends as PromiseFulfilledResult<{ readonly value: number; readonly isRepeated: boolean }>[];
      if (one?.status === 'fulfilled' && two?.status === 'fulfilled') {
        expect(one.value.value).toBe(two.value.value);
        expect([one.value.isRepeated, two.value.isRepeated].sort()).toEqual([false, true]);
      }
      for (const end of ends) if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(StreamOver);
      expect((await streams().list({ apps: [] }))[0]?.hardLeft).toBe(0);
    } finally {
      await other.close();
    }
  });

  test('answers two processes one after the other, and never more hard questions than it has', async () => {
    const { stream } = await streams().open(opening({ hard: 2 }));
    const asker = fileURLToPath(new URL('stream-asker.ts', import.meta.url));
    const run = async (analyst: string): Promise<readonly string[]> => {
      const child = spawn(process.execPath, [asker, place.name, location, `${stream}`, analyst], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      expect(code).toBe(0);
      return said.trim().split('\n');
    };
    const said = (await Promise.all([run('ann'), run('ben')])).flat();
    const { answers } = await streams().show({ apps: [] }, stream);
    expect(answers.filter(({ kind }) => kind === 'hard')).toHaveLength(2);
    expect(answers.length).toBeLessThanOrEqual(10);
    // Each process asks the same six questions: every answer that it was given is the stored one.
    const known = new Map(answers.map(({ where, value }) => [`${where['platform']} ${where['tier']}`, value]));
    for (const line of said) {
      const [, cell, value] = /^(\w+ \w+) (-?\d+)$/.exec(line) ?? [];
      if (cell !== undefined) expect(Number(value)).toBe(known.get(cell));
      else expect(line).toMatch(/^over: /);
    }
  });

  test('answers nothing new after a restore until the override, which ends it; stored answers are free all along', async () => {
    const { stream } = await streams().open(opening());
    const first = await streams().ask(question(stream, { platform: ['web'] }));
    if (place.name === 'SQLite') rmSync(join(location, 'release.head'));
    else await query(location, "UPDATE murmuration.release_place SET place = '7300000000000000000 00000001 5 16400'");
    await expect(streams().ask(question(stream))).rejects.toThrow(InDoubt);
    await expect(streams().open({ ...opening(), again: true })).rejects.toThrow('expected a stream within what is left');
    expect(await streams().ask(question(stream, { platform: ['web'] }))).toEqual({ ...first, isRepeated: true });
    const { n } = await override(ledger, 'bob', 'the disk was lost');
    expect(await secret(stream)).toBeUndefined();
    await expect(streams().ask(question(stream))).rejects.toThrow(`answers may be lost, as the override of entry ${n} says`);
    expect(await streams().ask(question(stream, { platform: ['web'] }))).toEqual({ ...first, isRepeated: true });
  });

  test('ends when it is closed, when its days are no longer kept, and when its counts are deleted', async () => {
    await giveBudgets(ledger, '100', '100');
    const opened = [
      await streams().open(opening()),
      await streams().open({ ...opening(), again: true }),
      await streams().open({ ...opening(), again: true }),
    ];
    const [one, two, three] = opened.map(({ stream }) => stream) as [number, number, number];
    expect((await streams().close('test', one)).ended).toBe('closed by test');
    await expect(streams({ read: stored(30_000) }).ask(question(two))).rejects.toThrow('its days are no longer kept');
    await expect(streams().ask(question(two))).rejects.toThrow('its days are no longer kept');
    await forgetStreams(ledger, 'other');
    expect(await secret(three)).toBeDefined();
    await forgetStreams(ledger, 'notes');
    await expect(streams().ask(question(three))).rejects.toThrow('its counts are gone: deleted, or not in a backup');
    for (const stream of [one, two, three]) expect(await secret(stream)).toBeUndefined();
    await expect(streams().close('test', 1)).rejects.toThrow('expected the number of a stream');
  });

  test.each<[object, string]>([
    [{ columns: [] }, 'columns: expected at least one column, got none'],
    [{ columns: ['city'] }, 'columns: expected some of metric, version, platform, tier, day, got "city"'],
    [{ columns: ['version'] }, 'columns: expected at least two cells'],
    [{ epsilon: '0' }, 'epsilon: expected a number above 0'],
    [{ epsilon: '0.0001' }, 'epsilon: expected at least 0.001, got 0.0001'],
    [{ from: 'today' }, 'from: expected a day'],
    [{ app: 'other' }, 'app: expected one of the published apps'],
    [{ where: { tier: ['gold'] } }, 'where.tier: expected some of free, pro, got "gold"'],
    [{ hard: 11 }, 'hard: expected at most 10 hard questions, got 11'],
    [{ about: 5 }, 'a stream: expected a stated error below the number of reports, 5'],
    [{ mechanism: undefined }, 'use count with group-by over the same columns, which answers every question, or name the mechanism '],
  ])('%j is refused in one line that says what was expected', async (more, message) => {
    await expect(streams().open(opening(more))).rejects.toThrow(message);
    await expect(streams().preview(opening(more))).rejects.toThrow(message);
    expect(await kinds()).toEqual([]);
  });

  test.each<[Record<string, readonly string[]>, string]>([
    [{ city: ['Bern'] }, 'where.city: expected one of the stream’s columns platform, tier, got "city"'],
    [{ tier: ['gold'] }, 'where.tier: expected some of free, pro, got "gold"'],
    [{ tier: [] }, 'where.tier: expected some of free, pro, got none'],
  ])('a question %j is refused', async (where, message) => {
    const { stream } = await streams().open(opening());
    await expect(streams().ask(question(stream, where))).rejects.toThrow(message.replace('’', "'"));
    await expect(streams().ask(question(stream + 1))).rejects.toThrow(
      `expected the number of a stream that ann may ask, as the list of streams has it, got ${stream + 1}`,
    );
  });
});
