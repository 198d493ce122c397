/** The overview, decided by plain functions: what is found, what needs a look, what a trend claims, and what is drawn again. */

import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Metric, Sign } from '#collector/api/shown.ts';
import { waitFor } from '#collector/dashboard/allowance.ts';
import { merged } from '#collector/dashboard/live.ts';
import { changeInWords, intervalOf, pointsOf } from '#collector/dashboard/overview/change.ts';
import {
  findingFromQuery,
  foundIn,
  knownPart,
  missingIn,
  ownersOf,
  signsByMetric,
  withFinding,
} from '#collector/dashboard/overview/find.ts';

const metricOf = (metric: string, more: Partial<Metric> = {}): Metric => ({
  app: 'notes',
  metric,
  version: 1,
  type: 'flag',
  description: '',
  mechanism: 'k-ary',
  every: 'month',
  epsilon: 1,
  reports: 100,
  from: '2026-11-01',
  to: '2026-11-20',
  versions: [],
  segments: {},
  ...more,
});

const sign: Sign = {
  app: 'notes',
  metric: 'dark',
  kind: 'law',
  day: '2026-11-14',
  segments: [],
  reports: 90,
  pValue: 1e-9,
  level: 1e-5,
  evidence: '',
};

const dark = metricOf('dark', { description: 'Is dark mode on?', owner: 'design' });
const plan = metricOf('plan', { type: 'choice', description: 'Welcher Plan für Büros?', answers: ['free', 'Team'], owner: 'growth' });
const memo = metricOf('memo', { reports: 0, from: null, to: null });
const all = [dark, plan, memo];
const NOTHING = findingFromQuery('');
const found = (finding: Partial<typeof NOTHING>): readonly string[] =>
  foundIn(all, { ...NOTHING, ...finding }, signsByMetric([sign])).map(({ metric }) => metric);

describe('finding', () => {
  test('every word is in the question, its name, its answers, its owner, its app or its type, whatever its case and accents', () => {
    expect([found({ q: 'DARK on' }), found({ q: 'team' }), found({ q: 'buros growth' }), found({ q: 'memo' })]).toEqual([
      ['dark'],
      ['plan'],
      ['plan'],
      ['memo'],
    ]);
    expect([found({ q: 'one of a list' }), found({ q: 'dark growth' }), found({ q: ' ' })]).toEqual([
      ['plan'],
      [],
      ['dark', 'plan', 'memo'],
    ]);
  });
  test('by type, state and owner', () => {
    expect([found({ type: 'choice' }), found({ owner: 'design' }), found({ state: 'none' })]).toEqual([['plan'], ['dark'], ['memo']]);
    expect([found({ state: 'look' }), found({ state: 'reports' })]).toEqual([['dark'], ['plan']]);
    const few = { ...plan, outlook: { error: 0.05, weeks: 3, isEnough: false } };
    const inState = (state: string) => foundIn([few, memo], { ...NOTHING, state }, signsByMetric([])).map(({ metric }) => metric);
    expect([inState('few'), inState('reports')]).toEqual([['plan'], []]);
    expect(ownersOf([plan, dark, plan])).toEqual(['design', 'growth']);
  });
  test('the address holds it beside everything else, and an old one says what is gone', () => {
    const query = withFinding('?days=7&q=a', { q: 'dark mode', type: 'flag' });
    expect([query, withFinding(query, { q: '', type: '' })]).toEqual(['?days=7&q=dark+mode&type=flag', '?days=7']);
    expect(findingFromQuery(query)).toEqual({ q: 'dark mode', type: 'flag', state: '', owner: '' });
    expect(knownPart(findingFromQuery('?owner=sales&type=constructor&state=look'), all)).toEqual({
      finding: { q: '', type: '', state: 'look', owner: '' },
      gone: ['type: constructor', 'owner: sales'],
    });
  });
});

test('a question without any report is missing only once its app has had reports for a week, and while it is asked', () => {
  const late = { ...dark, from: '2026-11-15' };
  expect([missingIn(all), missingIn([late, memo]), missingIn([memo])].map((list) => list.length)).toEqual([1, 0, 0]);
  expect(missingIn([dark, { ...memo, expires: '2026-11-01' }, { ...memo, app: 'other' }])).toEqual([]);
});

