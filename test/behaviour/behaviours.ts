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
  memoryStorage,
  type Outcome,
  permanent,
  type Rng,
  type Storage,
  type Telemetry,
  text,
  type Upload,
} from '@murmuration/client';
import { assertRecorded, type FakeClock, fakeClock, type MemoryTransport, memoryTransport, seededRng } from '@murmuration/client/testing';

const DAY = 86_400_000;

const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 9, per: 'month' },
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
  readonly sent: MemoryTransport;
  readonly outcomes: readonly Outcome[];
  readonly storage: Storage;
  readonly hide: () => unknown;
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

function recordAll(telemetry: Telemetry<Notes>, value = 'zephyrous'): void {
  telemetry.record('darkMode', true);
  telemetry.record('plan', value);
  telemetry.record('startupMs', 4_321.5);
  telemetry.record('notes', 17);
  telemetry.record('word', value);
}

/** The schema's document and a batch of seeded coins: two engines that agree on these agree on laws, coins, hashes and codecs. */
export async function trace(): Promise<string> {
  const { transport, uploads } = memoryTransport();
  const clock = fakeClock(new Date(Date.UTC(2026, 10, 20)));
  const storage = memoryStorage();
  const telemetry = createTelemetry({ schema, endpoint: '/', consent: 'granted', storage, transport, clock, rng: seededRng(7) });
  recordAll(telemetry);
  await telemetry.close();
  return JSON.stringify([schema.wire, schema.document, uploads]);
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
    } = {},
  ): Promise<Device> {
    const { answer, consent = 'granted', day = 0, rng = seededRng(1) } = options;
    const inner = options.storage ?? (await runtime.storage());
    const stored: string[] = [];
    const storage: Storage = {
      getItem: (key) => inner.getItem(key),
      setItem: (key, value) => {
        stored.push(value);
        return inner.setItem(key, value);
      },
    };
    const outcomes: Outcome[] = [];
    const clock = fakeClock(new Date(Date.UTC(2026, 10, 20) + day * DAY));
    const sent = memoryTransport(answer);
    let hide = (): unknown => undefined;
    const telemetry = createTelemetry({
      schema,
      endpoint: 'https://t.example.com/',
      key: 'pk 1',
      consent,
      storage,
      transport: sent.transport,
      clock,
      rng,
      lifecycle: (hidden) => {
        hide = hidden;
        return () => {};
      },
      onOutcome: (outcome) => outcomes.push(outcome),
    });
    return { telemetry, clock, sent, outcomes, storage: inner, stored, hide: () => hide() };
  }

  const results = ({ outcomes }: Device): readonly string[] => outcomes.map(({ metric, result }) => `${metric ?? ''} ${result}`);

  test('the same schema and the same coins give the same bytes as in Node', async () => {
    same('trace', await trace(), runtime.trace);
  });

  test('what is recorded is sent as it was shown, and once', async () => {
    const it = await device();
    recordAll(it.telemetry);
    await settle();
    const shown = await it.telemetry.preview();
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
    await settle();
    it.telemetry.consent.deny();
    it.telemetry.record('plan', 'pro');
    await it.telemetry.flush();
    same('state, uploads, timers', [it.telemetry.consent.state, it.sent.uploads, it.clock.timers()], ['denied', [], 0]);
    it.telemetry.consent.grant();
    it.telemetry.record('plan', 'pro');
    await comes('last', () => results(it).slice(-1), ['plan already-answered']);
    same('spent', (await it.telemetry.ledger()).spent, 8);
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
    it.hide();
    it.clock.advance(599_000);
    await settle();
    same('uploads before it is time', it.sent.uploads.length, 1);
    it.clock.advance(2_000);
    await comes('uploads', () => it.sent.uploads.length, 2);
    await settle();
    it.clock.advance(3_600_000);
    await comes('outcomes', () => results(it), ['plan recorded', 'plan delivered']);
    same('bytes', [...new Set(it.sent.uploads.map(({ body }) => body))].length, 1);
  });

  test('a batch that is refused for good is not sent again', async () => {
    const it = await device({ answer: () => ({ status: 400 }) });
    it.telemetry.record('plan', 'pro');
    await it.telemetry.flush();
    await it.telemetry.flush();
    same('uploads, outcomes', [it.sent.uploads.length, results(it)], [1, ['plan recorded', 'plan refused']]);
  });

  test('a timer sends a while after a record, and hiding sends at once', async () => {
    const it = await device();
    it.telemetry.record('plan', 'pro');
    await comes('timers', () => it.clock.timers(), 1);
    it.clock.advance(10_000);
    await comes('uploads', () => it.sent.uploads.length, 1);
    it.telemetry.record('darkMode', true);
    await comes('timers', () => it.clock.timers(), 1);
    await it.hide(); // settles when the flush has: a service worker's event waits for it
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
    const symbol = (state: string | null): unknown => JSON.parse(state ?? '{}').accounts.word.epoch.symbol;
    const first = await device();
    first.telemetry.record('word', 'zephyrous');
    await first.telemetry.close();
    const kept = symbol(await first.storage.getItem('murmuration:notes'));
    const next = await device({ storage: first.storage, rng: seededRng(3), day: 1 });
    next.telemetry.record('word', 'another');
    await next.telemetry.flush();
    same('symbol', symbol(await first.storage.getItem('murmuration:notes')), kept);
    await assertRecorded(next.sent, 'word');
    same('spent', (await next.telemetry.ledger()).spent, 4);
  });

  test('the ledger tells what is spent and left, and when each metric is asked again', async () => {
    const it = await device();
    recordAll(it.telemetry);
    const { budget, spent, left, today, metrics } = await it.telemetry.ledger();
    same('budget, spent, left', [budget, spent, left], [{ epsilon: 9, per: 'month' }, 8, 1]);
    same(
      'days',
      metrics.map(({ metric, nextDay }) => [metric, nextDay - today]),
      [
        ['darkMode', 30],
        ['plan', 30],
        ['startupMs', 30],
        ['notes', 30],
        ['word', 1],
      ],
    );
  });

  test('a storage that fails records nothing; one that holds something else counts as spent', async () => {
    const full = { ...memoryStorage(), setItem: () => Promise.reject(new Error('full')) };
    const it = await device({ storage: full });
    it.telemetry.record('plan', 'pro');
    await it.telemetry.flush();
    same('outcomes, uploads', [results(it), it.sent.uploads], [['plan storage-failed'], []]);
    const other = memoryStorage();
    other.setItem('murmuration:notes', 'something else');
    const reset = await device({ storage: other });
    reset.telemetry.record('plan', 'pro');
    await reset.telemetry.flush();
    same('outcomes', results(reset), [' storage-reset', 'plan already-answered']);
  });

  test('without a source of entropy nothing is recorded', async () => {
    const outcomes: Outcome[] = [];
    const sent = memoryTransport();
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
