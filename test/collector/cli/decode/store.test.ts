/** `murmuration decode` on string metrics of a store: reports of the shipped randomizers, sent over HTTP. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, defineSchema, joint, text } from '@murmuration/client';
import { stringHashing } from '@murmuration/client/mechanisms';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { createCollector } from '@murmuration/collector';
import { canonicalSchema, dayNumber, dayText, type MetricDocument, toBase64url, wireName } from '@murmuration/shared';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deviceOf } from '#collector/planning/simulate/simulation.ts';
import { runCommand } from '../../../setup/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'murmuration-decode-store-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [data, schemaFile] = [join(folder, 'data'), join(folder, 'schema.json')];
const ask = { epsilon: 4, description: 'Which page?' };
const questions = {
  page: text(ask),
  word: text({ ...ask, mechanism: stringHashing() }),
  both: joint({ page: text, plan: ['free', 'pro'] }, ask),
  plan: choice(['free', 'pro'], ask),
  silent: text(ask),
};
const { document } = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 20, per: 'month' }, devices: 4_000, metrics: questions });

const PAGES = ['/a', '/b', '/c', '/d'] as const; // with half of the reports, a quarter, an eighth and an eighth
const REPORTS = 4_000;
const pageOf = (i: number): string => (i % 2 === 0 ? '/a' : i % 4 === 1 ? '/b' : i % 8 === 3 ? '/c' : '/d');
const others = Array.from({ length: 200 }, (_, i) => `/nobody/${i}`);

beforeAll(async () => {
  writeFileSync(schemaFile, canonicalSchema(document));
  const collector = await createCollector({ schemas: [document], data, open: true, perMetric: 1_000 });
  const url = await collector.listen(0, '127.0.0.1');
  let batch = 0;
  for (const metric of ['page', 'word', 'both'] as const) {
    const question = questions[metric];
    const device = deviceOf(question as never, (document.metrics[metric] as MetricDocument).law, createCoins(words(seededRng(7))));
    const answer = (i: number): unknown => (metric === 'both' ? { page: pageOf(i), plan: i % 3 === 0 ? 'pro' : 'free' } : pageOf(i));
    const reports = Array.from({ length: REPORTS }, (_, i) => [metric, toBase64url(device.randomize(question.input(answer(i) as never)))]);
    for (let at = 0; at < REPORTS; at += 1_000) {
      const body = {
        v: 1,
        schema: wireName(document),
        day: dayText(dayNumber(Date.now())),
        batch: `${batch++}`.padStart(32, '0'),
        reports: reports.slice(at, at + 1_000),
      };
      expect((await fetch(`${url}/v1/reports`, { method: 'POST', body: JSON.stringify(body) })).status).toBe(204);
    }
  }
  await collector.close();
});

let files = 0;
function listOf(content: string | Uint8Array, name = 'txt'): string {
  const file = join(folder, `${files++}.${name}`);
  writeFileSync(file, content);
  return file;
}
const decode = (metric: string, list: readonly string[], ...args: readonly string[]): ReturnType<typeof runCommand> =>
  runCommand('decode', '--schema', schemaFile, '--data', data, '--metric', metric, '--candidates', ...list, ...args);

test.each(['page', 'word'])('the strings of %s are found among others', (metric) => {
  const out = join(folder, `${metric}.csv`);
  const { status, stdout } = decode(metric, [listOf([...others, ...PAGES].join('\n'))], '--out', out, '--json');
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { reports: REPORTS, candidates: 204, leftOut: 0, fdr: 0.05 }]);
  const found = readFileSync(out, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
  expect(found.map(([string]) => string).slice(0, 2)).toEqual(['/a', '/b']);
  expect(Number(found[0]?.[3])).toBeGreaterThan(0.4);
  expect(Number(found[0]?.[3])).toBeLessThan(0.6);
});

test('pairs of a string and a list are found, by their labels', () => {
  const out = join(folder, 'both.csv');
  expect(decode('both', [listOf(PAGES.join('\n'))], '--all', '--out', out)).toMatchObject({ status: 0 });
  const text = readFileSync(out, 'utf8');
  expect(text.trimEnd().split('\n').length).toBe(1 + 2 * PAGES.length);
  expect(text.split('\n')[1]).toContain('/a');
  expect(text.split('\n')[1]).toContain('free');
});

test('lists are united, packed or not, and what is left out is named by its line', () => {
  const long = 'x'.repeat(257);
  const lists = [listOf(`\ufeff/a\r\n/b\r\n/a\r\n\r\n${long}\r\n`), listOf(JSON.stringify(['/b', { word: '/c' }]), 'json')];
  const { status, stdout, stderr } = decode('page', lists, '--json');
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { candidates: 3, leftOut: 2 }]);
  expect(stderr).toContain(':3: left out "/a", which is the candidate of line 1 again\n');
  expect(stderr).toMatch(/:5: left out "x+", which is longer than 256 bytes\n/);
});

test('candidates are normalized as asked, in that order', () => {
  const urls = listOf('https://Example.COM/path?q\nexample.com\nhttps://bücher.example:8080/\nnot a host\n');
  const { status, stdout, stderr } = decode('page', [urls], '--normalize', 'host', '--all', '--out', join(folder, 'hosts.csv'), '--json');
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { candidates: 2, leftOut: 2 }]);
  expect(stderr).toContain(':2: left out "example.com", which is the candidate of line 1 again\n');
  expect(stderr).toContain(':4: left out "not a host", which has no host\n');
  expect(readFileSync(join(folder, 'hosts.csv'), 'utf8')).toMatch(/^xn--bcher-kva\.example,/m);
  const words = listOf(' Cafe\u0301\nCAFÉ');
  decode('page', [words], '--normalize', 'trim,lower,nfc', '--all', '--out', join(folder, 'words.csv'));
  expect(readFileSync(join(folder, 'words.csv'), 'utf8').split('\n')[1]).toMatch(/^caf\u00e9,/);
});

test('a list may lie in an installed package', () => {
  const inside = join(folder, 'node_modules', '@lists', 'pages');
  mkdirSync(inside, { recursive: true });
  writeFileSync(join(inside, 'package.json'), JSON.stringify({ name: '@lists/pages', main: 'pages.json' }));
  writeFileSync(join(inside, 'pages.json'), JSON.stringify(PAGES));
  writeFileSync(join(inside, 'more.txt'), others.join('\n'));
  const before = process.cwd();
  process.chdir(folder);
  try {
    const { stdout } = decode('page', ['npm:@lists/pages', 'npm:@lists/pages/more.txt'], '--json');
    expect(JSON.parse(stdout)).toMatchObject({ candidates: 204 });
  } finally {
    process.chdir(before);
  }
});

test.each<[what: string, metric: string, list: readonly string[], message: RegExp]>([
  ['a list of answers', 'plan', ['free'], /--metric plan: expected a text metric, or a joint one with a text, got a choice/],
  ['no such metric', 'pages', ['/a'], /expected metrics of the schemas \(.*notes page.*\), got pages/],
  ['no reports', 'silent', ['/a'], /--metric silent: expected reports in .*, got none/],
  ['an empty list', 'page', [''], /--candidates .*: expected a string a line, got none/],
])('%s is one line and exit 2', (_what, metric, list, message) => {
  const { status, stdout, stderr } = decode(metric, [listOf(list.join('\n'))]);
  expect([status, stdout, stderr.split('\n').length]).toEqual([2, '', 2]);
  expect(stderr).toMatch(message);
});

test.each<[what: string, list: string, message: RegExp]>([
  ['a file that is not there', 'none.txt', /none\.txt: expected a file, got none\n$/],
  ['a folder', 'test', /: expected a file, got a folder\n$/],
  [
    'a package that is not installed',
    'npm:@nobody/none',
    /--candidates npm:@nobody\/none: expected npm: and a package that is installed here, got none/,
  ],
  [
    'a package of code',
    'npm:vitest',
    /expected the name of a \.json or \.txt file too, as in npm:vitest\/words\.txt, got a package of code/,
  ],
])('%s is one line and exit 2', (_what, list, message) => {
  const { status, stderr } = decode('page', [list]);
  expect([status, stderr.split('\n').length]).toEqual([2, 2]);
  expect(stderr).toMatch(message);
});

test.each<[what: string, content: string | Uint8Array, message: RegExp]>([
  ['JSON that is none', '[', /\.json: .*JSON/],
  ['JSON that is no array', '{}', /\.json: expected an array of strings, got object/],
  ['an entry that is no string', '["a",1]', /\.json:2: expected a string, or an object with a word, got 1/],
  ['other letters', Buffer.from('["\xe9"]', 'latin1'), /\.json: expected UTF-8, got other bytes/],
])('%s is one line and exit 2', (_what, content, message) => {
  const { status, stderr } = decode('page', [listOf(content, 'json')]);
  expect([status, stderr.split('\n').length]).toEqual([2, 2]);
  expect(stderr).toMatch(message);
});