describe('trends', () => {
  const change = { estimate: 0.061, standardError: 0.01, low: 0.0414, high: 0.0806 };
  const point = { answer: true, label: 'true', estimate: 0.4, standardError: 0.01, low: 0.38, high: 0.42 };
  test('a change is told where the API tells it from none, rounded outwards, and is left out where it says nothing', () => {
    const said = (isClear: boolean | undefined, of: typeof change = change) =>
      changeInWords(
        { ...point, change: { ...of, ...(isClear !== undefined && { isClear, ...(isClear && { told: of }) }) } },
        'week',
        undefined,
      );
    expect([said(true), said(false), said(undefined)]).toEqual([
      'Up 4.1 to 8.1 points since the week before',
      'No clear change',
      undefined,
    ]);
    expect(said(true, { ...change, estimate: -0.061, low: -0.0806, high: -0.0414 })).toBe('Down 4.1 to 8.1 points since the week before');
    const value = { ...change, estimate: 12, isClear: true, told: { low: 10.04, high: 13.96 } };
    expect(changeInWords({ ...point, change: value }, 'day', 'value', 'ms')).toBe('Up 10.0 to 14.0 ms since the day before');
    expect(changeInWords({ ...point, change: null }, 'day', undefined)).toBeUndefined();
    expect(changeInWords(undefined, 'day', undefined)).toBeUndefined();
  });
  test('points are of one answer, the largest of the last point if none is named, with gaps where there were too few reports', () => {
    const free = { ...point, label: 'free', estimate: 0.6, change: null };
    const pro = { ...point, label: 'pro', estimate: 0.3, change: null };
    const parts = [[pro, free], [], [free, pro]].map((answers) => ({ from: '', to: '', reports: 1, answers }));
    expect(pointsOf({ points: parts }, undefined)).toEqual([free, undefined, free]);
    expect(pointsOf({ points: parts }, 'pro')).toEqual([pro, undefined, pro]);
  });
  test('there are at most 27 points in half a year', () => {
    expect([1, 21, 22, 182, 183].map(intervalOf)).toEqual(['day', 'day', 'week', 'week', 'month']);
  });
});

test('a list that is the same draws nothing again, and a changed one only what has changed', () => {
  const again = structuredClone(all);
  expect(merged(all, again)).toBe(all);
  const [, second] = again as [Metric, Metric, Metric];
  const list = merged(all, [again[0] as Metric, { ...second, reports: 101 }, again[2] as Metric]);
  expect(list.map((metric, i) => metric === all[i])).toEqual([true, false, true]);
  expect(merged(all, again.slice(1)).map((metric, i) => metric === all[i + 1])).toEqual([true, true]);
  expect(merged(null, again)).toEqual(again);
});

test('a page that asks whenever it may loads less than a megabyte in its first hour, however much one turn is', () => {
  const HOUR = 3_600_000;
  for (const turn of [900, 12_000, 30_000]) {
    let [spent, now] = [60_000, 1_000];
    for (; now < HOUR; now += Math.max(2_000, waitFor(spent, now))) spent += turn;
    expect(spent).toBeLessThan(1_000_000 + turn);
  }
  expect(waitFor(60_000 + 12_000, 1_000)).toBe(0);
  expect(waitFor(10_000_000, 1_000)).toBe(180_000);
});

const FIRST_PAINT = 30_000;

test(`the overview is painted from at most ${FIRST_PAINT} bytes, and its script, styles and first request go together`, () => {
  const folder = fileURLToPath(new URL('../../../collector/dist/dashboard/', import.meta.url));
  const html = readFileSync(`${folder}index.html`, 'utf8');
  const files = [...html.matchAll(/href="\.\/([\w-]+\.(?:js|css))"|src="\.\/([\w-]+\.js)"/g)].map(([, linked, run]) => linked ?? run);
  const bytes = ['index.html', ...files].map((name) => statSync(`${folder}${name}.br`).size);
  expect(bytes.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(FIRST_PAINT);
  expect(files.length).toBeGreaterThan(2);
  expect(files.length + 1).toBeLessThanOrEqual(6); // connections of a browser to a server
});
