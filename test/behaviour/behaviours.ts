/**
 * What the client does, wherever it runs: one suite for Node, a page, a worker, a service worker, and React Native's
 * engine. It needs nothing but promises, so that it runs in engines that have nothing else.
 */

import {
  choice,
  count,
  createTelemetry,
  type Delivery,
  defineSchema,
  flag,
  histogram,
  type Lifecycle,
  ledger,
  memoryStorage,
  type Outcome,
  permanent,
  preview,
  type Rng,
  type Storage,
  type Telemetry,
  text,
  type Upload,
} from '@murmuration/client';
import { assertRecorded, type FakeClock, fakeClock, type MemoryTransport, memoryTransport, seededRng } from '@murmuration/client/testing';
import { canonicalSchema } from '@murmuration/shared';

const DAY = 86_400_000;
/** The key of the schema's state. */
const NAME = 'murmuration:notes';

const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 9, per: 'month' },
  reports: 'together',
  metrics: {
    darkMode: flag({ epsilon: 1, description: 'Is dark mode on?' }),
    plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan?', other: true }),
    startupMs: histogram([0, 100, 300, 1000], { epsilon: 1, description: 'How long does a start take?' }),
    notes: count(20, { epsilon: 1, description: 'How many notes?' }),
    word: permanent(text({ epsilon: 1, every: 'day', description: 'Which word?' }), { epsilon: 4, renew: 'year' }),
  },
});

type Notes = typeof schema.questions;

/** What a runtime brings to the suite. */
export interface Runtime {
  /** A storage of the runtime's own that holds nothing; memory where there is none. */
  readonly storage: () => Storage | Promise<Storage>;
  /** Whether the runtime itself has a cryptographic source. */
  readonly hasEntropy: boolean;
  /** What `trace` gave in Node. */
  readonly trace: string;
}

interface Device {
  readonly telemetry: Telemetry<Notes>;
  readonly clock: FakeClock;
  readonly sent: MemoryTransport<Notes>;
  readonly outcomes: readonly Outcome[];
  readonly storage: Storage;
  readonly tell: Parameters<Lifecycle>[0];
  /** Every value that was ever stored. */
  readonly stored: readonly string[];
}

function same(what: string, got: unknown, expected: unknown): void {
  const [is, wanted] = [JSON.stringify(got), JSON.stringify(expected)];
  if (is !== wanted) throw new Error(`${what}: expected ${wanted}, got ${is}`);
}

const turn = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 1));

/** Lets promises, and what a storage does meanwhile, settle: turns of the event loop, for not every engine's timers wait. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns++) await turn();
}

/** What comes as soon as promises and the storage have settled, however slow the machine is. */
async function comes(what: string, get: () => unknown, expected: unknown): Promise<void> {
  for (let turns = 0; turns < 10_000 && JSON.stringify(get()) !== JSON.stringify(expected); turns++) await turn();
  same(what, get(), expected);
}

/** Lets a device's clock run, second by second, until something has come: after so many seconds at least, and at most. */
async function secondsTo(
  { clock, telemetry }: Device,
  what: string,
  has: () => boolean,
  [least, most]: readonly [number, number],
): Promise<void> {
  let seconds = 0;
  for (; !has() && seconds <= most; seconds++) {
    clock.advance(1_000);
    await turn();
    await telemetry.look(); // transactions come one after the other: the clock does not run ahead of one that sends
  }
  same(`${what} between ${least} and ${most} seconds, came after ${seconds}`, seconds >= least && seconds <= most, true);
}

function recordAll(telemetry: Telemetry<Notes>, value = 'zephyrous'): void {
  telemetry.record('darkMode', true);
  telemetry.record('plan', value);
  telemetry.record('startupMs', 4_321.5);
  telemetry.record('notes', 17);
  telemetry.record('word', value);
}

/** The schema's document and a batch of seeded coins: two engines that agree on these agree on laws, coins, hashes and codecs. */
export async function trace(): Promise<string> {
  const { transport, uploads } = memoryTransport(schema);
  const clock = fakeClock(new Date(Date.UTC(2026, 10, 20)));
  const storage = memoryStorage();
  const telemetry = createTelemetry({ schema, endpoint: '/', consent: 'granted', storage, transport, clock, rng: seededRng(7) });
  recordAll(telemetry);
  await telemetry.close();
  return JSON.stringify([schema.wire, canonicalSchema(schema.document), uploads]);
}

