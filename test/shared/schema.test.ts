/** `defineSchema`: every mistake throws and names its field; every schema that it takes, the collector takes too. */

import { choice, defineSchema, flag, joint, permanent, text } from '@murmuration/client';
import { rappor, unary } from '@murmuration/client/mechanisms';
import { parseDocument } from '@murmuration/collector';
import { canonicalSchema, permanentKAryLaw, symmetricUnaryLaw, unaryLaw, wireName } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';

const ask = { epsilon: 1, description: 'a question' };
const base = { app: 'notes', version: 1, budget: { epsilon: 10, per: 'month' }, metrics: { dark: flag(ask) } } as const;
const define =
  (changes: object): (() => unknown) =>
  () =>
    defineSchema({ ...base, ...changes } as typeof base);
const metric = (question: object): (() => unknown) => define({ metrics: { plan: question } });

describe('mistakes', () => {
  test.each([
    ['an unknown field', define({ colour: 1 }), 'schema.colour: expected only app, version'],
    ['no app', define({ app: undefined }), 'schema.app: expected a letter'],
    ['a bad app name', define({ app: '1 app' }), 'schema.app: expected a letter, then at most 63'],
    ['version 0', define({ version: 0 }), 'schema.version: expected a whole number above 0, got 0'],
    ['a fractional version', define({ version: 1.5 }), 'schema.version'],
    ['devices below 1', define({ devices: -3 }), 'schema.devices'],
    ['a crowd without a relay', define({ together: 1000 }), 'schema.together'],
    ['reports that are sent by halves', define({ reports: 'half' }), 'schema.reports: expected one of alone, together, got "half"'],
    ['no budget', define({ budget: undefined }), 'budget.epsilon: expected a finite number above 0'],
    ['a budget of 0', define({ budget: { epsilon: 0, per: 'month' } }), 'budget.epsilon'],
    [
      'an unknown period',
      define({ budget: { epsilon: 1, per: 'hour' } }),
      'budget.per: expected one of day, week, month, year, got "hour"',
    ],
    ['an unknown budget field', define({ budget: { epsilon: 1, per: 'month', delta: 1 } }), 'budget.delta'],
    ['no metrics', define({ metrics: {} }), 'schema.metrics: expected at least one metric'],
    ['a bad metric name', define({ metrics: { 'a b': flag(ask) } }), 'metrics.a b: expected a letter'],
    ['one segment value', define({ segments: { os: ['ios'] } }), 'segments.os: expected 2 to'],
    [
      'too many segments',
      define({ segments: { a: [...'abcdefghi'], b: [...'abcdefghi'] } }),
      'segments: expected at most 64 combinations, got 81',
    ],
    ['ε of 0', metric(flag({ ...ask, epsilon: 0 })), 'metrics.plan.epsilon: expected a finite number above 0, got 0'],
    ['negative ε', metric(flag({ ...ask, epsilon: -1 })), 'metrics.plan.epsilon'],
    ['infinite ε', metric(flag({ ...ask, epsilon: Number.POSITIVE_INFINITY })), 'metrics.plan.epsilon'],
    ['ε that is no number', metric(flag({ ...ask, epsilon: '1' as never })), 'metrics.plan.epsilon'],
    [
      'ε that 32 bits do not hold',
      metric(
        choice(
          Array.from({ length: 3 }, (_, i) => `${i}`),
          { ...ask, epsilon: 1e-9 },
        ),
      ),
      'metrics.plan: ',
    ],
    ['no description', metric(flag({ epsilon: 1 } as never)), 'metrics.plan.description: expected a text'],
    ['an unknown cadence', metric(flag({ ...ask, every: 'hour' as never })), 'metrics.plan.every: expected one of'],
    ['an unknown field of a metric', metric(flag({ ...ask, colour: 1 } as never)), 'metrics.plan.colour: expected only'],
    ['a bad expiry day', metric(flag({ ...ask, expires: 'soon' })), 'metrics.plan.expires: expected a day such as'],
    ['a day that no month has', metric(flag({ ...ask, expires: '2027-02-31' })), 'metrics.plan.expires: expected a day such as'],
    ['one answer', metric(choice(['a'], ask)), 'metrics.plan.answers: expected 2 to 100000 different answers'],
    ['a repeated answer', metric(choice(['a', 'b', 'a'], ask)), 'metrics.plan.answers: expected 2 to 100000 different answers'],
    ['an empty answer', metric(choice(['a', ''], ask)), 'metrics.plan.answers'],
    ['a number as an answer', metric(choice(['a', 1 as never], ask)), 'metrics.plan.answers'],
    [
      'too many answers',
      metric(
        choice(
          Array.from({ length: 100_001 }, (_, i) => `${i}`),
          ask,
        ),
      ),
      'metrics.plan.answers',
    ],
    ['other that is listed', metric(choice(['other', 'b'], { ...ask, other: true })), 'metrics.plan.answers'],
    ['one joint list', metric(joint({ a: ['x', 'y'] }, ask)), 'metrics.plan.questions: expected two lists or more'],
    ['a joint list of one', metric(joint({ a: ['x'], b: ['x', 'y'] }, ask)), 'answers: expected 2 to'],
    [
      'too large a product',
      metric(joint({ a: Array.from({ length: 1000 }, (_, i) => `${i}`), b: Array.from({ length: 101 }, (_, i) => `${i}`) }, ask)),
      'metrics.plan.questions',
    ],
    [
      'ε∞ below ε₁',
      metric(permanent(flag(ask), { epsilon: 0.5, renew: 'year' })),
      'metrics.plan.permanent: expected an epsilon of at least',
    ],
    ['an unknown renewal', metric(permanent(flag(ask), { epsilon: 2, renew: 'decade' as never })), 'permanent.renew: expected one of'],
    [
      'an expert who spends more than he says',
      metric(text({ ...ask, mechanism: rappor({ bits: 32, hashes: 1, cohorts: 64, f: 0.25, p: 0, q: 1 }) })),
      'metrics.plan: epsilon: expected more than 3.89',
    ],
    [
      'an expert with f = 0',
      metric(text({ ...ask, mechanism: rappor({ bits: 32, hashes: 1, cohorts: 64, f: 0, p: 0.4, q: 0.6 }) })),
      'metrics.plan: rappor: zero (f must be above 0)',
    ],
    [
      'an expert with p above q',
      metric(
        permanent(text({ ...ask, mechanism: rappor({ bits: 32, hashes: 1, cohorts: 64, f: 0.5, p: 0.75, q: 0.5 }) }), {
          epsilon: 4,
          renew: 'year',
        }),
      ),
      'q must be above p',
    ],
    [
      'an IRR without permanence',
      metric(text({ ...ask, mechanism: rappor({ bits: 32, hashes: 1, cohorts: 64, f: 0.5, p: 0.25, q: 0.75 }) })),
      'unless the metric is permanent',
    ],
  ])('%s', (_name, attempt, message) => {
    expect(attempt).toThrow(RangeError);
    expect(attempt).toThrow(message);
  });

  test('charges above the budget throw with the whole table', () => {
    const attempt = define({ metrics: { a: flag({ ...ask, every: 'week' }), b: permanent(flag(ask), { epsilon: 6, renew: 'year' }) } });
    expect(attempt).toThrow('budget: expected charges of at most 10 per month, got\n  a: 1 x 5 = 5\n  b: 6 x 1 = 6\n  sum: 11');
  });

  test('sums are not refused for the rounding of decimals', () => {
    expect(
      define({ budget: { epsilon: 0.3, per: 'month' }, metrics: { a: flag({ ...ask, epsilon: 0.1 }), b: flag({ ...ask, epsilon: 0.2 }) } }),
    ).not.toThrow();
  });
});

