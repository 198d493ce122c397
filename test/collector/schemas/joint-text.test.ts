/** A string asked together with lists: what is hashed, what a device records, and what a collector makes of it. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, defineSchema, flag, joint, permanent, preview, text } from '@murmuration/client';
import { stringHashing } from '@murmuration/client/mechanisms';
import { createCollector, parseDocument } from '@murmuration/collector';
import { answersOf, hashString, MAX_STRING_BYTES, type MetricDocument, pairText, wireName } from '@murmuration/shared';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { candidateAnswersOf } from '#collector/answers/candidates.ts';
import { parseBatch, unpackReports } from '#collector/ingest/parse-batch.ts';
import { spendingOf } from '#collector/planning/audit/spending.ts';
import { statementOf } from '#collector/planning/audit/statement.ts';
import { publish } from '#collector/schemas/catalog.ts';
import { device } from '../../client/device.ts';
import { upperTail } from '../../proofs/statistics.ts';
import { anyString } from '../../setup/any-string.ts';

const ask = { epsilon: 4, description: 'Who opens which page?' };
const PLANS = ['free', 'pro'] as const;
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 20, per: 'month' },
  devices: 2_000,
  reports: 'together',
  metrics: {
    pages: joint({ page: text, plan: PLANS, dark: [true, false] }, ask),
    words: joint({ plan: PLANS, word: text }, { ...ask, mechanism: stringHashing() }),
    kept: permanent(joint({ page: text, plan: PLANS }, { ...ask, epsilon: 2 }), { epsilon: 4, renew: 'year' }),
  },
});

describe('the text of a pair', () => {
  test('is the length of the string in bytes, a colon, the string, and the index', () => {
    expect(pairText('/docs', 1)).toBe('5:/docs1');
    expect(pairText('', 0)).toBe('0:0');
    expect(pairText('Vögel', 12)).toBe('6:Vögel12');
    expect(pairText('\ud800', 3)).toBe('3:\ud8003'); // three bytes, as those of U+FFFD
  });

  test('differs for different pairs, whatever digits and colons the string has', () => {
    const string = fc.oneof(fc.string({ unit: fc.constantFrom('0', '1', ':', 'a'), maxLength: 6 }), anyString(60));
    const pair = fc.tuple(string, fc.nat(99_999));
    fc.assert(
      fc.property(pair, pair, ([a, i], [b, j]) => {
        expect(pairText(a, i) === pairText(b, j)).toBe(a === b && i === j);
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });

  test('has the token where the string is too long, keeps the index, and is never too long itself', () => {
    for (const [string, isLong] of [
      ['x'.repeat(247), false],
      ['x'.repeat(248), true],
      ['ö'.repeat(123), false],
      ['ö'.repeat(124), true],
      ['x'.repeat(1_000_000), true],
    ] as const) {
      for (const index of [0, 99_999]) {
        expect(pairText(string, index)).toBe(isLong ? `5:\u0000long${index}` : `${Buffer.byteLength(string)}:${string}${index}`);
        expect(Buffer.byteLength(pairText(string, index))).toBeLessThanOrEqual(MAX_STRING_BYTES);
      }
    }
    expect(hashString(pairText('x'.repeat(300), 0))).not.toEqual(hashString(pairText('x'.repeat(300), 1)));
  });
});

describe('a schema', () => {
  const { pages, words } = schema.document.metrics as { readonly [name: string]: MetricDocument } & {
    readonly pages: MetricDocument;
    readonly words: MetricDocument;
  };

  test('holds its parts in their order, a law of strings, and is taken by the collector', () => {
    expect(pages).toMatchObject({
      type: 'joint',
      questions: [
        { name: 'page', text: true },
        { name: 'plan', answers: PLANS },
        { name: 'dark', answers: [true, false] },
      ],
      law: { mechanism: 'rappor' },
    });
    expect(words.law.mechanism).toBe('string-hashing');
    expect(answersOf(pages)).toBeUndefined();
    expect(parseDocument(JSON.parse(JSON.stringify(schema.document)))).toEqual(JSON.parse(JSON.stringify(schema.document)));
  });

  test('is refused with two texts, with a text alone, and with answers that repeat', () => {
    const define = (question: unknown) => () =>
      defineSchema({
        app: 'notes',
        version: 1,
        budget: { epsilon: 20, per: 'month' },
        metrics: { pages: question as ReturnType<typeof flag> },
      });
    expect(define(joint({ page: text, word: text, plan: PLANS }, ask))).toThrow(/pages.questions: expected one text at most/);
    expect(define(joint({ page: text }, ask))).toThrow(/pages.questions: expected two lists or more, or a text and a list/);
    expect(define(joint({ page: text, plan: ['a', 'a'] }, ask))).toThrow(/pages.questions.plan.answers: expected 2 to/);
    /** The document with other questions in its pages. */
    const parse = (questions: readonly object[]) => () =>
      parseDocument(
        JSON.parse(JSON.stringify({ ...schema.document, metrics: { ...schema.document.metrics, pages: { ...pages, questions } } })),
      );
    const twoTexts = ['a', 'b'].map((name) => ({ name, text: true }));
    const twoLists = ['a', 'b'].map((name) => ({ name, answers: ['x', 'y'] }));
    expect(parse(twoTexts)).toThrow(/one text at most/);
    expect(parse(twoLists)).toThrow(/law over 4/);
  });

  test('does not compile with another question in place of the text, or without a list’s answer', () => {
    // @ts-expect-error a flag is no text
    expect(() => joint({ page: flag, plan: PLANS }, ask)).not.toThrow();
    // @ts-expect-error nor is a choice
    expect(() => joint({ page: choice, plan: PLANS }, ask)).toThrow('choice(answers, ask): expected ask');
    const record = device(schema).telemetry.record;
    // @ts-expect-error an answer that is not listed
    record('pages', { page: '/', plan: 'team', dark: true });
    // @ts-expect-error no string
    record('pages', { plan: 'free', dark: true });
  });

  test('is stated as a text together with lists', () => {
    const statement = statementOf(schema.document, spendingOf(schema.document));
    expect(statement).toContain(
      'page (any text, of which only randomized bits of a hash leave the device) together with plan (one of 2) together with dark (one of 2)',
    );
  });
});

