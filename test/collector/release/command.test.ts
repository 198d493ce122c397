/** `murmuration release` on reports of 120 devices, as people run it: answers, refusals with what is left, repeats for free, restores. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTelemetry, defineSchema, flag, memoryStorage, text } from '@murmuration/client';
import { createCollector } from '@murmuration/collector';
import { canonicalSchema, dayNumber, dayText } from '@murmuration/shared';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ran, runCommand } from '../../setup/command.ts';

const DEVICES = 120;
const PLATFORMS = ['desktop', 'android', 'ios'] as const;
const asked = { epsilon: 0.5, description: 'Is it so?' };
const schema = defineSchema({
  app: 'demo',
  version: 1,
  budget: { epsilon: 4, per: 'year' },
  segments: { platform: PLATFORMS },
  reports: 'together',
  metrics: {
    browser: flag(asked),
    film: flag(asked),
    rain: flag(asked),
    cylinders: flag(asked),
    word: text(asked),
    airport: flag(asked),
    make: flag(asked),
  },
});

let folder: string;
let data: string;
let file: string;
let day: string;
const devices = new Map<string, number>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-release-'));
  data = join(folder, 'data');
  file = join(folder, 'schema.json');
  writeFileSync(file, canonicalSchema(schema.document));
  const collector = await createCollector({ open: true, schemas: [schema.document], data });
  const endpoint = await collector.listen(0, '127.0.0.1');
  day = dayText(dayNumber(Date.now()));
  await Promise.all(
    Array.from({ length: DEVICES }, async (_, i) => {
      const platform = PLATFORMS[i % 7 < 4 ? 0 : i % 7 < 6 ? 1 : 2];
      const telemetry = createTelemetry({ schema, endpoint, segment: { platform }, storage: memoryStorage() });
      telemetry.consent.grant();
      for (const metric of ['browser', 'film', 'rain', 'cylinders', 'airport', 'make'] as const) telemetry.record(metric, i % 3 === 0);
      telemetry.record('word', 'the');
      await telemetry.flush();
      await telemetry.close();
      devices.set(platform, (devices.get(platform) ?? 0) + 1);
    }),
  );
  await collector.store.fold();
  await collector.close();
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: readonly string[]): Ran => runCommand('release', ...args, '--data', data);
/** Asks about all days on which the devices may have reported: the test may run around midnight. */
const ask = (...args: readonly string[]): Ran =>
  run('ask', '--schema', file, '--app', 'demo', '--from', day, '--to', dayText(dayNumber(Date.now())), ...args);
const json = <T>({ status, stdout, stderr }: Ran): T => {
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as T;
};

interface Answer {
  readonly results: readonly {
    readonly cells?: readonly { readonly values: { readonly platform: string }; readonly value: number }[];
    readonly chosen?: string;
    readonly error: { readonly allWithin: number };
  }[];
  readonly isRepeated: boolean;
  readonly bound: number;
  readonly openDays: number;
  readonly entry: { readonly n: number };
}

const COUNT = ['--where', 'metric=rain', '--group-by', 'platform', '--count', '--epsilon', '0.5', '--json'] as const;