const full = defineSchema({
  app: 'notes',
  version: 3,
  budget: { epsilon: 60, per: 'month' },
  segments: { platform: ['web', 'ios', 'android'] },
  devices: 5_000,
  metrics: {
    dark: flag({ ...ask, owner: 'design', expires: '2027-01-31' }),
    plan: choice(['free', 'pro', 'team'], { ...ask, every: 'week', other: true }),
    both: joint({ plan: ['free', 'pro'], dark: [true, false] }, ask),
    home: permanent(text(ask), { epsilon: 4, renew: 'year' }),
    kept: permanent(choice(['a', 'b', 'c'], ask), { epsilon: 4, renew: 'never' }),
    long: permanent(choice([...'abcdefghijklmnop'], ask), { epsilon: 4, renew: 'never' }),
    named: choice(['a', 'b', 'c'], { ...ask, mechanism: unary() }),
    mirrored: permanent(joint({ plan: ['free', 'pro'], dark: [true, false] }, { ...ask, mechanism: unary({ symmetric: true }) }), {
      epsilon: 2,
      renew: 'year',
    }),
    expert: permanent(text({ ...ask, epsilon: 2.1, mechanism: rappor({ bits: 32, hashes: 2, cohorts: 64, f: 0.5, p: 0.5, q: 0.75 }) }), {
      epsilon: 4.4,
      renew: 'year',
    }),
  },
});