describe('a device', () => {
  test('records a pair in one call, of the length of its law, and never what it was', async () => {
    const one = device(schema);
    one.telemetry.record('pages', { page: 'a secret page', plan: 'pro', dark: false });
    one.telemetry.record('words', { word: 'x'.repeat(10_000), plan: 'free' });
    one.telemetry.record('kept', { page: 'a secret page', plan: 'pro' });
    await one.telemetry.flush();
    expect(one.outcomes.map(({ result }) => result).filter((result) => result !== 'delivered')).toEqual([
      'recorded',
      'recorded',
      'recorded',
    ]);
    const [upload] = one.uploads;
    const published = publish(schema.document);
    const batch = parseBatch(upload?.body as string, new Map([[schema.wire, published]]), 20_777);
    expect(
      unpackReports(published, batch.reports)
        .map(({ metric }) => metric)
        .sort(),
    ).toEqual(['kept', 'pages', 'words']);
    expect(JSON.stringify(one.uploads)).not.toContain('secret');
  });

  test.each([
    ['no object', null],
    ['no string', { plan: 'pro', dark: true }],
    ['a string of another type', { page: 5, plan: 'pro', dark: true }],
    ['an answer that is not listed', { page: '/', plan: 'team', dark: true }],
  ])('records nothing of %s', async (_, value) => {
    const one = device(schema);
    one.telemetry.record('pages', value as never);
    await one.telemetry.flush();
    expect(one.outcomes.map(({ result }) => result)).toEqual(['wrong-type']);
  });

  test('previews it as bits of a string', async () => {
    const one = device(schema);
    one.telemetry.record('pages', { page: '/', plan: 'pro', dark: true });
    expect((await preview(one.telemetry))[0]?.reports.map(({ meaning }) => meaning)).toEqual(['randomized: noisy bits']);
  });
});

test('what is sought is each candidate with each answer, in the order of the questions', () => {
  const sought = candidateAnswersOf(schema.document.metrics.words as MetricDocument, ['a', 'b']);
  expect(sought).toEqual([
    { answer: { plan: 'free', word: 'a' }, text: '1:a0' },
    { answer: { plan: 'pro', word: 'a' }, text: '1:a1' },
    { answer: { plan: 'free', word: 'b' }, text: '1:b0' },
    { answer: { plan: 'pro', word: 'b' }, text: '1:b1' },
  ]);
  expect(Object.keys(sought[0]?.answer as object)).toEqual(['plan', 'word']);
});

test('a collector estimates the shares of pairs, also where some strings are no candidates', async () => {
  const data = await mkdtemp(join(tmpdir(), 'murmuration-'));
  const collector = await createCollector({
    open: true,
    schemas: [schema.document],
    data,
    candidates: { words: ['tea', 'ink'] },
    now: () => 20_777 * 86_400_000,
  });
  const people = 1_500;
  const counts = new Map<string, number>();
  const bodies: string[] = [];
  for (let person = 0; person < people; person++) {
    const one = device(schema, { seed: 5_000 + person, transport: async ({ body }) => ({ status: bodies.push(body) > 0 ? 204 : 500 }) });
    const word = person % 10 < 5 ? 'tea' : person % 10 < 8 ? 'ink' : `other ${person % 7}`;
    const plan = person % 3 === 0 ? 'pro' : 'free';
    counts.set(`${plan}, ${word}`, (counts.get(`${plan}, ${word}`) ?? 0) + 1);
    one.telemetry.record('words', { word, plan });
    await one.telemetry.flush();
  }
  const schemas = new Map([[wireName(schema.document), publish(schema.document)]]);
  await Promise.all(
    bodies.map((body) => collector.store.append({ ...parseBatch(body, schemas, 20_777), hash: Buffer.from(body).toString('hex') })),
  );
  const address = await collector.listen(0, '127.0.0.1');
  const found = (await (await fetch(`${address}/v1/metrics/words/estimates`)).json()) as {
    readonly type: string;
    readonly answers: readonly {
      readonly label: string;
      readonly answer: object;
      readonly estimate: number;
      readonly standardError: number;
    }[];
  };
  await collector.close();
  await rm(data, { recursive: true });
  expect(found.answers.map(({ label }) => label).sort()).toEqual(['free, ink', 'free, tea', 'pro, ink', 'pro, tea']);
  expect(found.answers.map(({ estimate }) => estimate)).toEqual(found.answers.map(({ estimate }) => estimate).toSorted((a, b) => b - a));
  expect(found.answers[0]?.answer).toEqual({ plan: 'free', word: 'tea' });
  for (const { label, estimate, standardError } of found.answers) {
    const z = (estimate - (counts.get(label) as number) / people) / standardError;
    expect(upperTail({ statistic: z * z, degrees: 1 }), label).toBeGreaterThan(1e-6);
    // A bound on what this can show: the error bar is a few percent of a share of a tenth to a third.
    expect(standardError).toBeLessThan(0.03);
  }
});
