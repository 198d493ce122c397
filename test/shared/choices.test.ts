/** Questions for several of a list: what they take, what they say of themselves, and their way to the API. */

import { choices, defineSchema, permanent, preview } from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { parseDocument } from '@murmuration/collector';
import { canonicalSchema, listLaw, type MetricDocument, privSet, setLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { randomizePrivSet } from '#client/randomizers/privset.ts';
import { estimate } from '#collector/answers/estimates.ts';
import { spendingOf } from '#collector/planning/audit/spending.ts';
import { statementOf } from '#collector/planning/audit/statement.ts';
import { planOf } from '#collector/planning/plan/plan.ts';
import { compareSchemas } from '#collector/schemas/compare.ts';
import { device } from '../client/device.ts';
import { binomial, pooled, upperTail } from '../proofs/statistics.ts';
import { EFFORT } from '../setup/effort.ts';

const answers = ['mail', 'chat', 'files', 'calls'] as const;
const ask = { epsilon: 1, atMost: 2, description: 'Which parts are used?' };
const schemaOf = (question = choices(answers, ask), version = 1) =>
  defineSchema({ app: 'notes', version, budget: { epsilon: 4, per: 'month' }, metrics: { parts: question } });

describe('choices', () => {
  test('take lists of answers, each once, and nothing else', () => {
    const { input } = choices(answers, ask);
    expect([[], ['files'], ['calls', 'mail', 'calls'], [...answers]].map((set) => input(set as never))).toEqual([
      [],
      [2],
      [3, 0],
      [0, 1, 2, 3],
    ]);
    for (const wrong of ['mail', undefined, null, 3, {}, ['mail', 'fax'], [1], [['mail']]]) expect(input(wrong as never)).toBeUndefined();
    const open = choices(answers, { ...ask, other: true });
    expect(open.input(['fax', 'mail', 'telex'])).toEqual([4, 0]);
    expect(open.input(['fax', 7 as never])).toBeUndefined();
  });

  test('say in their document what they ask, and the collector takes it', () => {
    const { document } = schemaOf();
    const metric = document.metrics['parts'] as MetricDocument;
    expect(metric).toEqual({ type: 'choices', epsilon: 1, every: 'month', atMost: 2, answers: [...answers], law: setLaw(4, 2, 1) });
    expect(parseDocument(JSON.parse(canonicalSchema(document)))).toEqual(JSON.parse(JSON.stringify(document)));
    const changed = (fields: object) => ({ ...document, metrics: { parts: { ...metric, ...fields } } });
    expect(() => parseDocument(changed({ law: listLaw(4, 1) }))).toThrow('expected privset exactly for choices');
    expect(() => parseDocument(changed({ law: setLaw(4, 3, 1) }))).toThrow('expected the limit of the metric');
    expect(() => parseDocument(changed({ law: setLaw(5, 2, 1) }))).toThrow('expected a law over 4');
    expect(() => parseDocument(changed({ law: setLaw(4, 2, 1.01) }))).toThrow('expected an epsilon of at most 1');
    expect(() => parseDocument(changed({ type: 'choice' }))).toThrow('schema.metrics.parts.atMost: expected');
    const more = schemaOf(choices([...answers, 'notes'], ask), 2);
    expect(compareSchemas(document, more.document)).toEqual([expect.objectContaining({ allowed: true })]);
    expect(compareSchemas(more.document, document)).toContainEqual(expect.objectContaining({ allowed: false }));
  });

  test.each([0, 5, 1.5, '2', undefined])('at most %j are refused', (atMost) => {
    expect(() => schemaOf(choices(answers, { ...ask, atMost: atMost as never }))).toThrow(
      atMost === 5 ? 'metrics.parts: atMost: expected a whole number from 1 to 4' : 'metrics.parts.atMost: expected a whole number above 0',
    );
  });

  test('are not permanent, and the refusal says why', () => {
    expect(() => schemaOf(permanent(choices(answers, ask), { epsilon: 2, renew: 'year' }))).toThrow(
      'metrics.parts.permanent: expected no permanence',
    );
  });

  test('are recorded whatever their number, and tell in words what a report says', async () => {
    for (const set of [[], ['mail'], ['mail', 'chat'], [...answers]] as const) {
      const { telemetry, outcomes } = device(schemaOf());
      telemetry.record('parts', set);
      const [batch] = await preview(telemetry);
      expect(batch?.reports[0]?.meaning).toMatch(/^randomized, it says: (mail|chat|files|calls|fewer than [12])$/);
      expect(outcomes).toEqual([{ metric: 'parts', result: 'recorded' }]);
    }
    const { telemetry, outcomes } = device(schemaOf());
    telemetry.record('parts', 'mail' as never);
    expect(outcomes).toEqual([{ metric: 'parts', result: 'wrong-type' }]);
  });

  test('are stated, charged and planned', () => {
    const { document } = schemaOf();
    const spending = spendingOf(document);
    expect(spending.holds).toBe(true);
    expect(Number(spending.metrics[0]?.report.epsilon)).toBeLessThanOrEqual(1);
    expect(statementOf(document, spending)).toContain(
      'Answers: up to 2 of these, drawn at random where there are more: mail, chat, files, calls.',
    );
    const [plan] = planOf(document, 100_000, 0.01);
    const { p, q } = privSet.support(setLaw(4, 2, 1));
    const supported = q + 0.01 * (p - q);
    expect((plan?.standardError as number) ** 2 * 100_000 * (p - q) ** 2).toBeCloseTo(supported * (1 - supported), 9);
    expect(plan?.devicesForError).toBeGreaterThan(0);
  });
});

/** Sets with known shares, some of them empty, and three of a kind at most over the limit. */
const sets = (reports: number): readonly (readonly number[])[] =>
  Array.from({ length: reports }, (_, i) => (i % 10 < 5 ? [0, 1] : i % 10 < 8 ? [0] : []));

describe.each([
  [4, 2, 1],
  [40, 3, 1],
] as const)('estimates of %i answers, at most %i', (size, atMost, epsilon) => {
  const law = setLaw(size, atMost, epsilon);
  const reports = 1_000;
  const read = async (coins: ReturnType<typeof createCoins>) => {
    const cells = new Float64Array(size + atMost);
    for (const set of sets(reports))
      for (const cell of privSet.decode(law, randomizePrivSet(law, set, coins)).cells) cells[cell] = (cells[cell] as number) + 1;
    const document: MetricDocument = {
      type: 'choices',
      epsilon,
      every: 'month',
      answers: Array.from({ length: size }, (_, i) => `${i}`),
      atMost,
      law,
    };
    const evidence = { tallies: new Map([[0, { reports, cells }]]), reports, from: 1, to: 1, ones: [] };
    const metric = { app: 'a', metric: 'm', version: 1, document };
    return estimate({ metric, evidence, minimum: 1, candidates: [] }).answers;
  };

  test('cover their truth, err as stated, and are made consistent without adding up to 1', async () => {
    const coins = createCoins(words(seededRng(77)));
    const truth = [0.8, 0.5];
    const { p, q } = privSet.support(law);
    const rounds = 100 * EFFORT;
    let [covered, statistic] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const rows = await read(coins);
      expect(rows).toHaveLength(size);
      const answer = round % 2;
      const f = truth[answer] as number;
      const { low = 1, high = 0, estimate = 0 } = rows[answer] ?? {};
      covered += Number(low <= f && f <= high);
      statistic += (estimate - f) ** 2 / ((f * p * (1 - p) + (1 - f) * q * (1 - q)) / (reports * (p - q) ** 2));
      for (const { normSub, shrunk } of rows)
        for (const share of [normSub, shrunk]) expect(share).toSatisfy((x: number) => x >= 0 && x <= 1);
    }
    expect(upperTail(binomial(covered, 0.95, rounds))).toBeGreaterThan(1e-6);
    const tail = upperTail(pooled([{ statistic, degrees: rounds }]));
    expect(tail).toBeGreaterThan(1e-6);
    expect(1 - tail).toBeGreaterThan(1e-6);
  });
});
