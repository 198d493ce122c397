/** Tokens on a device: one a slot at most, the same request at each try, an hour before the report, and nothing of it depends on an answer. */

import { type Consent, createTelemetry, defineSchema, flag, memoryStorage, type Storage } from '@murmuration/client';
import { relayTransport, type Tokens } from '@murmuration/client/relay';
import { seededRng } from '@murmuration/client/testing';
import { slotTokens } from '@murmuration/client/tokens';
import { type Batch, type Cadence, encodeKeys, pairOf, parseDay, slotName, slotOf } from '@murmuration/shared';
import { ristretto255_oprf } from '@noble/curves/ed25519.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { uniforms } from '../kit/random.ts';
import { KEY, type RunningIssuer, SECRET, startIssuer } from '../kit/tokens.ts';
import { FIRST_DAY, settle, timeOf } from './device.ts';

const HOUR = 3_600_000;
const ask = { epsilon: 1, description: 'a question' };
const budget = { epsilon: 400, per: 'month' } as const;
const alone = { app: 'notes', budget, reports: 'alone', relay: 'required' } as const;
const schema = defineSchema({ ...alone, version: 1, metrics: { dark: flag({ ...ask, every: 'week' }) } });

const weekly = flag({ ...ask, every: 'week' });
const many = defineSchema({
  ...alone,
  version: 2,
  metrics: { dark: weekly, old: weekly, big: weekly, late: flag({ ...ask, every: 'week', otherwise: false }) },
});

describe('RFC 9497, A.1.3', () => {
  const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  /** Randomness from which a scalar comes: the library takes 48 bytes modulo the order less one, and adds one. */
  const drawn = (scalar: string) => () => {
    const less = BigInt(`0x${hex(bytes(scalar).reverse())}`) - 1n;
    return bytes(less.toString(16).padStart(96, '0')).reverse();
  };
  const blind = '64d37aed22a27f5191de1c1d69fadb899d8862b58eb4220029e036ec4c1f6706';
  const nonce = '222a5e897cf59db8145db8d16e597e8facb80ae7d4e26d9881aa6f61d645fc0e';

  test.each([
    {
      input: '00',
      blinded: 'c8713aa89241d6989ac142f22dba30596db635c772cbf25021fdd8f3d461f715',
      evaluated: '1a4b860d808ff19624731e67b5eff20ceb2df3c3c03b906f5693e2078450d874',
      proof:
        '41ad1a291aa02c80b0915fbfbb0c0afa15a57e2970067a602ddb9e8fd6b7100de32e1ecff943a36f0b10e3dae6bd266cdeb8adf825d86ef27dbc6c0e30c52206',
      output:
        'ca688351e88afb1d841fde4401c79efebb2eb75e7998fa9737bd5a82a152406d38bd29f680504e54fd4587eddcf2f37a2617ac2fbd2993f7bdf45442ace7d221',
    },
    {
      input: '5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a',
      blinded: 'f0f0b209dd4d5f1844dac679acc7761b91a2e704879656cb7c201e82a99ab07d',
      evaluated: '8c3c9d064c334c6991e99f286ea2301d1bde170b54003fb9c44c6d7bd6fc1540',
      proof:
        '4c39992d55ffba38232cdac88fe583af8a85441fefd7d1d4a8d0394cd1de77018bf135c174f20281b3341ab1f453fe72b0293a7398703384bed822bfdeec8908',
      output:
        '7c6557b276a137922a0bcfc2aa2b35dd78322bd500235eb6d6b6f91bc5b56a52de2d65612d503236b321f5d0bebcbc52b64b92e426f29c9b8b69f52de98ae507',
    },
  ])('input $input: the blinded element, the evaluation, the proof and the output', (vector) => {
    const prf = ristretto255_oprf.poprf(bytes('7465737420696e666f'));
    const { secretKey, publicKey } = prf.deriveKeyPair(new Uint8Array(32).fill(0xa3), bytes('74657374206b6579'));
    expect(hex(secretKey)).toBe('145c79c108538421ac164ecbe131942136d5570b16d8bf41a24d4337da981e07');
    expect(hex(publicKey)).toBe('c647bef38497bc6ec077c22af65b696efa43bff3b4a1975a3e8e0a1c5a79d631');
    const input = bytes(vector.input);
    const mine = prf.blind(input, publicKey, drawn(blind));
    expect([hex(mine.blind), hex(mine.blinded)]).toEqual([blind, vector.blinded]);
    const { evaluated, proof } = prf.blindEvaluate(secretKey, mine.blinded, drawn(nonce));
    expect([hex(evaluated), hex(proof)]).toEqual([vector.evaluated, vector.proof]);
    expect(hex(prf.finalize(input, mine.blind, evaluated, mine.blinded, proof, mine.tweakedKey))).toBe(vector.output);
    expect(hex(prf.evaluate(secretKey, input))).toBe(vector.output);
    proof[0] = (proof[0] as number) ^ 1;
    expect(() => prf.finalize(input, mine.blind, evaluated, mine.blinded, proof, mine.tweakedKey)).toThrow();
  });
});