/** A document to be spoilt. */
interface Loose {
  readonly metrics: { readonly [name: string]: { readonly law: { [key: string]: unknown } } };
  readonly about: { readonly [name: string]: unknown };
  readonly budget: { epsilon: number };
  colour: unknown;
}

const lawOf = (document: Loose, metric: string): { [key: string]: unknown } => document.metrics[metric]?.law ?? {};

/** Puts a value where the dots lead. */
function put(document: Loose, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop() as string;
  Reflect.set(
    keys.reduce((object: object, key) => Reflect.get(object, key), document),
    last,
    value,
  );
}

describe('the document', () => {
  test('holds the law of the mechanism that a metric names, and of the chooser elsewhere', () => {
    const { metrics } = full.document;
    expect([metrics['kept'], metrics['long']].map((found) => found?.law)).toEqual([permanentKAryLaw(3, 1, 4), unaryLaw(16, 1, 4)]);
    expect([metrics['named'], metrics['mirrored']].map((found) => found?.law)).toEqual([unaryLaw(3, 1), symmetricUnaryLaw(4, 1, 2)]);
    expect(full.questions.named.randomizers).toEqual({ unary: expect.any(Function) });
  });

  test('what defineSchema makes, the collector takes, through JSON and back to the byte', () => {
    const canonical = canonicalSchema(full.document);
    const parsed = parseDocument(JSON.parse(canonical));
    expect(canonicalSchema(parsed)).toBe(canonical);
    expect(wireName(parsed)).toBe(full.wire);
  });

  test('mending a description changes the canonical text but not the name on the wire', () => {
    const mended = defineSchema({ ...base, metrics: { dark: flag({ ...ask, description: 'another', owner: 'me' }) } });
    const before = defineSchema(base);
    expect(mended.wire).toBe(before.wire);
    expect(canonicalSchema(mended.document)).not.toBe(canonicalSchema(before.document));
  });

  test.each<readonly [string, (document: Loose) => unknown, string]>([
    [
      'a law that spends more than the metric says',
      (document: Loose) => (lawOf(document, 'dark').truth = 2 ** 32 - 1),
      'metrics.dark.law: expected an epsilon of at most 1',
    ],
    [
      'a law over another number of answers',
      (document: Loose) => (lawOf(document, 'both').size = 3),
      'metrics.both.law: expected a law over 4, got one over 3',
    ],
    ['a threshold that is no integer', (document: Loose) => (lawOf(document, 'dark').truth = 0.5), 'k-ary: truth: expected a whole number'],
    [
      'a law with a member of another law',
      (document: Loose) => put(document, 'metrics.dark.law.bits', 8),
      'schema.metrics.dark.law.bits: expected only mechanism, size, truth, irr, got 8',
    ],
    [
      'a stage with a member of another law',
      (document: Loose) => put(document, 'metrics.kept.law.irr.order', 8),
      'schema.metrics.kept.law.irr.order: expected only ',
    ],
    [
      'an unknown mechanism',
      (document: Loose) => (lawOf(document, 'dark').mechanism = 'magic'),
      'schema.metrics.dark.law.mechanism: expected one of k-ary, subset',
    ],
    ['an unknown key', (document: Loose) => (document.colour = 1), 'schema.colour: expected only format, chooser, app'],
    ['another format', (document: Loose) => put(document, 'format', 2), 'schema.format: expected one of 1, got 2'],
    ['no format', (document: Loose) => Reflect.deleteProperty(document, 'format'), 'schema.format: expected one of 1, got undefined'],
    [
      'a version that is no number',
      (document: Loose) => put(document, 'version', 'two'),
      'schema.version: expected a whole number above 0, got "two"',
    ],
    ['an app without a name', (document: Loose) => put(document, 'app', '9'), 'schema.app: expected a letter, then at most 63 of letters'],
    [
      'a metric without a name',
      (document: Loose) => put(document, 'metrics.9', {}),
      'schema.metrics.9: expected a letter, then at most 63',
    ],
    [
      'an unknown type',
      (document: Loose) => put(document, 'metrics.dark.type', 'median'),
      'schema.metrics.dark.type: expected one of flag, choice, choices, ',
    ],
    [
      'a law with null',
      (document: Loose) => (lawOf(document, 'kept').irr = null),
      'schema.metrics.kept.law: expected a law without null: what is optional is left out, got {',
    ],
    [
      'a budget beyond all use',
      (document: Loose) => (document.budget.epsilon = 1e21),
      'schema.budget.epsilon: expected a number of at most 1000000000',
    ],
    [
      'a claim beyond all use',
      (document: Loose) => put(document, 'metrics.dark.epsilon', 1e21),
      'schema.metrics.dark.epsilon: expected a number of at most 1000000000',
    ],
    [
      'too many groups',
      (document: Loose) => put(document, 'segments', { a: [...'0123456789'], b: [...'0123456789'] }),
      'schema.segments: expected at most 64 combinations, got 100',
    ],
    [
      'two questions of one name',
      (document: Loose) => put(document, 'metrics.both.questions.1.name', 'plan'),
      'schema.metrics.both.questions: expected questions whose names differ, got [{',
    ],
    [
      'a day that is none',
      (document: Loose) => put(document, 'about.dark.expires', 'soon'),
      'about.dark.expires: expected a day such as 2027-01-31, got "soon"',
    ],
    [
      'a day that no month has',
      (document: Loose) => put(document, 'about.dark.expires', '2027-02-31'),
      'about.dark.expires: expected a day such as 2027-01-31, got "2027-02-31"',
    ],
    ['a permanent metric without irr', (document: Loose) => Reflect.deleteProperty(lawOf(document, 'kept'), 'irr'), 'metrics.kept.law'],
    [
      'a document that does not say how reports are sent',
      (document: Loose) => Reflect.deleteProperty(document, 'reports'),
      'schema.reports: expected one of alone, together, got undefined',
    ],
    ['no description', (document: Loose) => Reflect.deleteProperty(document.about, 'dark'), 'about.dark'],
    ['charges above the budget', (document: Loose) => (document.budget.epsilon = 3), 'budget: expected charges of at most 3'],
  ])('the collector refuses %s', (_name, spoil, message) => {
    const document = JSON.parse(canonicalSchema(full.document)) as Loose;
    spoil(document);
    expect(() => parseDocument(document)).toThrow(message);
  });

  test.each([null, 5, [1], 'x'])('the collector refuses %j, which is no document', (json) => {
    expect(() => parseDocument(json)).toThrow(`schema: expected an object, got ${JSON.stringify(json)}`);
  });
});

