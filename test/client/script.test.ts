/** The scripts for pages without a build: a schema from its JSON is the schema that was printed, or is refused. */

import {
  choice,
  choices,
  count,
  createTelemetry,
  type DeviceQuestion,
  defineSchema,
  distribution,
  flag,
  histogram,
  joint,
  mean,
  memoryStorage,
  permanent,
  preview,
  type Schema,
  text,
} from '@murmuration/client';
import * as mechanisms from '@murmuration/client/mechanisms';
import { seededRng } from '@murmuration/client/testing';
import { canonicalSchema, type SchemaDocument } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import * as all from '#client/script/all.ts';
import * as core from '#client/script/core.ts';
import { questionSpecimens } from '../shared/question-specimens.ts';

const ask = { epsilon: 1, description: 'a question' };
const plans = ['free', 'pro', 'team', 'school', 'club', 'shop', 'bank', 'port', 'farm', 'mill'];
const year = { epsilon: 2, renew: 'year' } as const;
const { rappor } = mechanisms;

/** A question, and a value. */
const questions: { readonly [name: string]: readonly [question: DeviceQuestion<never>, value: unknown] } = {
  ...Object.fromEntries(Object.entries(questionSpecimens).map(([type, { question, value }]) => [type, [question, value] as const])),
  'choice with other': [choice(plans, { ...ask, other: true }), 'unlisted'],
  'choices with other': [choices(plans, { ...ask, atMost: 2, other: true }), ['pro', 'unlisted']],
  'joint with a text': [joint({ page: text, plan: plans }, ask), { page: 'a', plan: 'pro' }],
  'distribution in cells': [distribution([0, 60], { ...ask, cells: 32 }), 30],
  'permanent flag': [permanent(flag(ask), year), true],
  'permanent choice': [permanent(choice(plans, ask), year), 'pro'],
  'permanent text': [permanent(text(ask), year), 'a'],
  'permanent mean': [permanent(mean([0, 60], ask), year), 30],
  'permanent localHashing': [permanent(choice(plans, { ...ask, mechanism: mechanisms.localHashing() }), year), 'pro'],
  'permanent stringHashing': [permanent(text({ ...ask, mechanism: mechanisms.stringHashing() }), year), 'a'],
  'permanent dBitFlip': [permanent(histogram([0, 1, 2], { ...ask, mechanism: mechanisms.dBitFlip({ bits: 2 }) }), year), 1],
  unary: [choice(plans, { ...ask, mechanism: mechanisms.unary() }), 'pro'],
  hadamard: [choice(plans, { ...ask, mechanism: mechanisms.hadamard() }), 'pro'],
  projective: [choice(plans, { ...ask, mechanism: mechanisms.projective() }), 'pro'],
  countMeanSketch: [choice(plans, { ...ask, mechanism: mechanisms.countMeanSketch() }), 'pro'],
  hadamardCountMeanSketch: [choice(plans, { ...ask, mechanism: mechanisms.hadamardCountMeanSketch() }), 'pro'],
  rappor: [text({ ...ask, mechanism: rappor({ bits: 64, hashes: 1, cohorts: 8, f: 0.9, p: 0, q: 1 }) }), 'a'],
  duchi: [mean([0, 60], { ...ask, mechanism: mechanisms.duchi() }), 30],
  piecewise: [mean([0, 60], { ...ask, mechanism: mechanisms.piecewise() }), 30],
  hybrid: [mean([0, 60], { ...ask, mechanism: mechanisms.hybrid() }), 30],
  laplace: [mean([0, 60], { ...ask, mechanism: mechanisms.laplace() }), 30],
  geometric: [count(9, { ...ask, mechanism: mechanisms.geometric() }), 3],
  hierarchical: [distribution([0, 60], { ...ask, mechanism: mechanisms.hierarchical({ branching: 2 }) }), 30],
  squareWave: [distribution([0, 60], { ...ask, mechanism: mechanisms.squareWave() }), 30],
};

const schemaWith = (question: DeviceQuestion<never>): Schema<{ readonly asked: DeviceQuestion<never> }> =>
  defineSchema({ app: 'a', version: 1, budget: { epsilon: 2, per: 'month' }, metrics: { asked: question } });