/** A version of an app, which is in use for so many days. */
interface Version {
  readonly every: Cadence;
  readonly otherwise?: boolean;
  readonly days: number;
}

/** The slots of the reports that a device sends while it has these versions, one after another, and opens the app on some days. */
async function slotsOf(versions: readonly Version[], openDays: number, seed: number): Promise<string[]> {
  const random = uniforms(seed);
  const storage = memoryStorage();
  const sent: string[] = [];
  let begin = FIRST_DAY + Math.floor(random() * 400);
  for (const [i, { every, otherwise, days }] of versions.entries()) {
    const metric = flag({ ...ask, every, ...(otherwise && { otherwise: false }) });
    const { wire, questions, document, ...rest } = defineSchema({ ...alone, version: i + 1, metrics: { asked: metric } });
    let now = 0;
    for (let day = begin; day < begin + days; day++) {
      if (random() > openDays) continue;
      now = (day + random()) * 24 * HOUR;
      const telemetry = createTelemetry({
        schema: { wire, questions, document, ...rest },
        endpoint: 'https://t.example.com',
        consent: 'granted',
        debug: false,
        storage,
        rng: seededRng(seed * 100_003 + day),
        clock: { now: () => now, after: () => () => undefined },
        transport: async ({ body }) => {
          const { schema: name, day: text, reports }: Batch = JSON.parse(body);
          const { every: asked } = versions[Number(name.split('/')[1]) - 1] as Version; // as the collector counts
          sent.push(...reports.map(([metric]) => slotName('notes', metric, asked, slotOf(asked, parseDay(text) as number))));
          return { status: 204 };
        },
      });
      if (random() < 0.8) telemetry.record('asked', random() < 0.5);
      await telemetry.flush();
      await settle();
    }
    begin += days;
  }
  return sent;
}

describe('the reports of a device are each of a slot of their own', () => {
  const lives = (['day', 'week', 'month', 'year', 'once'] as const).flatMap((every) =>
    [false, true].flatMap((otherwise) => (every === 'once' && otherwise ? [] : [{ every, otherwise }])),
  );
  test.each(lives)('every $every, otherwise: $otherwise, for two years', async ({ every, otherwise }) => {
    let reports = 0;
    for (let seed = 1; seed <= 3; seed++) {
      const sent = await slotsOf([{ every, otherwise, days: 800 }], seed % 3 === 0 ? 0.1 : seed % 3 === 1 ? 0.5 : 0.97, seed);
      expect(new Set(sent).size).toBe(sent.length);
      reports += sent.length;
    }
    expect(reports).toBeGreaterThan(1);
  });

  test('while versions ask more often, less often, or get an otherwise', async () => {
    const cadences = ['day', 'week', 'month', 'week'] as const;
    for (let seed = 1; seed <= 12; seed++) {
      const random = uniforms(seed + 1_000);
      const versions = Array.from({ length: 14 }, (_, i): Version => {
        const every = cadences[Math.floor(random() * 4)] as Cadence;
        return { every, otherwise: i > 9, days: 10 + Math.floor(random() * 60) };
      });
      const sent = await slotsOf(versions, 0.9, seed);
      expect(new Set(sent).size).toBe(sent.length);
      expect(sent.length).toBeGreaterThan(30);
    }
  });
});

let issuer: RunningIssuer;
let now = timeOf(0);
beforeAll(async () => {
  issuer = await startIssuer({ schemas: [schema.document, many.document], now: () => now });
});
afterAll(() => issuer.close());
beforeEach(() => {
  now = timeOf(1);
  issuer.asked.length = 0;
});

