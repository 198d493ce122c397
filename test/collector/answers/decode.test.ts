/** Decodes over HTTP: which strings are there, what the whole distribution looks like, and who may know. */

import type { MetricEstimates } from '@murmuration/collector';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DecodedString, MetricStrings } from '#collector/answers/decoded-strings.ts';
import { type Running, read, start } from '../../kit/app.ts';
import { bodiesOf, list, schema, WORDS } from '../../kit/string-app.ts';

const DEVICES = 900;

interface Answer extends MetricStrings {
  readonly page: { readonly total: number; readonly offset: number; readonly limit: number };
  readonly strings: readonly DecodedString[];
}

let running: Running;
beforeAll(async () => {
  running = await start({ schemas: [schema.document], candidates: { word: list }, minimum: 20 });
  await running.send(await bodiesOf(DEVICES));
}, 120_000);
afterAll(() => running.close());

const decode = (query = ''): ReturnType<typeof read<Answer>> => read<Answer>(`${running.url}/v1/metrics/word/decode?${query}`);

test('finds the strings that devices said, with intervals, and says how much none of them explains', async () => {
  const { status, body } = await decode();
  expect([status, body.outcome, body.reports, body.candidates]).toEqual([200, 'decoded', DEVICES, list.length]);
  expect(body.strings.map(({ label }) => label).slice(0, 2)).toEqual([...WORDS]);
  expect(body.found).toBe(body.strings.length);
  for (const each of body.strings) {
    expect(each.isFound).toBe(true);
    expect(each.qValue).toBeLessThanOrEqual(0.05);
    expect(each.low).toBeLessThanOrEqual(each.typical);
    expect(each.typical).toBeLessThanOrEqual(each.high);
  }
  const { estimate = 0, low = 1, high = 0, standardError = 0 } = body.unexplained ?? {};
  expect(low).toBeLessThanOrEqual(estimate);
  expect(high).toBeGreaterThanOrEqual(estimate);
  expect(standardError).toBeGreaterThan(0);
  expect(body.meaning).toMatch(/told apart from chance\. On average, at most 5 % of those found are not there\.$/);
});

test('the whole distribution is an answer of its own, and adds up to 1', async () => {
  const { distribution } = (await decode()).body;
  if (distribution === undefined) throw new Error('expected a distribution');
  const { shares, rest, other } = distribution;
  expect(shares.reduce((sum, { share }) => sum + share, rest + other)).toBeCloseTo(1, 9);
  expect(shares.slice(0, 2).map(({ label }) => label)).toEqual([...WORDS]);
});

test('the others come after the found ones, where they are wanted', async () => {
  const { body } = await decode('all=true');
  expect(body.page.total).toBe(list.length);
  const { found } = body;
  expect(body.strings.map(({ isFound }) => isFound)).toEqual(list.map((_, i) => i < found));
  expect((await decode('all=true&offset=1&limit=2')).body.strings).toEqual(body.strings.slice(1, 3));
});

test('a smaller false discovery rate finds no more', async () => {
  const [strict, lax] = await Promise.all([decode('fdr=0.000001'), decode('fdr=0.5')]);
  expect(strict.body.found).toBeLessThanOrEqual(lax.body.found);
  expect([strict.body.fdr, lax.body.fdr]).toEqual([0.000001, 0.5]);
});

test('candidates may be asked for, and a segment', async () => {
  const { body } = await decode('candidate=anchor&candidate=zebra&all=true&segment.platform=web');
  expect(body.strings.map(({ label }) => label).sort()).toEqual(['anchor', 'zebra']);
  expect(body.reports).toBe(DEVICES / 2);
});

test('the same question is answered by the same bytes', async () => {
  const ask = async (): Promise<string> => (await fetch(`${running.url}/v1/metrics/word/decode?all=true`)).text();
  expect(await ask()).toBe(await ask());
});

test('both answers, and the estimates, are of the same reports', async () => {
  const { body } = await read<MetricEstimates>(`${running.url}/v1/metrics/word/estimates`);
  const decoded = (await decode()).body;
  const about = ({ app, version, type, mechanism, epsilon, reports, from, to, watch }: MetricEstimates | MetricStrings): unknown[] => [
    app,
    version,
    type,
    mechanism,
    epsilon,
    reports,
    from,
    to,
    watch,
  ];
  expect(about(decoded)).toEqual(about(body));
});

test.each([
  ['fdr=0', 'fdr: a share above 0 and below 1, such as 0.05'],
  ['fdr=1', 'fdr: a share above 0 and below 1, such as 0.05'],
  ['fdr=5%25', 'fdr: a share above 0 and below 1, such as 0.05'],
  ['fdr=.1&fdr=.2', 'fdr: a share above 0 and below 1, such as 0.05'],
  ['all=yes', 'all: true or false'],
  ['among=reports', 'no parameters of other names'],
])('%s is refused', async (query, expected) => {
  expect(await decode(query)).toMatchObject({ status: 400, body: { error: 'bad-query', expected } });
});

test('few reports, and no list, are answers in plain words', async () => {
  const other = await start({ schemas: [schema.document], minimum: 20 });
  try {
    const ask = async (query = ''): Promise<Answer> => (await read<Answer>(`${other.url}/v1/metrics/word/decode?${query}`)).body;
    await other.send((await bodiesOf(12)).slice(0, 12));
    expect(await ask()).toMatchObject({ outcome: 'too-few-reports', meaning: '12 of 20 reports: too few to say anything.', strings: [] });
    await other.send((await bodiesOf(40)).slice(12));
    expect(await ask()).toMatchObject({ outcome: 'no-candidates', meaning: 'There is no list of strings to look for.' });
    expect((await ask('candidate=anchor')).outcome).not.toBe('no-candidates');
  } finally {
    await other.close();
  }
}, 60_000);

test('where even a string that everybody has would not be found, nothing is claimed', async () => {
  const other = await start({ schemas: [schema.document], candidates: { word: list }, minimum: 1 });
  try {
    await other.send(await bodiesOf(3));
    const { body } = await read<Answer>(`${other.url}/v1/metrics/word/decode?all=true`);
    expect(body).toMatchObject({ outcome: 'not-enough-data', found: 0, strings: [] });
    expect(body.meaning).toBe('Not enough reports: even a string that every report has could not be told apart from chance.');
    expect([body.unexplained, body.detectable, body.distribution]).toEqual([undefined, undefined, undefined]);
  } finally {
    await other.close();
  }
}, 60_000);
