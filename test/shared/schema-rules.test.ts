/**
 * One set of rules: whatever `defineSchema` refuses, the collector refuses in a document, with the same expectation. Each row breaks one
 * rule, once in what an app asks and once in the document of a good schema.
 */

import { defineSchema, flag, permanent } from '@murmuration/client';
import { parseDocument } from '@murmuration/collector';
import { kinds } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { ask, LIST, names, never, questionSpecimens } from './question-specimens.ts';

const specimens = Object.entries(questionSpecimens);
const spec = {
  app: 'notes',
  version: 1,
  budget: { epsilon: 40, per: 'month' },
  segments: { os: ['ios', 'web'] },
  devices: 1000,
  metrics: Object.fromEntries(specimens.map(([type, { question }]) => [type, question])),
} as const;
const { document: good } = defineSchema(spec);

/** Puts a value where a path leads in a copy; undefined takes what stands there away. */
function put(json: object, path: string, value: unknown): object {
  const copy = structuredClone(json);
  const keys = path.split('.');
  const last = keys.pop() as string;
  const parent = keys.reduce((object: object, key) => Reflect.get(object, key), copy);
  if (value === undefined) Reflect.deleteProperty(parent, last);
  else Reflect.set(parent, last, value);
  return copy;
}

/** A schema with some members changed, and with one metric in the place of another. */
const define = (changes: object): unknown => defineSchema({ ...spec, ...changes } as never);
const asking = (name: string, question: object): unknown => define({ metrics: { ...spec.metrics, [name]: question } });

const NAME = 'a letter, then at most 63 of letters, digits, _ . -';

/** What is expected; how an app breaks it; and what a document says in which place. */
type Row = readonly [expected: string, asked: () => unknown, path: string, value: unknown];

/** For a schema itself: the same member of both is broken. */
const ofSchema = (
  [
    [NAME, 'app', '1 app'],
    [NAME, 'app', undefined],
    ['a whole number above 0', 'version', 0],
    ['a whole number above 0', 'version', 1.5],
    ['a whole number above 0', 'version', '2'],
    ['a whole number above 0', 'devices', -3],
    ['an object', 'budget', 5],
    ['a finite number above 0', 'budget', { epsilon: 0, per: 'month' }],
    ['a finite number above 0', 'budget', { per: 'month' }],
    ['a number of at most 1000000000', 'budget', { epsilon: 1e21, per: 'month' }],
    ['one of day, week, month, year', 'budget', { epsilon: 1, per: 'hour' }],
    ['only epsilon, per', 'budget', { epsilon: 1, per: 'month', delta: 1 }],
    ['an object', 'segments', [['ios', 'web']]],
    [LIST, 'segments', { os: ['ios'] }],
    [LIST, 'segments', { os: ['ios', 1] }],
    [NAME, 'segments', { '1 os': ['ios', 'web'] }],
    ['at most 64 combinations', 'segments', { a: names(9), b: names(9) }],
    ['one of random', 'assign', 'all'],
    ['an object', 'metrics', 'flag'],
    ['at least one metric', 'metrics', {}],
  ] as const
).map(([expected, path, value]): Row => [expected, () => define({ [path]: value }), path, value]);

/** Of what every metric has. */
const ofMetric = (
  [
    ['a finite number above 0', 'epsilon', 0],
    ['a finite number above 0', 'epsilon', -1],
    ['a finite number above 0', 'epsilon', '1'],
    ['a number of at most 1000000000', 'epsilon', 1e21],
    ['one of day, week, month, year, once', 'every', 'hour'],
    ['only ', 'colour', 1],
    ['only ', 'type', 1],
    ['an answer to the question', 'otherwise', 'no'],
  ] as const
).map(([expected, key, value]): Row => {
  const path = key === 'type' ? 'metrics.flag.kind' : `metrics.flag.${key}`; // a document has a type, an app's question no other
  return [expected, () => asking('flag', flag({ ...ask, [key]: value } as never)), path, value];
});