/** Tokens of an account of its own, unless one is named. */
let accounts = 0;
const tokensOf = (storage: Storage = memoryStorage(), more: object = {}, account = `account ${accounts++}`): Tokens =>
  slotTokens({ schema, issuer: issuer.address, key: KEY, headers: () => ({ account }), storage, now: () => now, ...more });

const idOf = (i: number): string => i.toString(16).padStart(32, '0');
const batchOf = (i: number, { day = '2026-11-20', metric = 'dark' } = {}): Parameters<Tokens> => [
  { schema: schema.wire, batch: idOf(i + 1_000), day, reports: [[metric, 'AQ']] },
  async ({ batch }) => idOf(Number.parseInt(batch, 16) - 1_000),
];
const TOKENS = 'murmuration:notes:tokens';

describe('a token', () => {
  test('is asked for when its report is first due, and given from an hour later on, also after a restart', async () => {
    const storage = memoryStorage();
    expect(await tokensOf(storage)(...batchOf(1))).toEqual({ status: 425 });
    now += HOUR - 1;
    expect(await tokensOf(storage)(...batchOf(1))).toEqual({ status: 425 });
    now += 1;
    const token = await tokensOf(storage)(...batchOf(1));
    expect(token).toEqual([['authorization', expect.stringMatching(/^PrivateToken token=[A-Za-z0-9_-]{43}$/)]]);
    now += 13 * 24 * HOUR;
    expect(await tokensOf(storage)(...batchOf(1))).toEqual(token);
    expect(issuer.asked.length).toBe(1);
  });

  test('is the output of RFC 9497 for the batch, its day and its slot, and the request tells none of the first two', async () => {
    const storage = memoryStorage();
    await tokensOf(storage)(...batchOf(2));
    now += HOUR;
    const prf = ristretto255_oprf.poprf(Buffer.from('notes/7/2968/dark'));
    const { secretKey } = prf.deriveKeyPair(Buffer.from(SECRET, 'base64url'), Buffer.from('murmuration tokens'));
    const output = prf.evaluate(secretKey, Buffer.from(`${FIRST_DAY}/${idOf(2)}`));
    expect(await tokensOf(storage)(...batchOf(2))).toEqual([
      ['authorization', `PrivateToken token=${Buffer.from(output.slice(0, 32)).toString('base64url')}`],
    ]);
    expect(JSON.parse(issuer.asked[0]?.body as string)).toEqual({ metric: 'dark', every: 'week', slot: 2_968, blinded: expect.anything() });
  });

  test('is asked for in the same bytes after a kill that lost the answer, and given again', async () => {
    const account = 'killed';
    const first = tokensOf(
      { transact: (_key, update) => (update(undefined).next === undefined ? undefined : Promise.reject()) as never },
      {},
      account,
    );
    await expect(first(...batchOf(3))).rejects.toBeUndefined();
    issuer.restart();
    expect(await tokensOf(memoryStorage(), {}, account)(...batchOf(3))).toEqual({ status: 425 });
    expect(issuer.asked[1]).toEqual(issuer.asked[0]);
  });

  test('is not given a second time in a slot, and the batch ends', async () => {
    await tokensOf(memoryStorage(), {}, 'one person')(...batchOf(4));
    expect(await tokensOf(memoryStorage(), {}, 'one person')(...batchOf(5))).toEqual({ status: 409, body: '{"error":"conflict"}' });
  });

  test('of an issuer with a key of its own is refused on the device', async () => {
    const storage = memoryStorage();
    const other = Buffer.from(ristretto255_oprf.oprf.generateKeyPair().publicKey).toString('base64url');
    expect(await tokensOf(storage, { key: other })(...batchOf(6))).toEqual({ status: 403, body: '{"error":"bad-token"}' });
    expect(storage.transact(TOKENS, (stored) => ({ next: undefined, result: stored }))).toBeUndefined();
  });

  test('is waited for where the issuer is away, or asks for a pause, or knows no account', async () => {
    await expect(tokensOf(memoryStorage(), { issuer: 'http://127.0.0.1:9/' })(...batchOf(7))).rejects.toThrow();
    expect(await tokensOf(memoryStorage(), { headers: () => ({}) })(...batchOf(7))).toMatchObject({ status: 401 });
    expect(await tokensOf()(...batchOf(7, { metric: 'of an older version' }))).toEqual({ status: 425 });
  });

  test('is deleted when its report has expired', async () => {
    const storage = memoryStorage();
    await tokensOf(storage)(...batchOf(8));
    now += 17 * 24 * HOUR;
    await tokensOf(storage)(...batchOf(9, { day: '2026-12-07' }));
    const stored = storage.transact(TOKENS, (text) => ({ next: undefined, result: text })) as string;
    expect(Object.keys(JSON.parse(stored))).toEqual([idOf(9)]);
  });
});

