/** The verdict on a metric's answers: which kinds there are, when it is withheld, and how often a lead of two tied answers is announced. */

import { defineSchema, distribution, mean } from '@murmuration/client';
import { type MetricDocument, mechanismOf, setLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { estimate } from '#collector/answers/estimates.ts';
import { verdictOn, verdictsOf } from '#collector/answers/verdict.ts';
import { estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import { judgedOf } from '#collector/estimation/sequences.ts';
import type { Tallies } from '#collector/estimation/tally.ts';
import { createCatalog } from '#collector/schemas/catalog.ts';
import { arriving, arrivingList, daily } from '../../kit/looks.ts';
import { uniforms } from '../../kit/random.ts';
import { atMost } from '../../proofs/statistics.ts';

const always = { looks: 'always', planned: 3000 } as const;

function verdictAt(document: MetricDocument, tallies: Tallies, judging: Parameters<typeof verdictOn>[1]) {
  const { reports } = tallies.get(0) as { readonly reports: number };
  const basis = { perDevice: 1, people: reports };
  const judged = judgedOf(document.law, estimatesOf(document.law, { tallies, candidates: [], ...basis }), reports, basis);
  const labels = judged.map((_, i) => String.fromCharCode(97 + i));
  return verdictOn({ document, judged, labels, basis }, judging);
}

/** The tally of a list by k-ary response in which the answers have just these estimates. */
function tallyOf(shares: readonly number[], reports: number, epsilon = 1): readonly [MetricDocument, Tallies] {
  const { document } = arrivingList(shares, epsilon);
  const p = Math.exp(epsilon) / (Math.exp(epsilon) + shares.length - 1);
  const q = (1 - p) / (shares.length - 1);
  return [document, new Map([[0, { reports, cells: Float64Array.from(shares, (share) => Math.round(reports * (q + (p - q) * share))) }]])];
}

describe('the kind of a verdict', () => {
  test('is a lead where the first answer is told from every other, else too close with those that it is not told from', () => {
    const apart = verdictAt(...tallyOf([0.2, 0.5, 0.3], 3000), always);
    expect(apart).toMatchObject({ kind: 'lead', looks: 'always', answers: ['b'] });
    expect(apart.interval?.low).toBeLessThan(0.47);
    expect(verdictAt(...tallyOf([0.1, 0.47, 0.43], 3000), always)).toMatchObject({ kind: 'close', answers: ['b', 'c'] });
  });
  test('is noise while the largest share may be zero', () => {
    expect(verdictAt(...tallyOf([0.35, 0.33, 0.32], 50), always)).toMatchObject({ kind: 'noise', answers: [] });
  });
  test('needs less for a single look', () => {
    const [document, tallies] = tallyOf([0.5, 0.37, 0.13], 3000);
    expect(verdictAt(document, tallies, { ...always, looks: 'once' }).kind).toBe('lead');
    expect(verdictAt(document, tallies, always).kind).toBe('close');
  });
  test('allows for answers that a device may have together, whose errors may be opposite', () => {
    const document = {
      type: 'choices',
      answers: ['a', 'b', 'c', 'd'],
      atMost: 2,
      epsilon: 1,
      every: 'month',
      law: setLaw(4, 2, 1),
    } as never;
    const cells = Float64Array.of(1500, 1450, 900, 900, 1000, 1000);
    expect(verdictAt(document, new Map([[0, { reports: 3000, cells }]]), { ...always, looks: 'once' }).kind).toBe('close');
  });
});

describe('two tied answers', () => {
  const ROUNDS = 100;
  test.each([
    [2, [0.5, 0.5]],
    [3, [0.48, 0.48, 0.04]],
    [5, [0.3, 0.3, 0.2, 0.1, 0.1]],
  ] as const)('of %d are announced as a lead within 20 looks in at most 1 of 20 metrics', (answers, shares) => {
    const list = arrivingList(shares, 1);
    const uniform = uniforms(answers);
    let [first, any] = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const leads = [...arriving(list, daily(20, 300), uniform)].map(
        (tallies) => verdictAt(list.document, tallies, always).kind === 'lead',
      );
      first += Number(leads[0]);
      any += Number(leads.includes(true));
    }
    expect(1 - atMost(any - 1, ROUNDS, 0.05)).toBeGreaterThan(1e-6);
    expect(first).toBeLessThanOrEqual(any);
  });
  test('are announced in at most 1 of 20 single looks', () => {
    const [list, uniform] = [arrivingList([0.5, 0.5], 1), uniforms(11)];
    let leads = 0;
    for (let round = 0; round < 4_000; round++)
      for (const tallies of arriving(list, [1000], uniform))
        leads += Number(verdictAt(list.document, tallies, { ...always, looks: 'once' }).kind === 'lead');
    expect(1 - atMost(leads - 1, 4_000, 0.05)).toBeGreaterThan(1e-6);
    expect(leads).toBeGreaterThan(4_000 * 0.03);
  });
});

test('the interval of the largest of 40 equal answers covers at a single look, although it is picked', () => {
  const [list, uniform] = [arrivingList(Array(40).fill(1 / 40), 8), uniforms(40)];
  const ROUNDS = 200;
  let missed = 0;
  for (let round = 0; round < ROUNDS; round++)
    for (const tallies of arriving(list, [2000], uniform)) {
      const { low, high } = verdictAt(list.document, tallies, { ...always, looks: 'once' }).interval ?? { low: 0, high: 1 };
      missed += Number(low > 1 / 40 || high < 1 / 40);
    }
  expect(1 - atMost(missed - 1, ROUNDS, 0.05)).toBeGreaterThan(1e-6);
});

describe('a selection', () => {
  const metric = { app: 'a', metric: 'm', version: 1, document: arrivingList([0.5, 0.5], 1).document };
  const evidence = { tallies: tallyOf([0.6, 0.4], 3000)[1], reports: 3000, from: 20_000, to: 20_001, ones: [] };
  const estimated = (verdicts: ReturnType<typeof verdictsOf>, minimum = 1) =>
    estimate({ metric, evidence, minimum, candidates: [], verdicts });

  test('that may slide has no verdict, and no interval for all looks, unless the reader says how it is looked at', () => {
    const slid = estimated(verdictsOf({ from: 20_000 }, 3000));
    expect(slid.verdict).toMatchObject({ kind: 'none', answers: [], reason: expect.stringMatching(/first day/) });
    expect(slid.answers.some(({ always: ends }) => ends !== undefined)).toBe(false);
    expect(estimated(verdictsOf({ from: 20_000, looks: 'always' }, 3000)).verdict).toMatchObject({ kind: 'lead', looks: 'always' });
    expect(estimated(verdictsOf({ from: 20_000, looks: 'once' }, 3000)).verdict).toMatchObject({ kind: 'lead', looks: 'once' });
  });
  test('from which days are left out has a verdict for a single look only', () => {
    expect(estimated(verdictsOf({ exclude: [20_000] }, 3000)).verdict).toMatchObject({
      kind: 'none',
      reason: expect.stringMatching(/left out/),
    });
    expect(estimated(verdictsOf({ exclude: [20_000], looks: 'always' }, 3000)).verdict).toMatchObject({ kind: 'none' });
    expect(estimated(verdictsOf({ exclude: [20_000], looks: 'once' }, 3000)).verdict).toMatchObject({ kind: 'lead', looks: 'once' });
  });
  test('that only grows has intervals for all looks, wider than those for one', () => {
    for (const { low, high, always: ends } of estimated(verdictsOf({}, 3000)).answers) {
      expect((ends?.high ?? 0) - (ends?.low ?? 0)).toBeGreaterThan(1.5 * (high - low));
      expect((ends?.high ?? 0) - (ends?.low ?? 0)).toBeLessThan(1.6 * (high - low));
    }
  });
  test('with fewer reports than the minimum has a verdict that says so', () => {
    expect(estimated(verdictsOf({}, 3000), 5000).verdict).toEqual({
      kind: 'none',
      answers: [],
      reason: 'There are 3000 reports, and a verdict needs 5000.',
    });
  });
});

describe('numbers that cannot be', () => {
  const estimated = (shares: readonly number[], reports: number) => {
    const [document, tallies] = tallyOf(shares, reports);
    const evidence = { tallies, reports, from: 20_000, to: 20_001, ones: [] };
    const verdicts = verdictsOf({ looks: 'once' }, 3000);
    return estimate({ metric: { app: 'a', metric: 'm', version: 1, document }, evidence, minimum: 1, candidates: [], verdicts });
  };
  // An estimate near an end has a standard error of 2.0 points with three answers, and of 1.7 with two.
  test('leave a verdict on other answers where chance explains them', () => {
    const found = estimated([0.7, 0.345, -0.045], 3000);
    expect(found.impossible).toMatchObject({ labels: ['c'] });
    expect(found.impossible?.pValue).toBeGreaterThan(0.001);
    expect(found.verdict).toMatchObject({ kind: 'lead', answers: ['a'] });
  });
  test('take a verdict on themselves away, also where chance explains them', () => {
    const found = estimated([1.045, -0.045], 3000);
    expect(found.impossible).toMatchObject({ labels: ['a', 'b'] });
    expect(found.impossible?.pValue).toBeGreaterThan(0.001);
    expect(found.verdict).toBeUndefined();
  });
  test('take every verdict away where chance does not explain them', () => {
    const found = estimated([0.7, 0.5, -0.2], 3000);
    expect(found.impossible).toMatchObject({ labels: ['c'] });
    expect(found.impossible?.pValue).toBeLessThan(0.001);
    expect(found.verdict).toBeUndefined();
  });
});

test('the verdict on a number is its mean in the unit of the metric, and on a distribution its median', async () => {
  const { metrics } = createCatalog([
    defineSchema({
      app: 'a',
      version: 1,
      devices: 1000,
      budget: { epsilon: 9, per: 'month' },
      metrics: {
        speed: mean([100, 300], { epsilon: 1, description: 'How fast?' }),
        size: distribution([100, 300], { cells: 16, epsilon: 1, description: 'How large?' }),
      },
    }).document,
  ]);
  const verdictOf = (name: string, tally: { readonly reports: number; readonly cells: Float64Array }) => {
    const metric = metrics.find((each) => each.metric === name) as (typeof metrics)[number];
    const evidence = { tallies: new Map([[0, tally]]), reports: tally.reports, from: 1, to: 2, ones: [] };
    return { metric, answer: estimate({ metric, evidence, minimum: 1, candidates: [], verdicts: verdictsOf({}, metric.devices) }) };
  };
  for (const metric of metrics) {
    const { shape } = mechanismOf(metric.document.law);
    const { cells } = shape(metric.document.law);
    const { answer } = verdictOf(metric.metric, { reports: 1000, cells: new Float64Array(cells).fill(1000 / cells) });
    const { verdict, answers, distribution: described } = answer;
    const median = described?.quantiles.find(({ level }) => level === 0.5);
    expect(verdict).toMatchObject({ kind: metric.metric === 'speed' ? 'mean' : 'median', looks: 'always' });
    expect(verdict?.interval).toEqual(metric.metric === 'speed' ? answers[0]?.always : median?.always);
    const { low, high } = metric.metric === 'speed' ? (answers[0] as (typeof answers)[number]) : (median as NonNullable<typeof median>);
    expect(verdict?.interval?.low).toBeLessThanOrEqual(low);
    expect(verdict?.interval?.high).toBeGreaterThanOrEqual(high);
    expect(verdict?.interval?.low).toBeGreaterThan(90);
  }
});