/** What a device sends of a value, and what that says in words, with the same coins every time. */
async function sent(schema: Schema<{ readonly asked: DeviceQuestion<never> }>, value: unknown): Promise<readonly string[]> {
  const told: string[] = [];
  const telemetry = createTelemetry({
    schema,
    endpoint: '/',
    consent: 'granted',
    storage: memoryStorage(),
    rng: seededRng(7),
    clock: { now: () => Date.UTC(2026, 10, 20), after: () => () => {} },
    transport: async ({ body }) => {
      told.push(body);
      return { status: 204 };
    },
  });
  telemetry.record('asked', value as never);
  const [batch] = await preview(telemetry);
  told.push(...(batch?.reports ?? []).map(({ meaning }) => meaning));
  await telemetry.close();
  return told;
}

/** What the whole script holds besides. */
const ALSO = ['askConsent', 'historyOf', 'openInspector', 'schemaFromJson', 'withHistory'];

test('the whole script holds all that the package has for apps, and for experts', async () => {
  const names = [...Object.keys(await import('@murmuration/client')), ...Object.keys(mechanisms), ...ALSO];
  expect(Object.keys(all).sort()).toEqual(names.sort());
  expect(Object.keys(core).sort()).toEqual(['choice', 'createTelemetry', 'defineSchema', 'flag', 'schemaFromJson']);
});

describe.each(Object.entries(questions))('%s, from its JSON,', (_name, [question, value]) => {
  const schema = schemaWith(question);
  const json = canonicalSchema(schema.document);
  const read = all.schemaFromJson(json) as unknown as typeof schema;

  test('has the same name on the wire and the same labels', () => {
    expect(read.wire).toBe(schema.wire);
    expect(read.document).toEqual(JSON.parse(json));
    const law = schema.document.metrics['asked']?.law;
    expect(read.questions.asked.labels(law)).toEqual(question.labels(law));
    expect(read.document.metrics['asked']?.type).toBe(question.type);
  });

  test('answers with the same bytes, which say the same', async () => {
    const told = await sent(schema, value);
    expect(told).toHaveLength(2);
    expect(await sent(read, value)).toEqual(told);
  });
});

describe('a schema from JSON', () => {
  const { document, wire } = schemaWith(flag(ask));
  const printed = { schema: wire, document };

  test('is read from the text that the command prints, from the object, and from the document alone', () => {
    for (const json of [JSON.stringify(printed), printed, document, JSON.stringify(document)])
      expect(core.schemaFromJson(json).wire).toBe(wire);
  });

  test('is refused where the document is not the one that was printed', () => {
    const edited = { ...document, version: 2 };
    expect(() => core.schemaFromJson({ ...printed, document: edited })).toThrow(RangeError);
    expect(() => core.schemaFromJson({ ...printed, document: edited })).toThrow(/schema: expected the document of a\/1\/\w+, got a\/2\//);
    expect(() => core.schemaFromJson({ ...document, format: 2 } as unknown as SchemaDocument)).toThrow('schema.format: expected 1, got 2');
  });

  test.each([
    [text(ask), 'asked: expected a question that this script holds (flag, choice), got text'],
    [choice(plans, { ...ask, mechanism: mechanisms.unary() }), 'asked: expected a mechanism that this script holds, got unary'],
    [permanent(flag(ask), year), 'asked: expected no permanent question, for this script holds none, got one'],
  ])('is refused by the small script where it asks what that does not hold', (question, message) => {
    const other = schemaWith(question).document;
    expect(() => core.schemaFromJson(other)).toThrow(new RangeError(message));
    expect(all.schemaFromJson(other).document).toBe(other);
  });

  test('takes the laws as they stand, though this version would derive others', () => {
    const law = { mechanism: 'k-ary', size: 2, truth: 2 ** 31 } as const;
    const other = { ...document, metrics: { asked: { ...document.metrics['asked'], law } } } as unknown as SchemaDocument;
    const { document: found, questions } = core.schemaFromJson(other);
    expect(found.metrics['asked']?.law).toEqual(law);
    expect(questions['asked']).not.toHaveProperty('law');
  });
});
