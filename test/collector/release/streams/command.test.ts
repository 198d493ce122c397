/** `murmuration release stream` on both stores, as people run it: preview, open, ask, list, close, and what is refused in one line. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCollector } from '@murmuration/collector';
import { canonicalSchema } from '@murmuration/shared';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, NOW, schema, sendTo } from '../../../kit/app.ts';
import { type Ran, runCommand } from '../../../setup/command.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { execute } from '../../../setup/postgres-server.ts';

const DEVICES = 40;

describe.each(['SQLite', 'PostgreSQL'] as const)('murmuration release stream on %s', (kind) => {
  let folder: string;
  let data: string;
  let file: string;
  let url: string | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'murmuration-stream-'));
    data = join(folder, 'data');
    file = join(folder, 'schema.json');
    writeFileSync(file, canonicalSchema(schema.document));
    url = kind === 'PostgreSQL' ? await createDatabase() : undefined;
    const place = url === undefined ? { data } : { data, postgres: url, allowLoss: true };
    const collector = await createCollector({ open: true, schemas: [schema.document], ...place, now: () => NOW, perMetric: 1 });
    const endpoint = await collector.listen(0, '127.0.0.1');
    const bodies = await Promise.all(Array.from({ length: DEVICES }, (_, i) => bodyOf(i, i % 4 === 0 ? 'ios' : 'web')));
    await sendTo(endpoint, bodies);
    await collector.store.fold();
    await collector.close();
  }, 120_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    if (url !== undefined) await dropDatabase(url);
  });

  const run = (...args: readonly string[]): Ran =>
    runCommand('release', ...args, ...(url === undefined ? ['--data', data] : ['--postgres', url]));
  const stream = (...args: readonly string[]): Ran => run('stream', ...args);
  const json = <T = Record<string, unknown>>({ status, stdout, stderr }: Ran): T => {
    expect([status, stderr]).toEqual([0, '']);
    return JSON.parse(stdout) as T;
  };
  const table = ['--app', 'notes', '--from', '2026-11-20', '--where', 'metric=plan', '--columns', 'platform', 'day', '--schema'] as const;
  const open = (...args: readonly string[]): Ran =>
    stream(
      'open',
      '--analyst',
      'ann',
      'ben',
      ...table,
      file,
      '--epsilon',
      '40',
      '--queries',
      '3',
      '--about',
      '100',
      '--hard',
      '3',
      ...args,
    );

  test('says what a stream would cost, opens it once, and answers hard, easy and free', () => {
    run('budget', 'set', '--app', 'notes', '--epsilon', '60');
    for (const analyst of ['ann', 'ben', 'cid']) run('budget', 'set', '--app', 'notes', '--analyst', analyst, '--epsilon', '50');
    const refused = open();
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^murmuration: a stream: expected one whose stated error is below that of noise for each cell, \d+; use count with group-by over the same columns, which answers every question, or name the mechanism (median|weights), got \d+ in 2 cells\n$/,
      ),
    ]);
    const preview = open('--mechanism', 'weights', '--preview');
    expect(preview.stdout).toMatch(
      /^a stream over day, platform \(2 cells, private multiplicative weights: 3 questions within \d+ with 95 %\)\n3 of them may be hard; nothing promises that this is enough\nnoise for each cell would answer them within \d+\ncost: ε 40 for each device-day, of at most one report; charged to ann, ben, and to the table once\nleft: ε 50\n$/,
    );
    const opened = open('--mechanism', 'weights');
    expect([opened.status, opened.stderr]).toEqual([0, '']);
    // Noise of rate 4: beyond 20 with a probability of 2 e^-80.
    const total = Number(/^about (\d+) reports, released with a tenth of the cost$/m.exec(opened.stdout)?.[1]);
    expect(Math.abs(total - DEVICES)).toBeLessThan(20);
    expect(opened.stdout).toContain('1 of the days could still take reports; later ones are not counted\n');
    const number = /^stream (\d+), entry \1 of the ledger, [0-9a-f]{16}$/m.exec(opened.stdout)?.[1] as string;
    expect(open('--mechanism', 'weights').stdout).toContain('cost: nothing; opened before, at ');
    expect(run('budget', 'show', '--app', 'notes').stdout).toMatch(
      /the table +ε 60 +ε 40\nann +ε 50 +ε 40\nben +ε 50 +ε 40\ncid +ε 50 +ε 0\n/,
    );

    const ask = (analyst: string, ...args: readonly string[]): Ran => stream('ask', '--stream', number, '--analyst', analyst, ...args);
    const first = ask('ann', '--where', 'platform=ios');
    expect(first.stdout).toMatch(
      /^-?\d+ \(hard; within \d+ with 95 %, as all answers of the stream\)\nleft: 2 questions, 2 of which may be hard\nentry \d+ of the ledger, [0-9a-f]{16}\n$/,
    );
    expect(Math.abs(Number(first.stdout.split(' ')[0]) - DEVICES / 4)).toBeLessThan(20);
    expect(ask('ben', '--where', 'platform=ios').stdout).toMatch(/ \(free, answered before at /);
    expect(json(ask('ben', '--json'))).toMatchObject({ isRepeated: false, analyst: 'ben', questionsLeft: 1 });
    const other = ask('cid', '--where', 'platform=ios');
    expect([other.status, other.stderr]).toEqual([
      2,
      `murmuration: stream: expected the number of a stream that cid may ask, as the list of streams has it, got ${number}\n`,
    ]);
    const wrong = ask('ann', '--where', 'city=Bern');
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      'murmuration: where.city: expected one of the stream\'s columns day, platform, got "city"\n',
    ]);
    expect(ask('ann', '--where', 'platform=web').status).toBe(0);
    const over = ask('ann', '--where', 'platform=web', '--where', 'day=2026-11-20', '--json');
    expect(json(over)).toMatchObject({ isRepeated: true });
    const list = stream('list');
    expect(list.stdout).toMatch(
      new RegExp(`^ *${number} +notes +ann, ben +day, platform +\\d+ +3 of 3 +\\d +it has answered all of its`, 'm'),
    );
    expect(stream('list', '--stream', number).stdout).toMatch(/ann +platform ios +-?\d+ +hard\n.* ben +all reports +\d+ +(easy|hard)\n/);
    expect(json<{ streams: unknown[] }>(stream('list', '--analyst', 'cid', '--json')).streams).toEqual([]);
    expect(run('list', '--json').stdout).not.toMatch(/threshold|counts/);
    expect(run('list').stdout).toMatch(new RegExp(`stream-hard +notes +ann +stream ${number}: -?\\d+\n`));
  });

  test('says that a stream is over, and closes one', () => {
    run('budget', 'set', '--app', 'notes', '--epsilon', '200');
    run('budget', 'set', '--app', 'notes', '--analyst', 'ann', '--epsilon', '200');
    const open = (about: string): { readonly stream: number } => {
      const limits = ['--epsilon', '40', '--queries', '9', '--about', about, '--hard', '1', '--mechanism', 'median'];
      return json(stream('open', '--analyst', 'ann', ...table, file, ...limits, '--json'));
    };
    const opened = open('100');
    const ask = (...args: readonly string[]): Ran => stream('ask', '--stream', `${opened.stream}`, '--analyst', 'ann', ...args);
    expect(json(ask('--where', 'platform=ios', '--json'))).toMatchObject({ kind: 'hard', hardLeft: 0 });
    const over = ask();
    expect([over.status, over.stderr]).toEqual([
      1,
      `murmuration: expected a stream that still answers, got stream ${opened.stream}: it has answered all of its 1 hard questions; its answers are kept, and asking for them again is free\n`,
    ]);
    const next = open('101');
    expect(stream('close', '--stream', `${next.stream}`).stdout).toBe(
      `stream ${next.stream} answers no new questions: closed by command line\n`,
    );
    expect(stream('ask', '--stream', `${next.stream}`, '--analyst', 'ann').stderr).toContain('closed by command line');
  });

  test.each([
    [['open', '--analyst', 'ann', ...table, 'SCHEMA', '--epsilon', '1', '--queries', '0', '--about', '9'], '--queries'],
    [
      ['open', '--analyst', 'ann', ...table, 'SCHEMA', '--epsilon', '1', '--queries', '9', '--about', '9', '--mechanism', 'best'],
      '--mechanism: expected one of median, weights, got "best"',
    ],
    [
      [
        'open',
        '--analyst',
        'ann',
        ...table,
        'SCHEMA',
        '--epsilon',
        '300',
        '--queries',
        '9',
        '--about',
        '99',
        '--mechanism',
        'weights',
        '--hard',
        '1',
      ],
      'within what is left of the budget of ann',
    ],
    [
      [
        'open',
        '--analyst',
        'eve',
        ...table,
        'SCHEMA',
        '--epsilon',
        '9',
        '--queries',
        '9',
        '--about',
        '999',
        '--mechanism',
        'weights',
        '--hard',
        '1',
      ],
      'expected an analyst with a budget on notes, got eve',
    ],
    [['ask', '--analyst', 'ann', '--stream', '99999'], 'stream: expected the number of a stream that ann may ask'],
    [['ask', '--analyst', 'ann', '--stream', 'x'], '--stream: expected a whole number'],
    [['list', '--stream', '99999'], 'stream: expected the number of a stream, as the list of streams has it, got 99999'],
    [['close', '--stream', '99999'], 'stream: expected the number of a stream'],
  ])('%j is refused in one line', (args, message) => {
    const { status, stdout, stderr } = stream(...args.map((arg) => (arg === 'SCHEMA' ? file : arg)));
    expect([status === 0, stdout]).toEqual([false, '']);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  test('after a restore answers what is stored, and is over after the override; deleting tallies ends streams, too', async () => {
    const more = ['--epsilon', '40', '--queries', '8', '--hard', '4', '--mechanism', 'weights', '--json'];
    const opened = json<{ stream: number }>(stream('open', '--analyst', 'ann', ...table, file, '--about', '100', ...more));
    const number = `${opened.stream}`;
    const asked = ['stream', 'ask', '--stream', number, '--analyst', 'ann'] as const;
    const first = json(run(...asked, '--json'));
    let restored = run;
    if (url === undefined) {
      const [copy, place] = [join(folder, 'copy.sqlite'), join(folder, 'restored')];
      expect(runCommand('backup', '--data', data, '--out', copy).status).toBe(0);
      expect(runCommand('restore', '--from', copy, '--data', place).status).toBe(0);
      restored = (...args) => runCommand('release', ...args, '--data', place);
      expect(stream('list', '--stream', number).stdout).toContain(' open\n');
      expect(runCommand('delete', '--data', data, '--app', 'notes', '--yes').status).toBe(0);
      expect(run(...asked, '--where', 'platform=ios').stderr).toContain('its counts are gone: deleted, or not in a backup');
    } else await execute(url, "UPDATE murmuration.release_place SET place = '7300000000000000000 00000001 5 16400'");
    expect(json(restored(...asked, '--json'))).toEqual({ ...first, isRepeated: true });
    const { status, stderr } = restored(...asked, '--where', 'platform=ios');
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/its counts are gone: deleted, or not in a backup|in another place, as after a restore/),
    ]);
    const again = restored('stream', 'open', '--analyst', 'ann', ...table, file, '--about', '101', ...more);
    expect([again.status, again.stderr]).toEqual([1, expect.stringMatching(/; see docs\/release.md, then: murmuration release override/)]);
    expect(restored('override', '--reason', 'the disk was lost').status).toBe(0);
    expect(restored(...asked, '--where', 'platform=ios').stderr).toContain('answers may be lost, as the override of entry');
    expect(json(restored(...asked, '--json'))).toEqual({ ...first, isRepeated: true });
  });
});
