/** `murmuration export`: the same estimates as the collector's, in formats that other programs read. */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, defineSchema, flag } from '@murmuration/client';
import { createCollector } from '@murmuration/collector';
import { canonicalSchema, dayNumber, dayText, wireName } from '@murmuration/shared';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../setup/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'murmuration-export-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [data, schemaFile] = [join(folder, 'data'), join(folder, 'schema.json')];
const { document } = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 2, per: 'month' },
  segments: { platform: ['web', 'ios'] },
  metrics: {
    plan: choice(['free', 'pro, paid', 'a "team"'], { epsilon: 1, description: 'Which plan?' }),
    dark: flag({ epsilon: 1, description: 'Is dark mode on?' }),
  },
});
const today = dayNumber(Date.now());
let answers: { readonly answers: readonly { readonly label: string; readonly estimate: number; readonly low: number }[] };

beforeAll(async () => {
  writeFileSync(schemaFile, canonicalSchema(document));
  const collector = await createCollector({ schemas: [document], data, open: true, perMetric: 1_000 });
  const url = await collector.listen(0, '127.0.0.1');
  for (const [i, platform] of ['web', 'ios'].entries()) {
    const reports = Array.from({ length: 60 }, (_, n) => ['plan', n % 3 === i ? 'AQ' : 'Ag']);
    const body = { v: 1, schema: wireName(document), day: dayText(today), batch: `${i}`.padStart(32, '0'), segment: { platform }, reports };
    expect((await fetch(`${url}/v1/reports`, { method: 'POST', body: JSON.stringify(body) })).status).toBe(204);
  }
  answers = await (await fetch(`${url}/v1/metrics/plan/estimates`)).json();
  await collector.close();
});

const run = (...args: readonly string[]): ReturnType<typeof runCommand> =>
  runCommand('export', '--schema', schemaFile, '--data', data, ...args);

test('CSV has a row for each answer, quoted where it must be, with the numbers of the API', () => {
  const { status, stdout } = run();
  const [head = '', ...rows] = stdout.trimEnd().split('\r\n');
  expect([status, head.split(',').slice(0, 3), rows.length]).toEqual([0, ['app', 'metric', 'version'], 3]);
  expect(rows.join()).toContain(',"pro, paid",');
  expect(rows.join()).toContain(',"a ""team""",');
  const free = rows.find((row) => row.includes(',free,'))?.split(',') ?? [];
  const column = (name: string): string | undefined => free[head.split(',').indexOf(name)];
  const known = answers.answers.find(({ label }) => label === 'free');
  expect([Number(column('estimate')), Number(column('low')), column('reports')]).toEqual([known?.estimate, known?.low, '120']);
});

test('days that are excluded are left out, and both formats and standard error say so', () => {
  const day = dayText(today);
  const { status, stdout, stderr } = run('--format', 'json', '--metric', 'plan', '--exclude', `${day},2026-01-01`);
  const [metric] = JSON.parse(stdout).metrics;
  expect([status, metric.reports, metric.excluded]).toEqual([0, 0, [{ from: day, to: day, reports: 120 }]]);
  expect(stderr).toBe(`murmuration: notes plan: 120 reports of ${day} are left out\n`);
  const other = run('--metric', 'plan', '--exclude', '2026-01-01').stdout;
  expect(other.split('\r\n')[0]).toContain(',to,excluded,segment,');
  expect(run('--exclude', 'yesterday')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--exclude: expected at most 100 days'),
  });
});

test('JSON has the answers of the API, of the metric, the segment and the days that are asked for, in a private file', () => {
  const out = join(folder, 'estimates.json');
  const only = ['--metric', 'plan', '--segment', 'platform=web', '--from', dayText(today), '--to', dayText(today), '--minimum', '5'];
  expect(run('--format', 'json', '--out', out, ...only)).toMatchObject({ status: 0, stdout: '' });
  const { segment, metrics } = JSON.parse(readFileSync(out, 'utf8'));
  expect([segment, metrics.length, metrics[0]]).toMatchObject([
    { platform: 'web' },
    1,
    { metric: 'plan', reports: 60, from: dayText(today) },
  ]);
  expect(statSync(out).mode & 0o777).toBe(0o600);
  expect(run('--out', out).stderr).toContain('expected a path where no file exists');
});