/** Opens the app, which records each metric and tries to send; the relay is away. */
async function open(storage: Storage, seed: number, account: string, value: boolean): Promise<{ readonly consent: Consent }> {
  const keys = Buffer.from(encodeKeys([{ id: 3, publicKey: (await pairOf(new Uint8Array(32).fill(7))).publicKey }])).toString('base64url');
  const telemetry = createTelemetry({
    ...{ schema: many, endpoint: 'https://t.example.com', consent: 'granted', debug: false, storage },
    rng: seededRng(seed),
    clock: { now: () => now, after: () => () => undefined },
    transport: relayTransport({
      ...{ schema: many, keys, relay: 'http://127.0.0.1:9/', now: () => now },
      tokens: tokensOf(storage, { schema: many }, account),
    }),
  });
  for (const metric of ['dark', 'old', 'big', 'late'] as const) telemetry.record(metric, value);
  await telemetry.flush();
  return telemetry;
}

const metricsAsked = (): unknown[] => issuer.asked.map(({ body }) => JSON.parse(body).metric).sort();

test('a short visit asks for the tokens of all reports that are due, and the next one for none of them again', async () => {
  const storage = memoryStorage();
  await open(storage, 1, 'short visits', true);
  await expect.poll(metricsAsked).toEqual(['big', 'dark', 'old']);
  now += 24 * HOUR;
  await open(storage, 2, 'short visits', true);
  now += 8 * 24 * HOUR; // the slot of `late` is over, and the others have begun again
  await open(storage, 3, 'short visits', true);
  await expect.poll(metricsAsked).toEqual(['big', 'big', 'dark', 'dark', 'late', 'old', 'old']);
});

test('a person who refuses is not asked for any more: one request may be on its way', async () => {
  const { consent } = await open(memoryStorage(), 4, 'refuses', true);
  const before = issuer.asked.length;
  consent.deny();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(before).toBe(1);
  expect(issuer.asked.length).toBeLessThanOrEqual(2);
});

test('two lives with other answers ask for tokens at the same times, in the same bytes', async () => {
  const lives: string[][] = [];
  for (const value of [true, false]) {
    issuer.asked.length = 0;
    const storage = memoryStorage();
    const times: string[] = [];
    for (const day of [0, 1, 2, 9]) {
      now = timeOf(day) + 9 * HOUR;
      await open(storage, day + 7, `life ${value}`, value);
      await expect.poll(() => issuer.asked.length).toBe(day < 9 ? 3 : 7);
      times.push(`${day} ${issuer.asked.length}`);
    }
    lives.push([...times, ...issuer.asked.map(({ body }) => body)]);
  }
  expect(lives[1]).toEqual(lives[0]);
});

describe('options', () => {
  const keys = async (): Promise<string> =>
    Buffer.from(encodeKeys([{ id: 3, publicKey: (await pairOf(new Uint8Array(32).fill(7))).publicKey }])).toString('base64url');

  test('a mistake is named while the app is developed', async () => {
    const relay = { relay: 'https://relay.example/notes', keys: await keys(), tokens: tokensOf() };
    const open = defineSchema({ ...alone, version: 2, relay: undefined as never, metrics: schema.document.metrics && { dark: flag(ask) } });
    expect(() => relayTransport({ ...relay, schema: open })).toThrow("schema.relay: expected 'required' beside tokens");
    const least = (tokens: Tokens | undefined): number => {
      try {
        relayTransport({ ...relay, schema, size: 99, tokens: tokens as Tokens });
      } catch (error) {
        return Number(/at least (\d+)/.exec(`${error}`)?.[1]);
      }
      return 0;
    };
    expect(least(tokensOf()) - least(undefined)).toBe(80);
    expect(() => tokensOf(memoryStorage(), { key: 'AAAA' })).toThrow('key: expected 32 bytes as base64url, got 3');
    const options = {
      schema,
      endpoint: 'https://t.example.com',
      storage: memoryStorage(),
      transport: relayTransport({ ...relay, schema }),
    };
    expect(() => createTelemetry({ ...options, upload: 'later' })).toThrow('upload: expected');
    expect(() => createTelemetry(options)).not.toThrow();
  });
});
