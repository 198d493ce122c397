/** Clocks that are wrong: they close no days, devices keep what they have, somebody is told, and a store that was closed is repaired. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Collector, createCollector } from '@murmuration/collector';
import { dayNumber, dayText, wireName } from '@murmuration/shared';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Refusal } from '#collector/base/refusal.ts';
import { ClockWatch, COMMITS, createClosing, LEAST } from '#collector/ingest/clock.ts';
import { batch as batchOfToday, schema } from '../../kit/senders.ts';

const bin = fileURLToPath(new URL('../../../collector/bin/murmuration.js', import.meta.url));
const DAY = 86_400_000;
const START = Date.parse('2026-11-20T12:00:00Z');
const TEN_YEARS = 3_650 * DAY;
const today = dayNumber(START);

let folder: string;
let collector: Collector;
let url: string;
let clock: number;
let lines: { readonly level: number; readonly msg: string }[];

const open = async (): Promise<void> => {
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  collector = await createCollector({ open: true, schemas: [schema.document], data: folder, now: () => clock, leastFree: 0, log });
  url = await collector.listen(0, '127.0.0.1');
};

beforeEach(async () => {
  [clock, lines] = [START, []];
  folder = mkdtempSync(join(tmpdir(), 'murmuration-clock-'));
  await open();
});

afterEach(async () => {
  await collector.close();
  rmSync(folder, { recursive: true });
});

/** A batch of a day, with an id of its own. */
const batch = (day: number): string => batchOfToday().replace(/"day":"[^"]*"/, `"day":"${dayText(day)}"`);

const post = async (body: string): Promise<number> => (await fetch(`${url}/v1/reports`, { method: 'POST', body })).status;

/** Sends batches one after the other, each with a commit of its own. */
async function postAll(...bodies: readonly string[]): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const body of bodies) statuses.push(await post(body));
  return statuses;
}

const counted = async (): Promise<number> => (await collector.store.read({ schemas: [wireName(schema.document)], metric: 'plan' })).reports;
const fatal = (): readonly string[] => lines.filter(({ level }) => level === 60).map(({ msg }) => msg);
const repeat = (times: number, make: () => string): readonly string[] => Array.from({ length: times }, make);
const murmuration = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8' });

describe('a clock that is ten years ahead', () => {
  test('for one batch closes nothing: once it is right, and after a restart, every batch is counted once', async () => {
    const before = batch(today);
    expect(await post(before)).toBe(204);
    clock += TEN_YEARS;
    expect(await post(batch(dayNumber(clock)))).toBe(204);
    clock = START;
    expect(await postAll(before, batch(today), batch(today - 14))).toEqual([204, 204, 204]);
    await collector.close();
    await open();
    expect(await postAll(before, batch(today))).toEqual([204, 204]);
    expect(await counted()).toBe(5);
    expect(fatal()).toEqual([]);
  });

  test('is doubted when most batches disagree: devices keep their batches, one line a minute says why', async () => {
    await postAll(...repeat(2, () => batch(today)));
    clock += TEN_YEARS;
    const statuses = await postAll(...repeat(9, () => batch(today)));
    expect(statuses).toEqual([410, 410, ...Array(7).fill(503)]);
    expect(fatal()).toEqual([expect.stringContaining("check this machine's clock")]);
    expect(await post(batch(dayNumber(clock)))).toBe(204); // what can be counted is counted
    clock = START;
    expect(await post(batch(today))).toBe(204);
    expect(await counted()).toBe(4);
  });

  test('that was confirmed by many commits has closed days: batches are kept, the log names the command, and it mends the store', async () => {
    clock += TEN_YEARS;
    const ahead = dayNumber(clock);
    await postAll(...repeat(COMMITS, () => batch(ahead)));
    clock = START;
    const lost = batch(today);
    expect(await postAll(...repeat(COMMITS + LEAST, () => batch(today)))).toContain(503);
    expect(fatal()).toEqual([expect.stringContaining('murmuration days reopen')]);
    const from = ['--from', dayText(today - 14)];
    expect(murmuration('days', 'reopen', '--data', folder, ...from)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('in use'),
    });
    await collector.close();
    expect(murmuration('days', 'show', '--data', folder).stdout).toContain(`the days before ${dayText(ahead - 16)} are closed`);
    const { status, stdout } = murmuration('days', 'reopen', '--data', folder, ...from);
    expect([status, stdout]).toEqual([0, expect.stringContaining('they are counted a second time')]);
    expect(murmuration('days', 'reopen', '--data', folder, ...from)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('days are open'),
    });
    await open();
    expect(collector.admin.actions(1, undefined, [])).toMatchObject([
      { who: 'command line', what: expect.stringContaining('opened the days from') },
    ]);
    expect(await postAll(lost, lost, batch(today - 14))).toEqual([204, 204, 204]);
    expect(await counted()).toBe(COMMITS + 2);
  }, 60_000);
});

test('a clock that is behind is doubted too', async () => {
  clock -= TEN_YEARS;
  expect(await postAll(...repeat(LEAST + 1, () => batch(today)))).toEqual([400, 400, 503, 503]);
  expect(fatal()).toHaveLength(1);
});