test('without --schema, the schemas that were published into the folder are exported', () => {
  const bare = (...args: readonly string[]): ReturnType<typeof runCommand> => runCommand('export', '--data', data, ...args);
  expect(bare()).toMatchObject({ status: 2, stderr: expect.stringContaining('one that schemas publish has put into') });
  expect(runCommand('schemas', 'publish', schemaFile, '--data', data).status).toBe(0);
  expect(bare()).toEqual(run());
  const newer = defineSchema({
    app: 'notes',
    version: 2,
    budget: { epsilon: 2, per: 'month' },
    segments: { platform: ['web', 'ios'] },
    metrics: { plan: choice(['free', 'pro, paid', 'a "team"'], { epsilon: 0.5, description: 'Which plan?' }) },
  });
  const newerFile = join(folder, 'newer.json');
  writeFileSync(newerFile, canonicalSchema(newer.document));
  expect(runCommand('schemas', 'publish', newerFile, '--data', data)).toMatchObject({ status: 0 });
  const plan = bare('--metric', 'plan');
  expect(plan.stdout).not.toContain(',free,');
  expect(plan.stderr).toBe(
    `murmuration: 120 reports of ${wireName(document)} are left out: pass its file with --schema\n` +
      'murmuration: no rows of plan: fewer reports than the 20 of --minimum\n',
  );
  expect(bare('--metric', 'dark').stderr).toBe('murmuration: no rows of dark: fewer reports than the 20 of --minimum\n');
  expect(run('--metric', 'plan').stdout).toContain(',free,'); // the older version, whose reports are not added to the newer one's
});

test('reports of a schema that is not named are left out, and counted on standard error', () => {
  const other = defineSchema({
    app: 'other',
    version: 1,
    budget: { epsilon: 2, per: 'month' },
    metrics: { dark: flag({ epsilon: 1, description: 'Is dark mode on?' }) },
  });
  const otherFile = join(folder, 'other.json');
  writeFileSync(otherFile, canonicalSchema(other.document));
  const message = `murmuration: 120 reports of ${wireName(document)} are left out: pass its file with --schema\n`;
  const only = runCommand('export', '--schema', otherFile, '--data', data, '--format', 'json');
  expect(only).toMatchObject({ status: 0, stderr: message });
  expect(JSON.parse(only.stdout).metrics).toHaveLength(1);
  expect(runCommand('export', '--schema', otherFile, '--data', data, '--app', 'other').stderr).not.toContain('left out');
});

test('a metric without enough reports is there without answers, as is a range without any', () => {
  const { metrics } = JSON.parse(run('--format', 'json', '--to', '2020-01-01').stdout);
  expect(metrics.map(({ reports, answers }: { reports: number; answers: [] }) => [reports, answers.length])).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

test.each([
  [['--metric', 'plans'], 'expected metrics of the schemas (notes dark, notes plan), got plans'],
  [['--segment', 'platform=tv'], '--segment: expected a segment of notes with one of its values, got "platform=tv"'],
  [['--segment', 'platform'], '--segment: expected name=value, got "platform"'],
  [['--from', '2026-13-01'], '--from: expected a day such as 2026-11-20, got "2026-13-01"'],
  [['--from', '2026-11-02', '--to', '2026-11-01'], '--from: expected a day up to that of --to'],
  [['--format', 'parquet'], '--format: expected'],
  [['--data', join(tmpdir(), 'murmuration-no-store')], 'expected a folder with a store, got none'],
])('%j is refused in one line', (args, message) => {
  const { status, stdout, stderr } = run(...args);
  expect([status, stdout, stderr.trimEnd().split('\n').length]).toEqual([2, '', 1]);
  expect(stderr).toContain(message);
});