/** Calls `test` with the name of each behaviour and a function that throws where it is missing. */
export function behaviours(test: (name: string, run: () => Promise<void>) => unknown, runtime: Runtime): void {
  async function device(
    options: {
      readonly answer?: (upload: Upload) => Delivery | Promise<Delivery>;
      readonly consent?: 'ask' | 'granted';
      readonly storage?: Storage;
      readonly rng?: Rng;
      readonly day?: number;
      readonly sampleRate?: number;
    } = {},
  ): Promise<Device> {
    const { answer, consent = 'granted', day = 0, rng = seededRng(1), sampleRate = 1 } = options;
    const inner = options.storage ?? (await runtime.storage());
    const stored: string[] = [];
    const { spill } = inner;
    const storage: Storage = {
      ...inner,
      transact: (key, update) =>
        inner.transact(key, (before) => {
          const updated = update(before);
          if (updated.next !== undefined) stored.push(updated.next);
          return updated;
        }),
      ...(spill && {
        spill: {
          get length() {
            return spill.length;
          },
          key: (index) => spill.key(index),
          getItem: (key) => spill.getItem(key),
          setItem: (key, value) => {
            stored.push(value);
            spill.setItem(key, value);
          },
          removeItem: (key) => spill.removeItem(key),
        },
      }),
    };
    const outcomes: Outcome[] = [];
    const clock = fakeClock(new Date(Date.UTC(2026, 10, 20) + day * DAY));
    const sent = memoryTransport(schema, answer);
    let tell: Parameters<Lifecycle>[0] = () => undefined;
    const telemetry = createTelemetry({
      schema,
      endpoint: 'https://t.example.com/',
      key: 'pk 1',
      consent,
      sampleRate,
      storage,
      transport: sent.transport,
      clock,
      rng,
      lifecycle: (listener) => {
        tell = listener;
        return () => {};
      },
      onOutcome: (outcome) => outcomes.push(outcome),
    });
    return { telemetry, clock, sent, outcomes, storage: inner, stored, tell: (event) => tell(event) };
  }

  const results = ({ outcomes }: Device): readonly string[] => outcomes.map(({ metric, result }) => `${metric ?? ''} ${result}`);

  test('the same schema and the same coins give the same bytes as in Node', async () => {
    same('trace', await trace(), runtime.trace);
  });

  test('what is recorded is sent as it was shown, and once', async () => {
    const it = await device();
    recordAll(it.telemetry);
    await settle();
    const shown = await preview(it.telemetry);
    await assertRecorded(it.telemetry, 'plan');
    await it.telemetry.flush();
    await it.telemetry.flush();
    same(
      'uploads',
      it.sent.uploads,
      shown.map(({ url, body }) => ({ url, body })),
    );
    same('url', it.sent.uploads[0]?.url, 'https://t.example.com/v1/reports?key=pk%201');
    await assertRecorded(it.sent, 'plan');
    await assertRecorded(it.telemetry, 'plan', 0);
    const metrics = ['darkMode', 'notes', 'plan', 'startupMs', 'word'];
    same(
      'outcomes',
      [...results(it)].sort(),
      metrics.flatMap((metric) => [`${metric} delivered`, `${metric} recorded`]),
    );
    same(
      'words',
      shown.flatMap(({ reports }) => reports.map(({ meaning }) => meaning.startsWith('randomized'))),
      metrics.map(() => true),
    );
  });

  test('no value is stored or sent', async () => {
    const it = await device();
    recordAll(it.telemetry);
    await it.telemetry.flush();
    const text = [...it.stored, ...it.sent.uploads.map(({ body }) => body), JSON.stringify(it.outcomes)].join();
    same('traces', [text.length > 0, /zephyrous|4321/.test(text)], [true, false]);
  });

  test('nothing is stored or sent before consent', async () => {
    const it = await device({ consent: 'ask' });
    recordAll(it.telemetry);
    await it.telemetry.flush();
    same('outcomes', [...new Set(it.outcomes.map(({ result }) => result))], ['no-consent']);
    same('stored, sent, timers', [it.stored, it.sent.uploads, it.clock.timers()], [[], [], 0]);
    it.telemetry.consent.grant();
    it.telemetry.record('plan', 'pro');
    await it.telemetry.flush();
    await assertRecorded(it.sent, 'plan');
  });

  test('a refusal erases what waits, and keeps what was spent', async () => {
    const it = await device();
    recordAll(it.telemetry);
    await comes('recorded', () => it.outcomes.length, 5);
    it.telemetry.consent.deny();
    it.telemetry.record('plan', 'pro');
    await it.telemetry.flush();
    same('state, uploads, timers', [it.telemetry.consent.state, it.sent.uploads, it.clock.timers()], ['denied', [], 0]);
    it.telemetry.consent.grant();
    it.telemetry.record('plan', 'pro');
    await comes('last', () => results(it).slice(-1), ['plan already-answered']);
    same('spent', (await ledger(it.telemetry)).spent, 8);
  });

  test('outcomes tell what became of a record', async () => {
    const it = await device();
    it.telemetry.record('plan', 'pro');
    it.telemetry.record('plan', 'pro');
    it.telemetry.record('darkMode', 'yes' as never);
    it.telemetry.record('toString' as never, true as never);
    await it.telemetry.flush();
    same('outcomes', [...results(it)].sort(), [
      'darkMode wrong-type',
      'plan already-answered',
      'plan delivered',
      'plan recorded',
      'toString unknown-metric',
    ]);
  });

  test('a retry sends the same bytes, after 503 and after no answer, and not before it is time', async () => {
    const answers: (() => Delivery)[] = [
      () => ({ status: 503, retryAfter: 600 }),
      () => {
        throw new Error('offline');
      },
      () => ({ status: 204 }),
    ];
    const it = await device({ answer: () => (answers.shift() as () => Delivery)() });
    it.telemetry.record('plan', 'pro');
    await it.telemetry.flush();
    same('uploads', it.sent.uploads.length, 1);
    it.tell('flush');
    await secondsTo(it, 'the second upload', () => it.sent.uploads.length === 2, [600, 1_210]); // up to twice what was asked
    await secondsTo(it, 'the third upload', () => it.sent.uploads.length === 3, [10, 40]);
    await comes('outcomes', () => results(it), ['plan recorded', 'plan delivered']);
    same('bytes', [...new Set(it.sent.uploads.map(({ body }) => body))].length, 1);
  });

  test('a batch that is refused for good is not sent again', async () => {
    const it = await device({ answer: () => ({ status: 400, body: '{"error":"malformed"}' }) });
    it.telemetry.record('plan', 'pro');
    await it.telemetry.flush();
    await it.telemetry.flush();
    same('uploads, outcomes', [it.sent.uploads.length, results(it)], [1, ['plan recorded', 'plan refused']]);
  });

  test('a batch that a host answered which is no collector is sent again', async () => {
    const answers = [{ status: 200, body: '<!doctype html>' }, { status: 405, body: '<html>' }, { status: 204 }];
    const it = await device({ answer: () => answers.shift() as Delivery });
    it.telemetry.record('plan', 'pro');
    await it.telemetry.flush();
    await secondsTo(it, 'the second upload', () => it.sent.uploads.length === 2, [10, 40]);
    await secondsTo(it, 'the third upload', () => it.sent.uploads.length === 3, [10, 40]);
    await comes('outcomes', () => results(it), ['plan recorded', 'plan delivered']);
  });

  test('a timer sends a while after a record, and hiding sends at once', async () => {
    const it = await device();
    it.telemetry.record('plan', 'pro');
    await comes('timers', () => it.clock.timers(), 1);
    it.clock.advance(10_000);
    await comes('uploads', () => it.sent.uploads.length, 1);
    it.telemetry.record('darkMode', true);
    await comes('timers', () => it.clock.timers(), 1);
    await it.tell('flush'); // settles when the flush has: a service worker's event waits for it
    same('uploads, timers', [it.sent.uploads.length, it.clock.timers()], [2, 0]);
  });

  test('what was not sent is sent after the next start, and slots stay taken', async () => {
    const first = await device({ answer: () => ({ status: 503 }) });
    first.telemetry.record('plan', 'pro');
    await first.telemetry.close();
    const next = await device({ storage: first.storage, rng: seededRng(2), day: 1 });
    next.telemetry.record('plan', 'free');
    await next.telemetry.flush();
    same(
      'bodies',
      next.sent.uploads.map(({ body }) => body),
      first.sent.uploads.map(({ body }) => body),
    );
    same('outcomes', results(next), ['plan already-answered', 'plan delivered']);
  });

  test('a permanent metric keeps its symbol through a start, and answers every day at no more cost', async () => {
    const symbol = ({ storage }: Device): unknown =>
      storage.transact(NAME, (stored = '') => ({
        next: undefined,
        result: JSON.parse(stored.slice(stored.indexOf('{'))).accounts.word.epoch.symbol,
      }));
    const first = await device();
    first.telemetry.record('word', 'zephyrous');
    await first.telemetry.close();
    const kept = await symbol(first);
    const next = await device({ storage: first.storage, rng: seededRng(3), day: 1 });
    next.telemetry.record('word', 'another');
    await next.telemetry.flush();
    same('symbol', await symbol(first), kept);
    await assertRecorded(next.sent, 'word');
    same('spent', (await ledger(next.telemetry)).spent, 4);
  });

  test('the ledger tells what is spent and left, and when each metric is asked again', async () => {
    const it = await device();
    recordAll(it.telemetry);
    const { budget, spent, left, today, metrics } = await ledger(it.telemetry);
    same('budget, spent, left, today', [budget, spent, left, today], [{ epsilon: 9, per: 'month' }, 8, 1, '2026-11-20']);
    same(
      'days',
      metrics.map(({ metric, nextDay }) => [metric, nextDay]),
      [
        ['darkMode', '2026-12-20'],
        ['plan', '2026-12-20'],
        ['startupMs', '2026-12-20'],
        ['notes', '2026-12-20'],
        ['word', '2026-11-21'],
      ],
    );
  });

  test('a storage that fails records nothing, and says so', async () => {
    const it = await device({ storage: { transact: () => Promise.reject(new Error('full')) } });
    it.telemetry.record('plan', 'pro');
    await it.telemetry.flush();
    await it.telemetry.close();
    same('outcomes, uploads', [[...results(it)].sort(), it.sent.uploads], [[' storage-failed', 'plan storage-failed'], []]);
  });

  test('a storage that holds something else counts as spent, and its consent as refused', async () => {
    const other = await runtime.storage();
    await other.transact(NAME, () => ({ next: 'something else', result: undefined }));
    const it = await device({ storage: other });
    await comes('outcomes', () => results(it), [' storage-reset']);
    it.telemetry.record('plan', 'pro');
    it.telemetry.consent.grant();
    it.telemetry.record('plan', 'pro');
    await it.telemetry.flush();
    same('outcomes, uploads', [results(it), it.sent.uploads], [[' storage-reset', 'plan no-consent', 'plan already-answered'], []]);
  });

  test('consent is unknown until the storage has answered, and a listener hears of each change', async () => {
    const it = await device({ consent: 'ask' });
    const heard: string[] = [];
    const stop = it.telemetry.consent.subscribe(() => heard.push(it.telemetry.consent.state));
    await comes('state', () => it.telemetry.consent.state, 'ask');
    heard.splice(0); // of what the storage answered later, or had before anybody listened
    it.telemetry.consent.grant();
    it.telemetry.consent.deny();
    stop();
    it.telemetry.consent.grant();
    await it.telemetry.close();
    const next = await device({ consent: 'ask', storage: it.storage });
    await comes('state', () => next.telemetry.consent.state, 'granted');
    same('heard', heard, ['granted', 'denied']);
  });

  test('a device that is not drawn into the sample answers nothing, and stays out', async () => {
    const out = seededRng(1); // whose first word is above the rate
    const it = await device({ sampleRate: 0.000_001, rng: out });
    recordAll(it.telemetry);
    await it.telemetry.close();
    const next = await device({ sampleRate: 0.000_001, rng: seededRng(2), storage: it.storage, day: 1 });
    recordAll(next.telemetry);
    await next.telemetry.close();
    same('outcomes', [...new Set([...it.outcomes, ...next.outcomes].map(({ result }) => result))], ['not-chosen']);
    same('uploads', [it.sent.uploads, next.sent.uploads], [[], []]);
  });

  test('what a page recorded when it was left is counted once it is back', async () => {
    const it = await device();
    await it.telemetry.look(); // no step of the start is under way, which leaving would end
    it.tell('leave');
    it.telemetry.record('plan', 'pro');
    await settle();
    it.tell('return');
    it.telemetry.record('plan', 'free');
    await comes('recorded', () => results(it).filter((result) => result === 'plan recorded').length, 1);
    it.clock.advance(80_000); // what was begun before is left to whoever began it, for a while
    await it.telemetry.close();
    await assertRecorded(it.sent, 'plan');
    same('outcomes', [...results(it)].sort(), ['plan already-answered', 'plan delivered', 'plan recorded']);
  });

  test('without a source of entropy nothing is recorded', async () => {
    const outcomes: Outcome[] = [];
    const sent = memoryTransport(schema);
    const telemetry = createTelemetry({
      schema,
      endpoint: '/t',
      consent: 'granted',
      storage: memoryStorage(),
      transport: sent.transport,
      onOutcome: (outcome) => outcomes.push(outcome),
      ...(runtime.hasEntropy && {
        rng: () => {
          throw new Error('no entropy');
        },
      }),
    });
    telemetry.record('plan', 'pro');
    telemetry.record('word', 'pro');
    await telemetry.close();
    same('outcomes, uploads', [outcomes.map(({ result }) => result), sent.uploads], [['no-entropy', 'no-entropy'], []]);
  });
}
