/** What the collector takes as `otherwise`, what it refuses, and which reports it adds up. */

import {
  best,
  choice,
  choices,
  count,
  defineSchema,
  distribution,
  flag,
  histogram,
  joint,
  mean,
  permanent,
  text,
} from '@murmuration/client';
import { createCatalog, parseDocument } from '@murmuration/collector';
import { canonicalSchema, type Json, type Questions, type SchemaDocument, wireName } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { otherwiseInWords } from '#collector/schemas/compare.ts';

const ask = { epsilon: 1, every: 'week', description: 'a question' } as const;
const rows = { low: [1, 0], high: [0, 1] };
const metrics = {
  flag: flag({ ...ask, otherwise: false }),
  choice: choice(['a', 'none'], { ...ask, otherwise: 'none' }),
  listed: choice(['a', 'b'], { ...ask, other: true, otherwise: 'unlisted' }),
  choices: choices(['a', 'b', 'c'], { ...ask, atMost: 2, otherwise: [] }),
  others: choices(['a', 'b'], { ...ask, atMost: 2, other: true, otherwise: ['a', 'unlisted'] }),
  best: best(['x', 'y'], { ...ask, utility: rows, otherwise: 'low' }),
  joint: joint({ plan: ['free', 'pro'], dark: [true, false] }, { ...ask, otherwise: { plan: 'free', dark: false } }),
  pair: joint({ page: text, plan: ['free', 'pro'] }, { ...ask, otherwise: { page: '', plan: 'free' } }),
  text: text({ ...ask, otherwise: '' }),
  histogram: histogram([0, 10], { ...ask, otherwise: 0 }),
  count: count(20, { ...ask, otherwise: 0 }),
  mean: mean([0, 1], { ...ask, otherwise: 0.5 }),
  distribution: distribution([0, 1], { ...ask, otherwise: 2 }),
  permanent: permanent(flag({ ...ask, otherwise: true }), { epsilon: 2, renew: 'year' }),
};
const budget = { epsilon: 100, per: 'month' } as const;
const define = (questions: Questions, version = 1, changes: object = {}): SchemaDocument =>
  defineSchema({ app: 'notes', version, budget, metrics: questions as typeof metrics, ...changes }).document;
const full = define(metrics);

/** The document of which a metric has another key. */
const changed = (metric: string, change: object): unknown => ({
  ...full,
  metrics: { ...full.metrics, [metric]: { ...full.metrics[metric], ...change } },
});

describe('what stands for no answer', () => {
  test('is taken through JSON and back where devices take it', () => {
    const canonical = canonicalSchema(full);
    expect(canonicalSchema(parseDocument(JSON.parse(canonical)))).toBe(canonical);
  });

  test.each<readonly [string, Json]>([
    ['flag', 'no'],
    ['flag', null],
    ['choice', 'b'],
    ['choice', ['a']],
    ['listed', 1],
    ['choices', 'a'],
    ['choices', ['d']],
    ['others', [1]],
    ['best', 'x'],
    ['joint', { plan: 'free' }],
    ['joint', { plan: 'free', dark: 'no' }],
    ['pair', { plan: 'free' }],
    ['pair', { page: 3, plan: 'free' }],
    ['text', 0],
    ['histogram', '0'],
    ['count', '< 1'],
    ['mean', null],
    ['distribution', {}],
    ['permanent', 1],
  ])('is refused where it is no answer: %s with %j', (metric, otherwise) => {
    const expected = `metrics.${metric}.otherwise: expected an answer to the question, got ${JSON.stringify(otherwise)}`;
    expect(() => parseDocument(changed(metric, { otherwise }))).toThrow(expected);
  });

  test('is refused where no slot ends', () => {
    expect(() => parseDocument(changed('flag', { every: 'once' }))).toThrow('metrics.flag.every: expected slots that end');
  });

  test.each<readonly [Json, string]>([
    [false, 'no'],
    [true, 'yes'],
    ['none', 'none'],
    [0, '0'],
    [[], 'none of these'],
    [['mail', 'chat'], 'mail, chat'],
    [{ plan: 'free', dark: false }, 'free, dark: false'],
    ['', 'an empty text'],
  ])('%j is read as %s', (otherwise, words) => {
    expect(otherwiseInWords(otherwise)).toBe(words);
  });
});

describe("assign: 'random'", () => {
  test('each charge must fit, not their sum', () => {
    const assigned = define(metrics, 1, { assign: 'random', budget: { epsilon: 5, per: 'month' } });
    expect(parseDocument(JSON.parse(canonicalSchema(assigned)))).toEqual(assigned);
    expect(() => parseDocument({ ...assigned, assign: undefined })).toThrow('budget: expected charges of at most 5');
    expect(() => parseDocument({ ...assigned, budget: { epsilon: 4, per: 'month' } })).toThrow('expected each charge of at most 4');
    expect(() => parseDocument({ ...assigned, assign: 'all' })).toThrow('schema.assign');
  });
});

describe('reports of two versions', () => {
  const before = define({ a: flag({ ...ask, otherwise: false }), b: flag(ask), c: flag(ask) });
  const added = (after: SchemaDocument): { readonly [metric: string]: readonly string[] } =>
    Object.fromEntries(createCatalog([before, after]).metrics.map(({ metric, schemas }) => [metric, schemas]));

  test('are added up but where what stands for no answer differs, for then a share means something else', () => {
    const after = define({ a: flag({ ...ask, otherwise: true }), b: flag({ ...ask, otherwise: false }), c: flag(ask) }, 2);
    const [old, fresh] = [before, after].map(wireName);
    expect(added(after)).toEqual({ a: [fresh], b: [fresh], c: [fresh, old] });
  });

  test('are added up where only the assignment differs, for those who are asked are drawn by chance', () => {
    const after = define({ a: flag({ ...ask, otherwise: false }), b: flag(ask), c: flag(ask) }, 2, { assign: 'random' });
    const [old, fresh] = [before, after].map(wireName);
    expect(added(after)).toEqual({ a: [fresh, old], b: [fresh, old], c: [fresh, old] });
    expect(createCatalog([before, after]).metrics.map(({ assign }) => assign)).toEqual(['random', 'random', 'random']);
  });
});