test('misspelt metrics, answers and types do not compile', async () => {
  const { createTelemetry, choice, joint } = await import('@murmuration/client');
  const telemetry = createTelemetry({ schema: full, endpoint: '/t', segment: { platform: 'web' } });
  // @ts-expect-error a segment that is declared and missing
  expect(() => createTelemetry({ schema: full, endpoint: '/t' })).toThrow('segment');
  // @ts-expect-error a value that the segment does not have
  expect(() => createTelemetry({ schema: full, endpoint: '/t', segment: { platform: 'webb' } })).toThrow('segment');
  const ask = { epsilon: 1, description: 'a question' };
  // @ts-expect-error an otherwise that is not listed
  choice(['free', 'pro'], { ...ask, otherwise: 'gold' });
  // @ts-expect-error half an otherwise
  joint({ plan: ['free', 'pro'], dark: [true, false] }, { ...ask, otherwise: { plan: 'free' } });
  telemetry.record('dark', true);
  telemetry.record('plan', 'unlisted is fine, there is an other');
  telemetry.record('both', { plan: 'pro', dark: false });
  // @ts-expect-error a misspelt metric
  telemetry.record('drak', true);
  // @ts-expect-error a value of another type
  telemetry.record('dark', 'yes');
  // @ts-expect-error an answer that is not listed
  telemetry.record('kept', 'z');
  // @ts-expect-error an answer of the joint that is not listed
  telemetry.record('both', { plan: 'gold', dark: false });
  // @ts-expect-error half an answer
  telemetry.record('both', { plan: 'pro' });
});