describe('murmuration release', () => {
  test('refuses to answer before there is a budget, and says how to set one', () => {
    const { status, stderr } = ask('--analyst', 'ann', '--count', '--epsilon', '1');
    expect([status, stderr]).toEqual([
      2,
      'murmuration: app: expected an app whose table has a budget, as release budget sets it, got demo\n',
    ]);
    expect(run('budget', 'set', '--app', 'demo', '--epsilon', '2').stdout).toBe(
      'all analysts together may spend ε 2 for each day of the table of demo\n',
    );
    const without = ask('--analyst', 'ann', '--count', '--epsilon', '1');
    expect([without.status, without.stderr]).toEqual([1, 'murmuration: expected an analyst with a budget on demo, got ann without one\n']);
    expect(run('budget', 'set', '--app', 'demo', '--analyst', 'ann', '--epsilon', '1').status).toBe(0);
    expect(run('budget', 'set', '--app', 'demo', '--analyst', 'ben', '--epsilon', '1.5').status).toBe(0);
  });

  test('says what an answer would cost and how far it would be off, and spends nothing', () => {
    const { status, stdout } = ask('--analyst', 'ann', '--count', '--epsilon', '0.5', '--preview');
    expect(status).toBe(0);
    expect(stdout).toContain('count (geometric: standard deviation 19.8, within ');
    expect(stdout).toContain('cost: ε 0.5 for each device-day, of at most 7 reports');
    expect(stdout).toContain('left: ε 1\n');
    expect(run('budget', 'show', '--app', 'demo').stdout).toMatch(/^ann +ε 1 +ε 0$/m);
  });

  test('answers a question on the reports within its stated error, charges it, and repeats it for free', () => {
    const answer = json<Answer>(ask('--analyst', 'ann', ...COUNT));
    const [{ cells = [], error }] = answer.results as [Answer['results'][number]];
    expect(cells.map(({ values }) => values.platform)).toEqual(['android', 'desktop', 'ios']);
    // Noise of rate 1/2: beyond 60 with a probability of 2 e^-30 a cell.
    for (const { values, value } of cells) expect(Math.abs(value - (devices.get(values.platform) ?? 0))).toBeLessThan(60);
    expect(error.allWithin).toBeLessThan(20);
    expect(answer).toMatchObject({ isRepeated: false, bound: 1 });
    expect(answer.openDays).toBeGreaterThan(0);
    const again = json<Answer>(ask('--analyst', 'ann', ...COUNT));
    expect(again).toEqual({ ...answer, isRepeated: true });
    // A smaller ε is answered by the better answer that is there, and another order of the options is the same question.
    const less = json<Answer>(
      ask('--json', '--epsilon', '1/7', '--count', '--group-by', 'platform', '--where', 'metric=rain', '--analyst', 'ann'),
    );
    expect(less).toEqual({ ...answer, isRepeated: true });
    expect(run('budget', 'show', '--app', 'demo').stdout).toMatch(/^ann +ε 1 +ε 0\.5$/m);
  });

  test('refuses what exceeds the budget, with what is left, before anything is read or spent', () => {
    const { status, stdout, stderr } = ask('--analyst', 'ann', '--count', '--epsilon', '0.6');
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      'murmuration: expected a question within what is left of the budget of ann, ε 0.5 a day, got one of ε 0.6; nothing was spent\n',
    ]);
    expect(run('budget', 'show', '--app', 'demo').stdout).toMatch(/^ann +ε 1 +ε 0\.5$/m);
    expect(ask('--analyst', 'ann', '--most-used', 'platform', '--epsilon', '0.5').stdout).toMatch(
      /^mostUsed of platform: (android|desktop|ios) \(permute-and-flip/,
    );
    expect(ask('--analyst', 'ann', '--count', '--epsilon', '0.001').stderr).toContain('what is left of the budget of ann, ε 0 a day');
  });

  test('refuses an analyst when analysts who collude would get too much', () => {
    const { status, stderr } = ask('--analyst', 'ben', '--count', '--epsilon', '1.2');
    expect([status, stderr]).toEqual([
      1,
      'murmuration: expected a question within what is left of the budget of the table of demo, ε 1 a day, got one of ε 1.2; nothing was spent\n',
    ]);
    run('budget', 'set', '--app', 'demo', '--epsilon', '2', '--colluders', '1');
    expect(ask('--analyst', 'ben', '--count', '--epsilon', '1.2').status).toBe(0);
    run('budget', 'set', '--app', 'demo', '--epsilon', '2');
    expect(ask('--analyst', 'ben', '--count', '--epsilon', '0.1', '--again').stderr).toContain('ε 0 a day');
  });

  test('answers a partition from a file, and lists who asked what', () => {
    run('budget', 'set', '--app', 'demo', '--analyst', 'cid', '--rho', '1');
    run('budget', 'set', '--app', 'demo', '--rho', '5');
    const part = [{ kind: 'count', epsilon: '1' }];
    const question = { app: 'demo', from: day, to: day, partition: { by: 'platform', parts: { ios: part, android: part, desktop: part } } };
    const asked = join(folder, 'question.json');
    writeFileSync(asked, JSON.stringify(question));
    const answer = json<Answer & { readonly cost: unknown }>(
      run('ask', '--schema', file, '--analyst', 'cid', '--question', asked, '--json'),
    );
    expect(answer).toMatchObject({ cost: { epsilon: '1', rho: '0.370024402879' } });
    expect(answer.results).toHaveLength(3);
    const { entries } = json<{ readonly entries: readonly { readonly kind: string; readonly analyst: string }[] }>(
      run('list', '--app', 'demo', '--json'),
    );
    expect(entries.filter(({ analyst }) => analyst === 'cid').map(({ kind }) => kind)).toEqual(['budget', 'charge', 'answer']);
    expect(run('list').stdout).toMatch(/charge +demo +cid +epsilon 1$/m);
  });

  test('pays in ρ for Gaussian noise, where both budgets are in ρ, and says why a number is below 0', () => {
    // A day without reports: after it was paid for in ρ, nothing is left of a budget in ε there.
    const before = ['--from', dayText(dayNumber(Date.now()) - 200), '--to', dayText(dayNumber(Date.now()) - 200)];
    const inRho = (analyst: string, ...args: readonly string[]): Ran => ask('--analyst', analyst, ...before, ...args);
    const found = inRho('cid', '--count', '--group-by', 'platform', 'version', 'metric', '--rho', '0.02');
    expect(found.stdout).toMatch(/^count \(gaussian: standard deviation 35\.0, within 69 with 95 %/);
    expect(found.stdout).toContain('\ncost: ρ 0.02 for each device-day');
    expect(found.stdout).toContain('\nNumbers below 0 are small counts with noise.');
    expect(inRho('ann', '--count', '--rho', '0.01').stderr).toMatch(/ε [\d.]+ a day, got one of ρ, which no budget in ε covers; nothing/);
    expect(inRho('cid', '--most-used', 'platform', '--rho', '0.01').stderr).toContain(
      '--rho: expected --count, --sum, --days or --share with it, got --most-used',
    );
    run('budget', 'set', '--app', 'demo', '--analyst', 'cid', '--epsilon', '9');
    expect(inRho('cid', '--count', '--epsilon', '1').stderr).toContain('ε 0 a day');
  });

  test('publishes estimates beside a released number of reports, which is charged once', () => {
    run('budget', 'set', '--app', 'demo', '--epsilon', '9');
    run('budget', 'set', '--app', 'demo', '--analyst', 'dan', '--epsilon', '2');
    const to = dayText(dayNumber(Date.now()));
    const options = ['--schema', file, '--analyst', 'dan', '--app', 'demo', '--from', day, '--to', to, '--epsilon', '2', '--json'];
    const estimates = (metric: string): Ran => run('estimates', '--metric', metric, ...options);
    const first = json<{ readonly reports: number; readonly answers: readonly { readonly label: string }[] }>(estimates('rain'));
    expect(Math.abs(first.reports - DEVICES)).toBeLessThan(20);
    expect(first.answers.map(({ label }) => label).toSorted()).toEqual(['false', 'true']);
    expect(json(estimates('rain'))).toEqual(first);
    expect(run('budget', 'show', '--app', 'demo').stdout).toMatch(/^dan +ε 2 +ε 2$/m);
    expect([estimates('word').status, estimates('word').stderr]).toEqual([
      2,
      expect.stringContaining('expected a metric whose answers are listed'),
    ]);
  });

  test('leaves out days, as a question of its own that is charged', () => {
    run('budget', 'set', '--app', 'demo', '--epsilon', '9');
    run('budget', 'set', '--app', 'demo', '--analyst', 'gus', '--epsilon', '5');
    const [from, to] = [-9, 0].map((ago) => dayText(dayNumber(Date.now()) + ago)) as [string, string];
    const count = (...args: readonly string[]): Ran =>
      run(
        ...['ask', '--schema', file, '--app', 'demo', '--analyst', 'gus', '--from', from, '--to', to],
        ...['--where', 'metric=rain', '--count', '--epsilon', '1', '--json', ...args],
      );
    const countOf = (ran: Ran): number => json<Answer>(ran).results[0]?.cells?.[0]?.value ?? Number.NaN;
    // Noise of rate 1: beyond 30 with a probability of 2 e^-30. All devices reported on `day`, or after midnight on the next one.
    expect(Math.abs(countOf(count()) - DEVICES)).toBeLessThan(30);
    const excluded = [...new Set([day, to])].join();
    expect(Math.abs(countOf(count('--exclude', excluded)))).toBeLessThan(30);
    expect(run('budget', 'show', '--app', 'demo').stdout).toMatch(/^gus +ε 5 +ε 2$/m);
    const outside = count('--exclude', '2020-01-01');
    expect([outside.status, outside.stderr]).toEqual([2, `murmuration: exclude: expected days from ${from} to ${to}, got "2020-01-01"\n`]);
  });

  test('gives sums over ranges of days from one answer, and writes it as CSV', () => {
    run('budget', 'set', '--app', 'demo', '--analyst', 'eva', '--epsilon', '3');
    run('budget', 'set', '--app', 'demo', '--epsilon', '20');
    const from = dayText(dayNumber(Date.now()) - 99);
    const to = dayText(dayNumber(Date.now()));
    const out = join(folder, 'days.csv');
    const days = (...args: readonly string[]): Ran =>
      run('ask', '--schema', file, '--app', 'demo', '--analyst', 'eva', '--from', from, '--to', to, '--days', '--epsilon', '1', ...args);
    const preview = days('--where', 'metric=rain', '--preview');
    expect(preview.stdout).toMatch(
      /^days \(consistent tree of days: standard deviation [\d.]+, within [\d.]+ with 95 %; sums over ranges: [\d.]+ in the mean, [\d.]+ at worst\)\n/,
    );
    const range = ['--range', `${from}..${to}`, '--range', `${day}..${to}`] as const;
    const answer = json<Answer & { readonly sums: readonly { readonly estimate: number; readonly standardError: number }[] }>(
      days('--where', 'metric=rain', ...range, '--out', out, '--json'),
    );
    expect(answer.sums).toHaveLength(2);
    // The noise of a sum has at most the tails of e^(-|z|/2), and standard errors below 15.
    for (const { estimate, standardError } of answer.sums) {
      expect(standardError).toBeLessThan(15);
      expect(Math.abs(estimate - DEVICES)).toBeLessThan(200);
    }
    const rows = readFileSync(out, 'utf8').trimEnd().split('\r\n');
    expect([rows.length, rows[0]]).toEqual([101, 'day,value,standardError']);
    const text = days('--where', 'metric=rain', ...range).stdout;
    expect(text).toMatch(new RegExp(`^${day} +-?[\\d.]+ +[\\d.]+$`, 'm'));
    expect(text).toMatch(new RegExp(`^${from} to ${to}: -?[\\d.]+, standard error [\\d.]+$`, 'm'));
    expect(text).toContain('cost: nothing; answered before');
    const outside = days('--range', '2020-01-01..2020-01-02');
    expect([outside.status, outside.stderr]).toEqual([2, expect.stringContaining(`--range: expected days from ${from} to ${to}`)]);
    expect(run('budget', 'show', '--app', 'demo').stdout).toMatch(/^eva +ε 3 +ε 1$/m);
  });

  test('writes a synthetic table, and refuses one that noise for each cell would beat, before anything is spent', () => {
    const out = join(folder, 'table.csv');
    const synthetic = (about: string, ...args: readonly string[]): Ran =>
      ask('--analyst', 'eva', '--synthetic', 'metric', 'platform', 'day', '--about', about, '--epsilon', '0.05', '--out', out, ...args);
    const refused = synthetic('1000000');
    expect([refused.status, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toMatch(
      /^murmuration: synthetic: expected a table whose stated error is below that of noise for each cell, \d+; use count with group-by day, metric, platform instead, got \d+ for 1000000 reports in \d+ cells\n$/,
    );
    expect(run('budget', 'show', '--app', 'demo').stdout).toMatch(/^eva +ε 3 +ε 1$/m);
    const small = run(
      'ask',
      '--schema',
      file,
      '--app',
      'demo',
      '--analyst',
      'eva',
      '--from',
      dayText(dayNumber(Date.now()) - 99),
      '--to',
      dayText(dayNumber(Date.now())),
      '--synthetic',
      'metric',
      'platform',
      'day',
      '--about',
      '900',
      '--epsilon',
      '0.5',
      '--out',
      out,
    );
    expect(small.stderr).toBe('');
    expect(small.stdout).toMatch(
      /^synthetic table of day, metric, platform \(MWEM: \d+ reports, every marginal within [\d.]+ with 95 %\)\n/,
    );
    const rows = readFileSync(out, 'utf8')
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    expect(rows[0]).toEqual(['day', 'metric', 'platform', 'weight']);
    expect((rows.length - 1) % 300).toBe(0);
    expect(run('budget', 'show', '--app', 'demo').stdout).toMatch(/^eva +ε 3 +ε 1\.5$/m);
  });

  test('tells shares with an interval, and how strongly two columns go together, or how many reports that takes', () => {
    run('budget', 'set', '--app', 'demo', '--analyst', 'fay', '--epsilon', '9');
    run('budget', 'set', '--app', 'demo', '--epsilon', '40');
    const options = ['--analyst', 'fay', '--where', 'metric=rain', '--epsilon', '2', '--about', '20'];
    const share = (...args: readonly string[]): Ran => ask(...options, '--share', 'platform=ios', '--share', 'platform=android', ...args);
    expect(share('--preview').stdout).toMatch(
      /^share of platform android, ios \(quotient of geometric cells: within [01]\.\d{3} with 95 %, for 20 reports\)\n/,
    );
    const exact = ((devices.get('ios') ?? 0) + (devices.get('android') ?? 0)) / DEVICES;
    const [{ cells = [] }] = json<Answer>(share('--json')).results as [Answer['results'][number]];
    // Noise of rate 2 beyond 20 has a probability of 2 e^-40.
    expect(Math.abs((cells[0]?.value ?? 0) - exact)).toBeLessThan(20 / DEVICES + 0.5);
    expect(share().stdout).toMatch(/^share of platform android, ios: \d\.\d{3}, between \d\.\d{3} and \d\.\d{3} \(/);
    expect(share('--group-by', 'day').stdout).toMatch(/^day +value +95 %$/m);
    const related = (about: string, ...args: readonly string[]): Ran =>
      ask(
        ...['--analyst', 'fay', '--where', 'metric=rain', '--where', 'metric=film', '--epsilon', '2'],
        ...['--association', 'metric', 'platform', '--about', about, ...args],
      );
    const few = related('100');
    expect([few.status, few.stdout]).toEqual([2, '']);
    expect(few.stderr).toMatch(
      /^murmuration: association: expected at least \d+ reports, \d+ for each of 64 blocks; a larger ε takes fewer/,
    );
    expect(related('100000').stdout).toMatch(
      /^association of metric and platform: [01]\.\d{3} \(sample and aggregate: within 0\.047 of the mean over the blocks with 95 %; 64 blocks of some 1562 reports, in which unrelated columns show up to 0\.\d{3}\)\n/,
    );
  });

  test.each([
    [
      ['ask', '--analyst', 'ann', '--app', 'demo', '--from', '2026-11-01', '--share', 'platform=ios', '--epsilon', '1'],
      '--share: expected --about, how many reports you expect',
    ],
    [
      [
        ...['ask', '--analyst', 'ann', '--app', 'demo', '--from', '2026-11-01', '--epsilon', '1', '--about', '9'],
        ...['--share', 'platform=ios', '--share', 'version=1'],
      ],
      '--share: expected values of one column, got platform, version',
    ],
    [
      [
        ...['ask', '--analyst', 'ann', '--app', 'demo', '--from', '2026-11-01', '--epsilon', '1', '--about', '9'],
        ...['--share', 'platform=ios', '--group-by', 'platform'],
      ],
      'measures.0.groupBy: expected other columns than platform, got it',
    ],
    [
      ['ask', '--analyst', 'ann', '--app', 'demo', '--from', '2026-11-01', '--association', 'platform', '--about', '9', '--epsilon', '1'],
      'measures.0.columns: expected two columns, got 1',
    ],
    [
      ['ask', '--analyst', 'ann', '--app', 'demo', '--from', '2026-11-01', '--epsilon', '1'],
      'expected one of --count, --sum, --median, --most-used, --days, ',
    ],
    [
      ['ask', '--analyst', 'ann', '--app', 'demo', '--from', '2026-11-01', '--synthetic', 'metric', 'platform', '--epsilon', '1'],
      '--synthetic: expected --about, how many reports you expect',
    ],
    [
      [
        'ask',
        '--analyst',
        'ann',
        '--app',
        'demo',
        '--from',
        '2026-11-01',
        '--count',
        '--range',
        '2026-11-01..2026-11-01',
        '--epsilon',
        '1',
      ],
      '--range: expected --days with it, got another',
    ],
    [
      ['ask', '--analyst', 'ann', '--app', 'demo', '--from', '2026-11-01', '--days', '--range', '2026-11-01', '--epsilon', '1'],
      '--range: expected two days such as 2026-11-01..2026-11-05, got "2026-11-01"',
    ],
    [
      ['ask', '--analyst', 'ann', '--app', 'demo', '--from', '2026-11-01', '--median', 'version', '--out', 'x.csv', '--epsilon', '1'],
      '--out: CSV: expected count, sum, days, ',
    ],
    [
      ['ask', '--analyst', 'ann', '--app', 'demo', '--from', '2026-11-01', '--sum', 'version', '--epsilon', '1'],
      '--sum: expected --low and --high',
    ],
    [
      ['ask', '--analyst', 'ann', '--app', 'demo', '--from', '2026-11-01', '--count'],
      '--epsilon: expected it, or a --question, got neither',
    ],
    [
      ['ask', '--analyst', 'ann', '--app', 'demo', '--from', '2026-11-01', '--count', '--epsilon', '0'],
      'expected a number above 0, such as 0.1 or 1/3, got "0"',
    ],
    [
      ['ask', '--analyst', 'ann', '--app', 'demo', '--from', '2026-11-01', '--count', '--epsilon', '1', '--where', 'city=Bern'],
      'where.city: expected one of the columns metric, version, platform',
    ],
    [
      ['ask', '--analyst', 'ann', '--app', 'demo', '--from', '2026-11-01', '--count', '--epsilon', '1', '--where', 'city'],
      '--where: expected column=value',
    ],
    [
      ['ask', '--analyst', 'ann', '--app', 'nodes', '--from', '2026-11-01', '--count', '--epsilon', '1'],
      'app: expected one of the published apps (demo)',
    ],
    [['budget', 'set', '--app', 'demo'], 'expected --epsilon or --rho, got neither'],
    [['budget', 'set', '--app', 'demo', '--epsilon', '1', '--rho', '1'], 'expected --epsilon or --rho, got both'],
    [['budget', 'set', '--app', 'demo', '--epsilon', '-1'], '--epsilon: expected a number above 0'],
    [['budget', 'set', '--app', 'demo', '--epsilon', '1', '--colluders', 'some'], '--colluders: expected all or a whole number from 1'],
    [['budget', 'set', '--app', 'demo', '--epsilon', '1', '--analyst', 'ann', '--colluders', '2'], '--analyst: expected no --colluders'],
    [['budget', 'set', '--app', '../etc', '--epsilon', '1'], '--app: expected a letter'],
    [['budget', 'set', '--app', 'demo', '--epsilon', '1', '--analyst', ' ann'], '--analyst: expected the name of a token or a user'],
    [['override', '--reason', 'none'], 'nothing to override'],
  ])('%j is bad usage: one line, exit 2', (args, message) => {
    const more = args[0] === 'ask' ? ['--schema', file] : [];
    const { status, stdout, stderr } = run(...args, ...more);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  test('after a restore nothing is released until an admin goes on, which is logged', () => {
    const [copy, restored] = [join(folder, 'copy.sqlite'), join(folder, 'restored')];
    expect(runCommand('backup', '--data', data, '--out', copy).status).toBe(0);
    expect(runCommand('restore', '--from', copy, '--data', restored).status).toBe(0);
    const inRestored = (...args: readonly string[]): Ran => runCommand('release', ...args, '--data', restored);
    const refused = inRestored('budget', 'set', '--app', 'demo', '--epsilon', '100');
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining('got a folder that was restored from a backup; see docs/release.md'),
    ]);
    const repeated = inRestored(
      'ask',
      '--schema',
      file,
      '--app',
      'demo',
      '--from',
      day,
      '--to',
      dayText(dayNumber(Date.now())),
      '--analyst',
      'ann',
      ...COUNT,
    );
    expect(json<Answer>(repeated).isRepeated).toBe(true);
    expect(inRestored('override', '--reason', 'the disk was lost; no answers since the backup').status).toBe(0);
    expect(inRestored('budget', 'set', '--app', 'demo', '--epsilon', '100').status).toBe(0);
    expect(inRestored('list').stdout).toMatch(/override .*went on with a folder that was restored from a backup: the disk was lost/);
  });
});
