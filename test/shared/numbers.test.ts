/** Questions about numbers: what they take, and that no number is left unanswered. */

import { choice, count, defineSchema, distribution, histogram, mean, permanent, preview } from '@murmuration/client';
import { duchi, geometric, hierarchical, hybrid, laplace, piecewise, squareWave } from '@murmuration/client/mechanisms';
import { parseDocument } from '@murmuration/collector';
import {
  answersOf,
  canonicalSchema,
  countLaw,
  distributionLaw,
  geometricLaw,
  hierarchicalLaw,
  hybridMeanLaw,
  laplaceLaw,
  listLaw,
  type MetricDocument,
  meanLaw,
  mechanismOf,
  piecewiseLaw,
  squareWaveLaw,
  steppedLaw,
} from '@murmuration/shared';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { compareSchemas } from '#collector/schemas/compare.ts';
import { device } from '../client/device.ts';

const ask = { epsilon: 1, description: 'a number' };
const schemaOf = (question: ReturnType<typeof histogram>, version = 1) =>
  defineSchema({ app: 'notes', version, budget: { epsilon: 4, per: 'month' }, metrics: { number: question } });
const metricOf = (question: ReturnType<typeof histogram>): MetricDocument =>
  schemaOf(question).document.metrics['number'] as MetricDocument;
const edges = [0, 100, 300];

describe('a mean', () => {
  test('of a document has at most 256 outputs, on which a collector’s work grows with their square', () => {
    const scores = Array.from({ length: 257 }, (_, i) => i);
    const { validate } = mechanismOf(meanLaw(1));
    const law = { mechanism: 'scored', window: 1, inside: 2 ** 31 } as const;
    expect(() => validate({ ...law, grid: 255, scores: scores.slice(1) } as never)).not.toThrow();
    expect(() => validate({ ...law, grid: 256, scores } as never)).toThrow(
      'scored: outputs: expected a whole number from 2 to 256, got 257',
    );
    expect(() => validate({ ...law, grid: 2, scores } as never)).toThrow('scored: expected 3 scores, got 257');
  });

  test('clamps to its range, and takes numbers only', () => {
    const { input } = mean([-10, 30], ask);
    expect([-11, -10, 0, 30, 1e308, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY].map(input)).toEqual([0, 0, 0.25, 1, 1, 0, 1]);
    expect(['5', null, undefined, true, 5n].map((value) => input(value as never))).toEqual(Array(5).fill(undefined));
    expect(input(Number.NaN)).toBe(0);
  });

  test('says in its document what it asks, and the collector takes it', () => {
    const { document } = schemaOf(mean([-10, 30], ask));
    expect(document.metrics['number']).toEqual({ type: 'mean', epsilon: 1, every: 'month', range: [-10, 30], law: meanLaw(1) });
    expect(parseDocument(JSON.parse(canonicalSchema(document)))).toEqual(JSON.parse(JSON.stringify(document)));
    const { range: _range, ...rest } = document.metrics['number'] as MetricDocument & { readonly range: unknown };
    const changed = (fields: object) => ({ ...document, metrics: { number: { ...document.metrics['number'], ...fields } } });
    expect(() => parseDocument(changed({ law: listLaw(4, 1) }))).toThrow('expected a law of numbers');
    expect(() => parseDocument({ ...document, metrics: { number: { ...rest, type: 'histogram', edges: [0] } } })).toThrow(
      'expected a law of numbers',
    );
    expect(() => parseDocument(changed({ law: { ...meanLaw(1), inside: meanLaw(1).inside + 9 } }))).toThrow(
      'expected an epsilon of at most 1',
    );
    expect(() => parseDocument(changed({ range: [3, 3] }))).toThrow('expected two finite numbers, the second above the first');
  });

  test.each([[[1, 1]], [[2, 1]], [[0]], [[0, 1, 2]], [[0, Number.POSITIVE_INFINITY]], [[-1e308, 1e308]], [['0', '1']]])(
    'over %j is refused',
    (wrong) => {
      expect(() => schemaOf(mean(wrong as never, ask))).toThrow('metrics.number.range: expected two finite numbers');
    },
  );

  test('keeps its range', () => {
    const [first, second] = [schemaOf(mean([0, 1], ask)), schemaOf(mean([0, 2], ask), 2)];
    expect(compareSchemas(first.document, second.document)).toEqual([expect.objectContaining({ allowed: false })]);
  });

  test('tells in words what a report says', async () => {
    const { telemetry } = device(schemaOf(mean([0, 60], { ...ask, mechanism: duchi() })));
    telemetry.record('number', 60);
    const [batch] = await preview(telemetry);
    expect(batch?.reports[0]?.meaning).toMatch(/^randomized, it says: (0|60)$/);
  });

  test.each([
    ['duchi', duchi(), piecewiseLaw(1, 1, 1)],
    ['piecewise', piecewise(), steppedLaw(1)],
    ['hybrid', hybrid(), hybridMeanLaw(1)],
    ['laplace', laplace(), laplaceLaw(1)],
    ['laplace on 8 steps', laplace({ steps: 8 }), laplaceLaw(1, 8)],
  ] as const)('can name its mechanism: %s', async (_name, mechanism, law) => {
    const schema = schemaOf(mean([-10, 30], { ...ask, mechanism }));
    expect(schema.document.metrics['number']).toEqual({ type: 'mean', epsilon: 1, every: 'month', range: [-10, 30], law });
    expect(parseDocument(JSON.parse(canonicalSchema(schema.document)))).toEqual(JSON.parse(JSON.stringify(schema.document)));
    expect(schema.questions.number.labels(law)).toHaveLength(mechanismOf(law).shape(law).cells);
    const { telemetry, outcomes } = device(schema);
    telemetry.record('number', 7);
    const [batch] = await preview(telemetry);
    expect(batch?.reports[0]?.meaning).toMatch(/^randomized, it says: -?\d+(\.\d+)?$/);
    expect(outcomes).toEqual([{ metric: 'number', result: 'recorded' }]);
  });
});