test('a stranger who sends old days can neither close the collector nor make it lose a timely batch', async () => {
  for (let i = 0; i < 5; i++) {
    expect(await post(batch(today))).toBe(204);
    await postAll(...repeat(3, () => batch(today - 100)));
  }
  expect(await counted()).toBe(5);
});

test('days that are over are closed once several commits have confirmed a later day, and not before', async () => {
  const first = batch(today);
  await post(first);
  clock += 17 * DAY;
  await postAll(...repeat(COMMITS - 1, () => batch(today + 17)));
  await collector.store.read({ schemas: [wireName(schema.document)], metric: 'plan' });
  clock = START;
  expect(await post(first)).toBe(204); // still known
  clock += 17 * DAY;
  await post(batch(today + 17));
  await collector.close();
  expect(murmuration('days', 'show', '--data', folder).stdout).toContain(`the days before ${dayText(today + 1)} are closed`);
  await open();
  clock = START;
  expect(await post(first)).toBe(410); // refused, because a replay could not be told from a new batch
  expect(await counted()).toBe(1 + COMMITS);
});

describe('the rule for closing', () => {
  const closing = (wall: number): { readonly closed: number[]; readonly commit: (...days: number[]) => void } => {
    const closed: number[] = [];
    const onCommit = createClosing({ now: () => wall, expire: async (day) => void closed.push(day), onTrouble: () => undefined });
    return {
      closed,
      commit: (...days) => {
        for (const newest of days) onCommit({ batches: 1, counted: 1, newest, seconds: 0 });
      },
    };
  };

  test('never runs ahead of the clock, however many commits are of tomorrow', () => {
    const { closed, commit } = closing(START);
    commit(...Array<number>(50).fill(today + 1));
    expect(closed).toEqual([today - 16]);
  });

  test('never runs ahead of a confirmed day, and goes on with it', () => {
    const { closed, commit } = closing(START + TEN_YEARS);
    commit(...Array<number>(COMMITS).fill(today), ...Array<number>(COMMITS - 1).fill(today + 3_650));
    expect(closed).toEqual([today - 16]);
    commit(today + 3);
    expect(closed).toEqual([today - 16, today + 3 - 16]);
  });

  test('ignores commits that counted nothing', () => {
    const closed: number[] = [];
    const onCommit = createClosing({ now: () => START, expire: async (day) => void closed.push(day), onTrouble: () => undefined });
    for (let i = 0; i < 50; i++) onCommit({ batches: 9, counted: 0, newest: undefined, seconds: 0 });
    expect(closed).toEqual([]);
  });

  test('says when days could not be closed, and tries again later, not at each commit', async () => {
    const troubles: string[] = [];
    let tries = 0;
    const expire = async (): Promise<void> => {
      tries++;
      throw new Error('no room');
    };
    const onCommit = createClosing({ now: () => START, expire, onTrouble: (message) => void troubles.push(message) });
    for (let i = 0; i < COMMITS; i++) onCommit({ batches: 1, counted: 1, newest: today, seconds: 0 });
    await new Promise(setImmediate);
    onCommit({ batches: 1, counted: 1, newest: today, seconds: 0 });
    expect([tries, troubles]).toEqual([1, ['days were not closed: no room']]);
  });
});

test('doubt passes with the minutes that gave rise to it', () => {
  let elapsed = 0;
  const watch = new ClockWatch({ log: pino({ level: 'silent' }), elapsed: () => elapsed });
  const stale = new Refusal(410, 'stale-day', 'a day', 'another');
  const codes = (): string => (watch.judge(stale, today) as Refusal).code;
  expect([codes(), codes(), codes(), watch.isDoubtful]).toEqual(['stale-day', 'stale-day', 'clock-in-doubt', true]);
  for (let i = 0; i < 4; i++) watch.timely(today, today);
  expect(watch.isDoubtful).toBe(false);
  elapsed += 5 * 60_000;
  expect([codes(), watch.isDoubtful]).toEqual(['stale-day', false]);
  const other = new Refusal(400, 'malformed', 'a batch', 'another');
  expect(watch.judge(other, today)).toBe(other);
});

test.each([
  [['days', 'show', '--data', '/nowhere'], '/nowhere: expected a folder with a store, got none'],
  [['days', 'reopen', '--data', '/nowhere'], '/nowhere: expected a folder with a store, got none'],
  [['days', 'reopen', '--from', 'today'], '--from: expected a day such as 2026-11-20, got "today"'],
])('%j is refused in one line', (args, message) => {
  expect(murmuration(...args)).toMatchObject({ status: 2, stdout: '', stderr: `murmuration: ${message}\n` });
});

test('days reopen with nothing to reopen says so', () => {
  const before = dayText(dayNumber(Date.now()) - 14);
  const ran = murmuration('days', 'reopen', '--data', folder);
  const oldest = [before, dayText(dayNumber(Date.now()) - 14)]; // midnight may pass meanwhile
  const lines = oldest.map((day) => `${folder}: nothing to reopen: all days since ${day} are open\n`);
  expect([ran.status, ran.stderr, lines.includes(ran.stdout)]).toEqual([0, '', true]);
});
