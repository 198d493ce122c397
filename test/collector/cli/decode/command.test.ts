/** `murmuration decode` on google/rappor's files and on a string metric of a store. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { bin, runCommand, runProcess } from '../../../setup/command.ts';
import { csvText, drawCounts, type Files, mapRow, optionsOf, type Parameters, paramsText, writeFiles } from './rappor-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'murmuration-decode-'));
afterAll(() => rmSync(folder, { recursive: true }));
function folderOf(name: string): string {
  mkdirSync(join(folder, name));
  return join(folder, name);
}

const decode = (...args: readonly string[]): ReturnType<typeof runCommand> => runCommand('decode', ...args);

/** The rows of a CSV file without quotes, by string. */
function rowsOf(file: string): Map<string, { readonly [column: string]: string }> {
  const [head = '', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const columns = head.split(',');
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(',')), Object.fromEntries(line.split(',').map((value, i) => [columns[i], value]))]),
  );
}

const COLUMNS = 'string,estimate,std_error,proportion,prop_std_error,prop_low_95,prop_high_95,p_value,q_value,reported';

/** Twelve strings, of which v1 to v12 are there with shares that halve, and as many that are not. */
const own: Parameters = { k: 16, h: 2, m: 16, p: 0.25, q: 0.75, f: 0.25 };
const strings = Array.from({ length: 12 }, (_, i) => `v${i + 1}`);
const candidates = [...strings, ...Array.from({ length: 40 }, (_, i) => `n${i + 1}`)];
const shares = strings.map((_, i) => 2 ** -(i + 1) + (i === 11 ? 2 ** -12 : 0));