describe('a count', () => {
  test('takes every number: clamped, and fractions as the whole number below', () => {
    const { input } = count(4, ask);
    expect([-3, 0, 0.9, 1, 3.5, 4, 5, 1e308, Number.POSITIVE_INFINITY].map(input)).toEqual([0, 0, 0, 0.25, 0.75, 1, 1, 1, 1]);
    expect(['5', null, true].map((value) => input(value as never))).toEqual(Array(3).fill(undefined));
    expect(input(Number.NaN)).toBe(0);
  });

  test.each([
    ['as the chooser says', count(20, ask), countLaw(20, 1)],
    ['by the law that is named', count(20, { ...ask, mechanism: geometric() }), geometricLaw(20, 1)],
  ])('has, %s, a document that the collector takes', async (_how, question, law) => {
    const { document } = schemaOf(question);
    expect(document.metrics['number']).toEqual({ type: 'count', epsilon: 1, every: 'month', max: 20, law });
    expect(parseDocument(JSON.parse(canonicalSchema(document)))).toEqual(JSON.parse(JSON.stringify(document)));
    const { telemetry, outcomes } = device(schemaOf(question));
    telemetry.record('number', 7);
    const [batch] = await preview(telemetry);
    expect(batch?.reports[0]?.meaning).toMatch(/^randomized, it says: \d+(\.\d+)?$/);
    expect(outcomes).toEqual([{ metric: 'number', result: 'recorded' }]);
  });

  test('has a tail for each count, and is refused where it has not', () => {
    const { document } = schemaOf(count(20, { ...ask, mechanism: geometric() }));
    const changed = { ...document, metrics: { number: { ...document.metrics['number'], max: 21 } } };
    expect(() => parseDocument(changed)).toThrow('expected a tail for each count, got 20');
    for (const max of [0, -1, 1.5, Number.NaN])
      expect(() => schemaOf(count(max, ask))).toThrow('metrics.number.max: expected a whole number');
    expect(() => schemaOf(count(300, { ...ask, mechanism: geometric() }))).toThrow('whole number from 1 to 256');
    expect(() => schemaOf(permanent(count(3, { ...ask, mechanism: geometric() }), { epsilon: 2, renew: 'year' }))).toThrow(
      'metrics.number: geometric: expected no permanence',
    );
    expect(compareSchemas(schemaOf(count(3, ask)).document, schemaOf(count(4, ask), 2).document)).toEqual([
      expect.objectContaining({ allowed: false }),
    ]);
  });
});

