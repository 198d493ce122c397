/** Questions for the best of options: what they take, what they say of themselves, and what is refused. */

import { best, defineSchema, permanent, preview } from '@murmuration/client';
import { parseDocument } from '@murmuration/collector';
import { canonicalSchema, exponentialLaw, kAryLaw, type MetricDocument } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { standardErrorAt } from '#collector/estimation/precision.ts';
import { spendingOf } from '#collector/planning/audit/spending.ts';
import { statementOf } from '#collector/planning/audit/statement.ts';
import { planOf } from '#collector/planning/plan/plan.ts';
import { compareSchemas } from '#collector/schemas/compare.ts';
import { device } from '../client/device.ts';

const options = ['list', 'grid', 'map'];
const utility = { few: [2, 0, 0], many: [0, 2, 1], places: [0, 1, 3] };
const ask = { epsilon: 1, utility, description: 'Which view suits the files?' };
const schemaOf = (question = best(options, ask), version = 1) =>
  defineSchema({ app: 'files', version, budget: { epsilon: 4, per: 'month' }, metrics: { view: question } });

describe('the best of options', () => {
  test('takes the inputs of its table, and nothing else', () => {
    const { input } = best(options, ask);
    expect((['few', 'many', 'places'] as const).map(input)).toEqual([0, 1, 2]);
    for (const wrong of ['list', 0, undefined, null, [2, 0, 0]]) expect(input(wrong as never)).toBeUndefined();
  });

  test('says in its document what it asks, and the collector takes it', () => {
    const { document } = schemaOf();
    const metric = document.metrics['view'] as MetricDocument;
    const law = exponentialLaw(Object.values(utility), 1);
    const inputs = Object.keys(utility);
    expect(metric).toEqual({ type: 'best', epsilon: 1, every: 'month', options, inputs, utility: Object.values(utility), law });
    expect(parseDocument(JSON.parse(canonicalSchema(document)))).toEqual(JSON.parse(JSON.stringify(document)));
    const changed = (fields: object) => ({ ...document, metrics: { view: { ...metric, ...fields } } });
    expect(() => parseDocument(changed({ law: kAryLaw(3, 1) }))).toThrow('expected exponential exactly for best');
    expect(() => parseDocument(changed({ inputs: ['few', 'many'] }))).toThrow('expected 2 rows, one for each input');
    expect(() => parseDocument(changed({ law: exponentialLaw(Object.values(utility), 1.01) }))).toThrow('expected an epsilon of at most 1');
    const dependent = [
      [2, 0, 0],
      [2, 0, 0],
      [0, 1, 3],
    ];
    expect(() => parseDocument(changed({ utility: dependent, law: exponentialLaw(dependent, 1) }))).toThrow(
      'view.utility: expected utilities that tell 3 inputs apart',
    );
    const more = schemaOf(best(options, { ...ask, utility: { ...utility, none: [1, 1, 0] } }) as never, 2);
    expect(compareSchemas(document, more.document)).toEqual([expect.objectContaining({ allowed: true })]);
    expect(compareSchemas(more.document, document)).toContainEqual(expect.objectContaining({ allowed: false }));
  });

  test.each([
    [['list'], utility, 'view.options: expected 2 to 100000 different answers'],
    [['list', 'grid'], utility, 'view.options: expected 3 options'],
    [options, { few: [1, 2, 3] }, 'view.inputs: expected 2'],
    [options, { few: [1, 2, 3], many: [1, 2] }, 'view.utility: expected 2 to 64 rows'],
    [options, { few: [1, 2, 3], many: [1, 2, Number.NaN] }, 'view.utility: expected 2 to 64 rows'],
    [options, { few: [1, 2, 3], many: [2, 3, 4] }, 'view: these utilities: expected an epsilon'],
  ])('over %j with %j is refused', (wrongOptions, wrong, message) => {
    expect(() => schemaOf(best(wrongOptions, { ...ask, utility: wrong as never }))).toThrow(message);
  });

  test('is not permanent, and the refusal says why', () => {
    expect(() => schemaOf(permanent(best(options, ask), { epsilon: 2, renew: 'year' }))).toThrow(
      'view.permanent: expected no permanence of an outcome',
    );
  });

  test('tells in words which option a report says, and is stated and planned', async () => {
    const { telemetry, outcomes } = device(schemaOf());
    telemetry.record('view', 'places');
    const [batch] = await preview(telemetry);
    expect(batch?.reports[0]?.meaning).toMatch(/^randomized, it says: (list|grid|map)$/);
    expect(outcomes).toEqual([{ metric: 'view', result: 'recorded' }]);
    const { document } = schemaOf();
    expect(statementOf(document, spendingOf(document))).toContain(
      'one of the options list, grid, map, drawn at random, the likelier the better it suits which of 3 kinds holds',
    );
    const [plan] = planOf(document, 100_000, 0.01);
    expect(plan?.standardError).toBe(standardErrorAt((document.metrics['view'] as MetricDocument).law, 100_000, 0.01));
    expect(plan?.devicesForError).toBeGreaterThan(0);
    expect(plan?.epsilonForError).toBeGreaterThan(0);
  });
});