describe('files of google/rappor', () => {
  const files = writeFiles(folderOf('small'), {
    params: paramsText(own),
    counts: csvText(drawCounts(own, strings, shares, 20_000, 1)),
    map: csvText(candidates.map((text) => mapRow(text, own))),
  });
  const at = (name: string): string => join(folder, name);

  test('give the reported strings with that project’s columns, and numbers about the whole', () => {
    const { status, stdout, stderr } = decode(...optionsOf(files), '--out', at('r.csv'), '--distribution', at('d.csv'), '--json');
    expect([status, stderr]).toEqual([0, '']);
    const summary = JSON.parse(stdout);
    expect(summary).toMatchObject({ reports: 20_000, candidates: 52, fdr: 0.05, outcome: 'decoded', seconds: expect.any(Number) });
    expect(summary.peakRssMb).toBeGreaterThan(10);
    expect(readFileSync(at('r.csv'), 'utf8').split('\n')[0]).toBe(COLUMNS);
    const rows = rowsOf(at('r.csv'));
    expect(rows.size).toBe(summary.reported);
    for (const text of ['v1', 'v2', 'v3']) {
      const { estimate, proportion, prop_low_95, prop_high_95, reported } = rows.get(text) as { readonly [column: string]: string };
      expect(Number(estimate)).toBeCloseTo(20_000 * Number(proportion), 2);
      expect(Number(prop_low_95)).toBeLessThan(Number(prop_high_95));
      expect(reported).toBe('true');
    }
    const ordered = [...rows.values()].map(({ proportion }) => Number(proportion));
    expect(ordered).toEqual(ordered.toSorted((a, b) => b - a));
    const whole = [...rowsOf(at('d.csv')).values()].map(({ frequency }) => Number(frequency));
    expect(whole.length).toBe(52);
    expect(Math.min(...whole)).toBeGreaterThanOrEqual(0);
    expect(whole.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1 + 1e-6);
  });

  test('--all gives every candidate, of which the reported ones are those without it', () => {
    expect(decode(...optionsOf(files), '--all', '--out', at('all.csv')).status).toBe(0);
    const all = rowsOf(at('all.csv'));
    expect([...all.keys()].sort()).toEqual(candidates.toSorted());
    const reported = [...all].filter(([, { reported }]) => reported === 'true').map(([text]) => text);
    expect(reported).toEqual([...rowsOf(at('r.csv')).keys()]);
  });

  test('give the same bytes every time, in any process, whatever packs and quotes them', () => {
    const packed = writeFiles(folderOf('packed'), {
      params: `\ufeff${readFileSync(files.params, 'utf8').replaceAll('\n', '\r\n')}`,
      counts: gzipSync(readFileSync(files.counts)),
      map: gzipSync(readFileSync(files.map, 'utf8').replaceAll(/^(\w+)/gm, '"$1"')),
    });
    const bytes = [...[1, 2].map(() => [files, runCommand] as const), [files, runProcess] as const, [packed, runCommand] as const].map(
      ([own, run]) => {
        expect(run('decode', ...optionsOf(own), '--all', '--out', at('again.csv'), '--distribution', at('again-d.csv')).status).toBe(0);
        return readFileSync(at('again.csv'), 'utf8') + readFileSync(at('again-d.csv'), 'utf8');
      },
    );
    expect(new Set(bytes).size).toBe(1);
  });

  test('may be pipes', () => {
    const { params, counts, map } = files;
    const line = `"$0" "$1" decode --params <(cat ${params}) --counts <(gzip -c ${counts}) --map <(cat ${map}) --all --out ${at('piped.csv')}`;
    const { status, stderr } = spawnSync('bash', ['-c', line, process.execPath, bin], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(readFileSync(at('piped.csv'), 'utf8')).toBe(readFileSync(at('all.csv'), 'utf8'));
  });

  test('without --json, people read the strings and what is not explained', () => {
    const { stdout } = decode(...optionsOf(files));
    expect(stdout).toMatch(/^reports +20,000\ncandidates +52\nreported +\d+,/);
    expect(stdout).toMatch(/\nunexplained +[\d.]+ % of the reports/);
    expect(stdout).toMatch(/\nv1 +\d+(\.\d)? %/);
  });
});

describe('one-hot data', () => {
  /** Reports of basic RAPPOR: each answer is its own bit. */
  function basic(name: string, k: number, m: number): Files {
    const parameters: Parameters = { k, h: 1, m, p: 0.25, q: 0.75, f: 0 };
    const counts = Array.from({ length: m }, () => [
      10_000,
      ...Array.from({ length: k }, (_, bit) => (bit === 0 ? 5_500 : bit === 1 ? 4_500 : 2_500)),
    ]);
    const map = Array.from({ length: k }, (_, bit) => [
      `answer ${bit}`,
      ...Array.from({ length: m }, (__, cohort) => cohort * k + bit + 1),
    ]);
    return writeFiles(folderOf(name), { params: paramsText(parameters), counts: csvText(counts), map: csvText(map) });
  }

  test.each([
    ['in one cohort', 4, 1],
    ['in several cohorts', 6, 3],
  ])('of a list, %s', (name, k, m) => {
    const out = join(folder, `${k}.csv`);
    expect(decode(...optionsOf(basic(name, k, m)), '--out', out).status).toBe(0);
    const rows = rowsOf(out);
    expect([...rows.keys()]).toEqual(['answer 0', 'answer 1']);
    expect(Number(rows.get('answer 0')?.['proportion'])).toBeCloseTo(0.6, 6);
    expect(Number(rows.get('answer 1')?.['proportion'])).toBeCloseTo(0.4, 6);
  });
});

test('single bits need no map, and TRUE and FALSE add up', () => {
  const parameters: Parameters = { k: 1, h: 1, m: 2, p: 0.2, q: 0.7, f: 0 };
  const files = writeFiles(folderOf('boolean'), { params: paramsText(parameters), counts: '6000,2700\n4000,1800\n', map: '' });
  const out = join(folder, 'boolean.csv');
  expect(decode('--params', files.params, '--counts', files.counts, '--out', out).status).toBe(0);
  const rows = rowsOf(out);
  expect(Number(rows.get('TRUE')?.['proportion'])).toBeCloseTo(0.5, 6);
  expect(Number(rows.get('FALSE')?.['proportion'])).toBeCloseTo(0.5, 6);
  expect(Number(rows.get('TRUE')?.['prop_low_95'])).toBeGreaterThan(0.47);
});

test('candidates that set the same bits are not told apart: none of them is reported, and that is said', () => {
  const parameters: Parameters = { k: 4, h: 1, m: 1, p: 0.25, q: 0.75, f: 0 };
  const counts = '10000,5500,4500,2500,2500\n';
  const files = writeFiles(folderOf('twins'), { params: paramsText(parameters), counts, map: 'a,1\nb,2\nc,1\nd,3\n' });
  const out = join(folder, 'twins.csv');
  const { stdout } = decode(...optionsOf(files), '--out', out, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ reported: 1, indistinguishable: 2 });
  expect([...rowsOf(out).keys()]).toEqual(['b']);
  expect(decode(...optionsOf(files)).stdout).toContain('\n2 candidates set the same bits as another one');
});