describe('a distribution', () => {
  test('says in its document what it asks, and the collector takes it', () => {
    const { document } = schemaOf(distribution([-10, 30], ask));
    const law = distributionLaw(64, 1);
    expect(document.metrics['number']).toEqual({ type: 'distribution', epsilon: 1, every: 'month', range: [-10, 30], cells: 64, law });
    expect(parseDocument(JSON.parse(canonicalSchema(document)))).toEqual(JSON.parse(JSON.stringify(document)));
    const changed = (fields: object) => ({ ...document, metrics: { number: { ...document.metrics['number'], ...fields } } });
    expect(() => parseDocument(changed({ law: listLaw(64, 1) }))).toThrow('expected a law of distributions');
    expect(() => parseDocument(changed({ law: meanLaw(1) }))).toThrow('expected a law of numbers');
    expect(() => parseDocument(changed({ cells: 63 }))).toThrow('expected a law over 63, got one over 64');
    expect(() => parseDocument(changed({ cells: 257 }))).toThrow('schema.metrics.number.cells: expected');
    const wave = squareWaveLaw(64, 1);
    expect(() => parseDocument(changed({ law: { ...wave, inside: wave.inside + 9 } }))).toThrow('expected an epsilon of at most 1');
  });

  test.each([
    ['hierarchical', hierarchical(), hierarchicalLaw(16, 4), 'noisy bits'],
    ['hierarchical of two branches', hierarchical({ branching: 2 }), hierarchicalLaw(16, 4, 2), 'noisy bits'],
    ['the square wave', squareWave(), squareWaveLaw(16, 4), 'it says'],
  ])('can name its mechanism: %s', async (_name, mechanism, law, words) => {
    const schema = schemaOf(distribution([0, 1], { ...ask, epsilon: 4, cells: 16, mechanism }));
    expect(schema.document.metrics['number']).toMatchObject({ cells: 16, law });
    expect(parseDocument(JSON.parse(canonicalSchema(schema.document)))).toEqual(JSON.parse(JSON.stringify(schema.document)));
    const { telemetry, outcomes } = device(schema);
    telemetry.record('number', 0.7);
    const [batch] = await preview(telemetry);
    expect(batch?.reports[0]?.meaning).toContain(words);
    expect(outcomes).toEqual([{ metric: 'number', result: 'recorded' }]);
  });

  test.each([0, 1, 257, 2.5, Number.NaN, '4'])('of %s cells is refused', (cells) => {
    expect(() => schemaOf(distribution([0, 1], { ...ask, cells: cells as number }))).toThrow(
      'metrics.number.cells: expected a whole number of cells from 2 to 256',
    );
  });

  test('is not permanent, and keeps its range and its cells', () => {
    expect(() => schemaOf(permanent(distribution([0, 1], ask), { epsilon: 2, renew: 'year' }))).toThrow('metrics.number.permanent');
    expect(() => schemaOf(distribution([1, 0], ask))).toThrow('metrics.number.range');
    const first = schemaOf(distribution([0, 1], ask)).document;
    for (const other of [distribution([0, 2], ask), distribution([0, 1], { ...ask, cells: 32 })]) {
      expect(compareSchemas(first, schemaOf(other, 2).document)).toEqual([expect.objectContaining({ allowed: false })]);
    }
    const dearer = schemaOf(distribution([0, 1], { ...ask, epsilon: 2 }), 2).document;
    expect(compareSchemas(first, dearer)).toEqual([expect.objectContaining({ allowed: true })]);
  });

  test('tells in words what a report says', async () => {
    for (const [epsilon, cells, words] of [
      [4, 16, /^randomized, it says: -?\d+(\.\d+)?$/],
      [4, 64, /^randomized: noisy bits$/],
    ] as const) {
      const { telemetry } = device(schemaOf(distribution([0, 64], { ...ask, epsilon, cells })));
      telemetry.record('number', 60);
      const [batch] = await preview(telemetry);
      expect(batch?.reports[0]?.meaning).toMatch(words);
    }
  });
});