/** Of what people say of one. */
const ofAbout = (
  [
    ['a text', 'description', ''],
    ['a text', 'description', undefined],
    ['a text', 'unit', ''],
    ['a text', 'owner', ''],
    ['a text', 'owner', 5],
    ['one of true, false', 'publish', 'yes'],
    ['a day such as 2027-01-31', 'expires', 'soon'],
    ['a day such as 2027-01-31', 'expires', '2027-02-31'],
    ['a day such as 2027-01-31', 'expires', ['2027-01-31']],
  ] as const
).map(
  ([expected, key, value]): Row => [expected, () => asking('flag', flag({ ...ask, [key]: value } as never)), `about.flag.${key}`, value],
);

const kept = (permanence: object): Row['3'] => ({ ...never, ...permanence });
const rows: readonly Row[] = [
  ...ofSchema,
  ...ofMetric,
  ...ofAbout,
  [NAME, () => define({ metrics: { '1 a': flag(ask) } }), 'metrics.1 a', good.metrics['flag']],
  ['one of flag, choice', () => asking('flag', { ...flag(ask), type: 'median' }), 'metrics.flag.type', 'median'],
  ['one of flag, choice', () => asking('flag', { ...flag(ask), type: 'constructor' }), 'metrics.flag.type', 'constructor'],
  [
    'slots that end',
    () => asking('flag', flag({ ...ask, otherwise: false, every: 'once' })),
    'metrics.flag',
    { ...good.metrics['flag'], otherwise: false, every: 'once' },
  ],
  [
    'a finite number above 0',
    () => asking('flag', permanent(flag(ask), { ...never, epsilon: 0 })),
    'metrics.flag.permanent',
    kept({ epsilon: 0 }),
  ],
  [
    'one of week, month, year, never',
    () => asking('flag', permanent(flag(ask), { ...never, renew: 'day' as never })),
    'metrics.flag.permanent',
    kept({ renew: 'day' }),
  ],
  [
    'an epsilon of at least that of one report, 1',
    () => asking('flag', permanent(flag(ask), { ...never, epsilon: 0.5 })),
    'metrics.flag.permanent',
    kept({ epsilon: 0.5 }),
  ],
  ...specimens.flatMap(([type, { mistakes }]) =>
    mistakes.map(([expected, wrong, field, value]): Row => [expected, () => asking(type, wrong()), `metrics.${type}.${field}`, value]),
  ),
];

test('the schema whose members are broken is good', () => {
  expect(() => parseDocument(JSON.parse(JSON.stringify(good)))).not.toThrow();
});

test.each(rows)('expected %s: by both', (expected, asked, path, value) => {
  expect(asked).toThrow(RangeError);
  expect(asked).toThrow(`: expected ${expected}`);
  const spoilt = put(JSON.parse(JSON.stringify(good)), path, value);
  expect(() => parseDocument(spoilt)).toThrow(RangeError);
  expect(() => parseDocument(spoilt)).toThrow(`: expected ${expected}`);
});

test('every field of every type of question is broken in the table', () => {
  const broken = new Set(rows.map(([, , path]) => path));
  const fields = Object.entries(kinds).flatMap(([type, { rules }]) => Object.keys(rules()).map((key) => `metrics.${type}.${key}`));
  expect(fields.filter((field) => !broken.has(field))).toEqual([]);
});

test.each([
  ['a question that is no part', 'metrics.joint.questions', [{ name: 'a', answers: ['x', 'y'] }, 5]],
  [
    'a part with a key too many',
    'metrics.joint.questions',
    [
      { name: 'a', answers: ['x', 'y'], text: true },
      { name: 'b', answers: ['x', 'y'] },
    ],
  ],
  [
    'two questions of one name',
    'metrics.joint.questions',
    [
      { name: 'a', answers: ['x', 'y'] },
      { name: 'a', answers: ['x', 'y'] },
    ],
  ],
  [
    'a table without a row for each input',
    'metrics.best.utility',
    [
      [1, 0],
      [0, 1],
      [1, 1],
    ],
  ],
  ['edges that are no list', 'metrics.histogram.edges', 5],
  ['a range that is none', 'metrics.mean.range', null],
  ['a metric that is none', 'metrics.flag', null],
  ['a law that is none', 'metrics.flag.law', null],
  ['a metric that nobody describes', 'about.flag', undefined],
])('%s, which no app can ask, is refused in a document', (_name, path, value) => {
  expect(() => parseDocument(put(JSON.parse(JSON.stringify(good)), path, value))).toThrow(RangeError);
});