describe('bad input', () => {
  const bad = folderOf('bad');
  const files = writeFiles(bad, {
    params: paramsText(own),
    counts: csvText(drawCounts(own, strings, shares, 200, 1)),
    map: csvText(candidates.map((text) => mapRow(text, own))),
  });
  const before = readdirSync(bad).length;
  const outputs = ['--out', join(bad, 'r.csv'), '--distribution', join(bad, 'd.csv')];

  test.each<[what: string, args: readonly string[], message: RegExp]>([
    [
      'a broken map',
      ['--params', files.params, '--counts', files.counts, '--map', files.counts],
      /counts\.csv:1: expected 33 fields, got 17\n$/,
    ],
    ['no such file', ['--params', join(bad, 'none.csv'), '--counts', files.counts], /none\.csv: expected a file, got none\n$/],
    ['a folder as counts', ['--params', files.params, '--counts', bad], /bad.*: expected a file, got a folder\n$/],
    ['no files', [], /expected --params, --counts and --map, or --schema, --metric, --candidates and --data, got none\n$/],
    [
      'no map',
      ['--params', files.params, '--counts', files.counts],
      /--map: expected the map of the candidates, as reports have 16 bits, got none\n$/,
    ],
    ['no counts', ['--params', files.params, '--map', files.map], /--candidates and --data, got only some of them\n$/],
    ['a metric too', [...optionsOf(files), '--metric', 'page'], /--candidates and --data, got some of both\n$/],
    ['a rate of 0', [...optionsOf(files), '--fdr', '0'], /--fdr: expected a percentage/],
    ['an output that is an input', [...optionsOf(files), '--out', files.map], /--out .*map\.csv: expected a path of its own/],
    ['one output for both', [...optionsOf(files), '--distribution', join(bad, 'r.csv')], /--distribution .*: expected a path of its own/],
    ['a folder as output', [...optionsOf(files), '--out', bad], /--out .*: expected a path for a file/],
    [
      'an output in no folder',
      [...optionsOf(files), '--out', join(bad, 'none', 'r.csv')],
      /--out .*: expected a path for a file, got one in no folder\n$/,
    ],
  ])('%s is one line, exit 2, and writes nothing', (_what, args, message) => {
    const { status, stdout, stderr } = decode(...outputs, ...args);
    expect([status, stdout, stderr.split('\n').length]).toEqual([2, '', 2]);
    expect(stderr).toMatch(message);
    expect(readdirSync(bad).length).toBe(before);
  });

  test('leaves the outputs of a former run as they were', () => {
    expect(decode(...optionsOf(files), ...outputs).status).toBe(0);
    const [results, whole] = [join(bad, 'r.csv'), join(bad, 'd.csv')].map((file) => readFileSync(file, 'utf8'));
    writeFileSync(join(bad, 'worse.csv'), readFileSync(files.counts, 'utf8').replace(/,\d+\n/, ',999999\n'));
    expect(decode(...optionsOf({ ...files, counts: join(bad, 'worse.csv') }), ...outputs)).toMatchObject({ status: 2, stdout: '' });
    expect([join(bad, 'r.csv'), join(bad, 'd.csv')].map((file) => readFileSync(file, 'utf8'))).toEqual([results, whole]);
  });
});

test('reports of google/rappor’s own client are decoded: at least 40 true strings, at most 5 false ones', () => {
  const data = fileURLToPath(new URL('data/demo3-exp/', import.meta.url));
  const [out, real] = [join(folder, 'demo3.csv'), new Set(rowsOf(join(data, 'truth.csv')).keys())];
  const args = ['--params', join(data, 'params.csv'), '--counts', join(data, 'counts.csv'), '--map', join(data, 'map.csv.gz')];
  expect(decode(...args, '--out', out)).toMatchObject({ status: 0 });
  const found = [...rowsOf(out).keys()];
  const right = found.filter((text) => real.has(text)).length;
  expect(right).toBeGreaterThanOrEqual(40);
  expect(found.length - right).toBeLessThanOrEqual(5);
});