describe('a histogram', () => {
  const { input, labels } = histogram(edges, ask);

  test('has half-open buckets with open ends', () => {
    expect(labels()).toEqual(['< 0', '0 – 100', '100 – 300', '≥ 300']);
    expect([-0.001, 0, -0, 99.999, 100, 299, 300, 1e300].map(input)).toEqual([0, 1, 1, 1, 2, 2, 3, 3]);
    expect([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY].map(input)).toEqual([0, 3]);
    expect(['5', null, undefined, true, 5n, [5]].map((value) => input(value as never))).toEqual(Array(6).fill(undefined));
    expect(input(Number.NaN)).toBe(0);
  });

  test('answers every number in the one bucket that holds it', () => {
    const rising = fc.uniqueArray(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((edge) => edge + 0),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(rising, fc.double({ noNaN: true }), (list, value) => {
        const sorted = list.toSorted((a, b) => a - b).filter((edge, i, all) => edge !== all[i - 1]);
        const bucket = histogram(sorted, ask).input(value) as number;
        expect([Number.NEGATIVE_INFINITY, ...sorted][bucket]).toBeLessThanOrEqual(value);
        if (bucket < sorted.length) expect(value).toBeLessThan(sorted[bucket] as number);
      }),
      { seed: 1 },
    );
  });

  test('is a list of its buckets: its law, its permanence, its document', () => {
    expect(metricOf(histogram(edges, ask))).toEqual({ type: 'histogram', epsilon: 1, every: 'month', edges, law: listLaw(4, 1) });
    expect(answersOf(metricOf(histogram(edges, ask)))).toEqual(labels());
    const kept = schemaOf(permanent(histogram(edges, ask), { epsilon: 2, renew: 'year' }));
    expect(parseDocument(JSON.parse(canonicalSchema(kept.document)))).toEqual(JSON.parse(JSON.stringify(kept.document)));
  });

  test('records whatever number comes, and nothing else', () => {
    for (const value of [5, Number.POSITIVE_INFINITY, -1e308, Number.NaN, '5']) {
      const { telemetry, outcomes } = device(schemaOf(histogram(edges, ask)));
      telemetry.record('number', value as number);
      const wrong = value === '5';
      expect(outcomes).toEqual(wrong ? [{ metric: 'number', result: 'wrong-type' }] : []);
    }
  });

  test.each([[[]], [[1, 1]], [[2, 1]], [[0, Number.POSITIVE_INFINITY]], [[Number.NaN]], [['1']]])('with edges %j is refused', (wrong) => {
    expect(() => schemaOf(histogram(wrong as number[], ask))).toThrow('metrics.number.edges: expected 1 to 99999 finite numbers');
    const document = JSON.parse(JSON.stringify(schemaOf(histogram(edges, ask)).document));
    document.metrics.number.edges = wrong;
    expect(() => parseDocument(document)).toThrow('schema.metrics.number.edges: expected');
  });

  test('keeps its edges from version to version', () => {
    const first = schemaOf(histogram(edges, ask)).document;
    const moved = schemaOf(histogram([0, 100, 400], ask), 2).document;
    expect(compareSchemas(first, moved)).toEqual([expect.objectContaining({ allowed: false })]);
    const dearer = schemaOf(histogram(edges, { ...ask, epsilon: 2 }), 2).document;
    expect(compareSchemas(first, dearer)).toEqual([expect.objectContaining({ allowed: true })]);
    const listed = defineSchema({ app: 'notes', version: 2, budget: first.budget, metrics: { number: choice(labels(), ask) } }).document;
    expect(compareSchemas(first, listed)).toEqual([expect.objectContaining({ allowed: false })]);
  });
});

test('neither one branch nor cells without end keep a page busy for ever, where a production bundle does not check schemas', () => {
  vi.stubEnv('NODE_ENV', 'production');
  try {
    for (const branching of [1, 0, -3, 1.5, Number.NaN]) {
      expect(() => hierarchicalLaw(64, 1, branching)).toThrow(/branching: expected a whole number from 2 to 256, got/);
    }
    for (const cells of [Number.POSITIVE_INFINITY, 1e9, 1, Number.NaN]) {
      expect(() => distributionLaw(cells, 1)).toThrow(/cells: expected a whole number from 2 to 256, got/);
    }
  } finally {
    vi.unstubAllEnvs();
  }
});
