/** What helps to write an app: options that are checked, outcomes that are explained, and a device that can be made new. */

import { choice, createTelemetry, defineSchema, flag, ledger, longList, memoryStorage, permanent } from '@murmuration/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as constructors from '#client/questions/index.ts';
import { bundle, program } from '../kit/bundle.ts';
import { device, refusalAs, settle } from './device.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 4, per: 'month' },
  metrics: {
    dark: flag(ask),
    plan: choice(['free', 'pro'], ask),
    once: flag({ ...ask, every: 'once' }),
    printed: flag({ ...ask, otherwise: false, expires: '2030-01-01' }),
  },
});

let console: string[];
beforeEach(() => {
  console = [];
  for (const level of ['info', 'warn'] as const)
    vi.spyOn(globalThis.console, level).mockImplementation((...words: unknown[]) => void console.push(words.join(' ')));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('what is explained', () => {
  test('is each result of each metric, once, and what to do', async () => {
    const { telemetry } = device(schema, { debug: true });
    telemetry.record('plan', 'pro');
    telemetry.record('once', true);
    await settle();
    for (const answer of ['pro', 'free'] as const) telemetry.record('plan', answer);
    telemetry.record('once', true);
    telemetry.record('plan', 3 as never);
    telemetry.record('paln' as never, 'pro' as never);
    await telemetry.flush();
    telemetry.consent.deny();
    telemetry.record('dark', true);
    await telemetry.close();
    telemetry.record('dark', true);
    const reset = 'While you develop, `await telemetry.reset()` makes this browser a new device.';
    expect(console).toContain(`murmuration: plan: Already answered this month; the next slot opens on 2026-12-20. ${reset}`);
    expect(console).toContain(`murmuration: once: Already answered and is asked only once; no other slot opens. ${reset}`);
    expect(console).toContain('murmuration: plan: Not recorded: the value has the wrong type. Expected one of free, pro.');
    expect(console).toContain('murmuration: paln: Not recorded: the schema has no such metric. It has dark, plan, once, printed.');
    expect(console).toContain('murmuration: plan: Delivered: the collector has the report.');
    expect(
      console.filter((line) => line.includes('dark: Not recorded, or erased before it was sent: the person has refused')),
    ).toHaveLength(1);
    expect(console).toContain('murmuration: dark: Not recorded: `telemetry.close()` was called before. Create another telemetry.');
    expect(console.filter((line) => line.includes('`consent: "granted"` records before anybody was asked'))).toHaveLength(1);
    expect(new Set(console).size).toBe(console.length);
  });

  test.each([
    ['a report', { dark: flag({ ...ask, epsilon: 4 }) }, 'dark: ε is above 3'],
    ['a month', { dark: flag({ ...ask, epsilon: 0.5, every: 'day' }) }, 'The questions spend ε 15 in 30 days, above 8'],
    ['neither', { dark: flag({ ...ask, epsilon: 3 }) }, undefined],
  ])('warns of a large ε of %s', (_, metrics, words) => {
    device(defineSchema({ app: 'notes', version: 1, budget: { epsilon: 20, per: 'month' }, metrics }), { debug: true });
    const warned = console.filter((line) => line.includes('ε'));
    if (words === undefined) expect(warned).toEqual([]);
    else expect(warned.join()).toContain(words);
  });

  test.each([
    ['together', 'plan: Recorded. The randomized answer is stored, and is sent in about five seconds.'],
    [
      'alone',
      'plan: Recorded. The randomized answer is stored, and is sent alone: one report in about five seconds, the next ones hours later',
    ],
  ] as const)('says when a report is sent: %s', async (reports, words) => {
    const metrics = { plan: choice(['free', 'pro'], ask) };
    const { telemetry } = device(defineSchema({ app: 'notes', version: 1, budget: { epsilon: 4, per: 'month' }, reports, metrics }), {
      debug: true,
    });
    telemetry.record('plan', 'pro');
    await settle();
    expect(console.join('\n')).toContain(words);
  });

  test('names the reason of a refusal, and nothing that was recorded', async () => {
    const refused = refusalAs('unknown-metric');
    const { telemetry } = device(schema, { debug: true, answer: () => refused });
    telemetry.record('plan', 'pro');
    telemetry.record('plan', 'zephyrous' as never);
    await telemetry.flush();
    await telemetry.close();
    expect(console.join('\n')).toContain(
      `plan: The collector refused the batch for good: ${refused.body.trim()}. What is spent stays spent. While you develop`,
    );
    expect(console.join('\n')).not.toContain('zephyrous');
  });

  test('is what answers a batch that is sent again, once for each kind, and what to do about it', async () => {
    const again =
      ' The batch is kept, and sent again later. `npx @murmuration/client doctor https://t.example.com/` examines the collector.';
    const [unknown, busy, key] = [refusalAs('unknown-schema'), refusalAs('busy'), refusalAs('unknown-key')];
    const page = { status: 200, body: '<!doctype html>' };
    const answers = [{ status: 0 }, unknown, unknown, busy, key, page, page, { status: 405 }, { status: 502 }];
    const { telemetry, advance } = device(schema, { debug: true, answer: () => answers.shift() ?? { status: 204 } });
    telemetry.record('plan', 'pro');
    while (answers.length > 0) {
      await telemetry.flush();
      advance(7_200_000);
    }
    await telemetry.close();
    const said = console.filter((line) => line.endsWith(again)).map((line) => line.slice('murmuration: '.length, -again.length));
    expect(said).toEqual([
      'Nobody answered the upload. Is the collector running at `endpoint`, and does it let this origin report?',
      `The collector answered 404 (${unknown.body.trim()}). It does not know this schema: publish the schema there, or restart it with the schema as it is now.`,
      `The collector answered 503 (${busy.body.trim()}).`,
      `The collector answered 403 (${key.body.trim()}). It takes batches with a write key of this app, as \`key\`.`,
      '`endpoint` answers 200, but is no collector, or a proxy before the collector answered. Nothing was delivered: only 204 means that.',
      '`endpoint` answers 405, but is no collector, or a proxy before the collector answered. Nothing was delivered: only 204 means that.',
      'The server answered 502. The collector may be overloaded, or not run behind its proxy.',
    ]);
  });

  test('is the same for no answer, however a transport of the app says so', async () => {
    for (const answer of [() => Promise.reject(new Error('offline')), () => null as never, () => ({ status: 0 })]) {
      console.length = 0;
      const { telemetry } = device(schema, { debug: true, answer });
      telemetry.record('plan', 'pro');
      await telemetry.flush();
      expect(console.at(-1)).toContain('Nobody answered the upload');
      await telemetry.close();
    }
  });

  test('is a warning where a developer must fix something, and information otherwise', async () => {
    vi.stubGlobal('process', { env: process.env }); // as in a browser: Node has one stream for messages
    const levels = new Map<string, string>();
    for (const level of ['debug', 'info', 'log', 'warn', 'error'] as const)
      vi.spyOn(globalThis.console, level).mockImplementation((line: string) => void levels.set(line, level));
    const { telemetry, advance, setDay, hide } = device(schema, { debug: true, consent: 'ask', answer: () => ({ status: 405 }) });
    telemetry.record('plan', 'pro');
    telemetry.consent.grant();
    telemetry.record('plan', 'pro');
    telemetry.record('plan', 3 as never);
    telemetry.record('paln' as never, 'pro' as never);
    await telemetry.flush();
    telemetry.record('plan', 'pro');
    advance(7_200_000);
    await telemetry.flush();
    setDay(20);
    hide();
    await telemetry.close();
    telemetry.record('dark', true);
    const said = (level: string): string => [...levels].flatMap(([line, each]) => (each === level ? [line] : [])).join('\n');
    expect(new Set(levels.values())).toEqual(new Set(['info', 'warn']));
    for (const normal of ['nobody has agreed yet', 'Recorded.', 'A slot has begun.', 'Already answered'])
      expect(said('info')).toContain(normal);
    for (const wrong of ['wrong type', 'no such metric', 'is no collector', 'for 14 days', '`telemetry.close()` was called'])
      expect(said('warn')).toContain(wrong);
    expect([said('info').split('\n').length, said('warn').split('\n').length]).toEqual([4, 5]);
  });

  test('is nothing in Node, where people run what was never built, and nothing where debug is false', async () => {
    for (const debug of [undefined, false]) {
      const { telemetry } = device(schema, debug === undefined ? {} : { debug });
      telemetry.record('plan', 'pro');
      await telemetry.flush();
      await telemetry.close();
    }
    expect(console).toEqual([]);
  });

  test('is a second telemetry of the same app over the same storage, once', () => {
    const storage = memoryStorage();
    for (let i = 0; i < 3; i++) device(schema, { debug: true, storage, consent: 'ask' });
    expect(console).toHaveLength(1);
    expect(console[0]).toContain('A telemetry of the app “notes” was created here before. Both work, and share one budget');
  });
});

describe('telemetry.reset', () => {
  test('makes a new device: nothing is spent, nobody has decided, and another tab knows nothing that it could put back', async () => {
    const storage = memoryStorage();
    const [one, other] = [device(schema, { storage, consent: 'ask' }), device(schema, { storage, consent: 'ask' })];
    one.telemetry.consent.grant();
    one.telemetry.record('plan', 'pro');
    await settle();
    expect((await ledger(other.telemetry)).spent).toBe(2); // and what is reported where nothing was printed
    await one.telemetry.reset?.();
    for (const { telemetry } of [other, one]) {
      expect(await ledger(telemetry)).toMatchObject({ spent: 0, left: 4 });
      expect(telemetry.consent.state).toBe('ask');
    }
    other.telemetry.consent.grant();
    other.telemetry.record('plan', 'free');
    await settle();
    expect(other.outcomes).toContainEqual({ metric: 'plan', result: 'recorded' });
  });
});

describe('a mistake in plain JavaScript', () => {
  const options = { schema, endpoint: '/', storage: memoryStorage() };
  test.each([
    [{ ...options, sample: 0.5 }, RangeError, 'sample: no such option. Did you mean sampleRate?'],
    [{ ...options, onoutcome: () => {} }, RangeError, 'onoutcome: no such option. Did you mean onOutcome?'],
    [{ ...options, wibble: 1 }, RangeError, 'wibble: no such option. The options are schema, endpoint,'],
    [{ ...options, consent: true }, RangeError, 'consent: expected one of ask, granted, denied, got true'],
    [{ ...options, debug: 'yes' }, RangeError, 'debug: expected one of true, false, got "yes"'],
    [{ ...options, storage: { getItem: () => {} } }, RangeError, 'storage: expected an object with transact, such as webStorage(), got {}'],
    [{ ...options, transport: 'fetch' }, RangeError, 'transport: expected a function, got "fetch"'],
    [{ ...options, endpoint: 't.example.com' }, RangeError, 'endpoint: expected an address such as https://t.example.com or a path'],
    [{ ...options, endpoint: 'https://t.example.com/v1/reports' }, RangeError, 'endpoint: expected an address such as'],
    [{ ...options, endpoint: 'https://t.example.com?key=pk_1' }, RangeError, 'endpoint: expected an address such as'],
    [{ ...options, key: 'at_1' }, RangeError, 'key: expected a public write key, pk_..., as an access token must not be in an app'],
    [{ ...options, segment: { os: 'web' } }, RangeError, 'segment.os: expected nothing, got "web"'],
    [{ ...options, sampleRate: Number.NaN }, RangeError, 'sampleRate: expected a number above 0, at most 1, got NaN'],
    [{ ...options, schema: { app: 'notes' } }, TypeError, 'schema: expected what defineSchema returns, got object'],
    [undefined, TypeError, 'createTelemetry: expected { schema, endpoint }, got undefined'],
  ])('among the options is named: %#', (given, type, message) => {
    expect(() => createTelemetry(given as never)).toThrow(type);
    expect(() => createTelemetry(given as never)).toThrow(message);
  });

  const untyped = { ...constructors, permanent } as unknown as {
    readonly [name: string]: (...given: readonly unknown[]) => unknown;
  };
  test.each([
    ['flag', [], 'flag(ask): expected ask to be an object such as { epsilon: 1, description: '],
    ['flag', ['Is dark mode on?'], 'got "Is dark mode on?"'],
    ['text', [null], 'text(ask): expected ask to be an object'],
    ['choice', [['free', 'pro']], 'choice(answers, ask): expected ask'],
    ['choice', [ask], 'choice(answers, ask): expected ask'],
    ['choices', [['a', 'b']], 'choices(answers, ask): expected ask'],
    ['joint', [{ a: ['x', 'y'] }], 'joint(lists, ask): expected ask'],
    ['best', [['a', 'b']], 'best(options, ask): expected ask'],
    ['histogram', [[1, 2], 1], 'histogram(edges, ask): expected ask'],
    ['mean', [[0, 1]], 'mean([low, high], ask): expected ask'],
    ['count', [20], 'count(max, ask): expected ask'],
    ['distribution', [[0, 1]], 'distribution([low, high], ask): expected ask'],
    ['best', [['a', 'b'], ask], 'best(options, ask): expected ask.utility to be an object such as { few: [1, 0], many: [0, 1] }'],
    ['permanent', [], "permanent(question, permanence): expected question to be an object such as flag({ epsilon: 1, every: 'day'"],
    [
      'permanent',
      [flag(ask)],
      "permanent(question, permanence): expected permanence to be an object such as { epsilon: 4, renew: 'year' }",
    ],
  ])('in a question is named: %s %j', (name, given, message) => {
    expect(() => untyped[name]?.(...given)).toThrow(TypeError);
    expect(() => untyped[name]?.(...given)).toThrow(message);
  });

  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  test.each([
    [null, 'schema.metrics.dark: expected a question such as flag({ ... }), got null'],
    [constructors.flag, 'schema.metrics.dark: expected a question such as flag({ ... }), got '],
    [flag({ ...ask, epsilon: Number.NaN }), 'schema.metrics.dark.epsilon: expected a finite number above 0, got NaN'],
    [flag({ ...ask, epsilon: 1n as never }), 'schema.metrics.dark.epsilon: expected a finite number above 0, got 1'],
    [flag({ ...ask, owner: cycle as never }), 'schema.metrics.dark.owner: expected a text, got object'],
    [constructors.mean([0, Number.POSITIVE_INFINITY], ask), 'the second above the first, got [0,"Infinity"]'],
    [flag({ ...ask, mechanism: 'unary' as never }), 'schema.metrics.dark.mechanism: expected a mechanism such as longList(), got "unary"'],
    [flag({ ...ask, mechanism: longList as never }), 'schema.metrics.dark.mechanism: expected a mechanism such as longList(), got '],
  ])('in a schema is named: %#', (question, message) => {
    const metrics = { dark: question as never };
    expect(() => defineSchema({ app: 'notes', version: 1, budget: { epsilon: 2, per: 'month' }, metrics })).toThrow(message);
  });

  test.each(Object.keys(constructors))('in a question of every type is named: %s', (name) => {
    expect(() => untyped[name]?.(5, 5)).toThrow(TypeError);
    expect(() => untyped[name]?.(5, 5)).toThrow(/^\w+\(.*ask\): expected ask to be an object such as/);
  });
});

test('a production bundle holds no explanation, no check and no reset; that of development holds them', async () => {
  const [production, development] = await Promise.all([bundle(program()), bundle(program(), { minify: false })]);
  for (const file of ['client/src/explain.ts', 'client/src/reset.ts', 'client/src/checks.ts', 'shared/src/schema/asks.ts']) {
    expect(production.files.filter((name) => name.endsWith(file))).toEqual([]);
    expect(development.files).toContainEqual(expect.stringContaining(file));
  }
  expect(production.text).not.toContain('reset:');
});
