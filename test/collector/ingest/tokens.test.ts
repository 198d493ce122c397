/** Tokens at the collector and the issuer: a report is counted with the token of its own batch, and an account gets one a slot. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { choice, defineSchema, flag } from '@murmuration/client';
import { type Collector, createCollector } from '@murmuration/collector';
import { tokenIssuer } from '@murmuration/collector/tokens';
import {
  dayNumber,
  dayText,
  decodeResponse,
  encodeRequest,
  pairOf,
  sealRequest,
  slotDays,
  slotName,
  slotOf,
  tokenInput,
} from '@murmuration/shared';
import { ristretto255_oprf } from '@noble/curves/ed25519.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { admitted, parseRelayFile, type RelayFile, rotated, withTokens } from '#collector/ingest/relay-keys.ts';
import { tokenPair } from '#collector/ingest/tokens.ts';
import { type RunningIssuer, SECRET, startIssuer } from '../../kit/tokens.ts';

const ask = { epsilon: 1, description: 'Which plan?' };
const spec = { app: 'paid', version: 1, budget: { epsilon: 20, per: 'month' }, relay: 'required', reports: 'alone' } as const;
const metrics = {
  plan: choice(['free', 'pro', 'team'], { ...ask, every: 'week' }),
  dark: flag({ ...ask, every: 'week' }),
  first: flag({ ...ask, every: 'once' }),
};
const schema = defineSchema({ ...spec, metrics });
const other = defineSchema({ ...spec, app: 'free', metrics });
const TODAY = dayNumber(Date.now());

const idOf = (i: number): string => i.toString(16).padStart(32, '0');

/** The token that the secret gives, as an honest issuer and device make it together. */
function tokenFor(id: string, { app = 'paid', metric = 'plan', every = 'week' as const, day = TODAY, secret = SECRET } = {}): string {
  const prf = ristretto255_oprf.poprf(Buffer.from(slotName(app, metric, every, slotOf(every, day))));
  const output = prf.evaluate(tokenPair(secret).secretKey, Buffer.from(tokenInput(id, day)));
  return `PrivateToken token=${Buffer.from(output.subarray(0, 32)).toString('base64url')}`;
}

describe('the gateway', () => {
  const { file: admittedFile, token: relayToken } = admitted(rotated(undefined, TODAY, 0), 'edge');
  const file: RelayFile = { ...admittedFile, tokens: [{ app: 'paid', secret: SECRET, from: dayText(TODAY - 3) }] };
  let folder: string;
  let collector: Collector;
  let url: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'murmuration-gateway-'));
    collector = await createCollector({ open: true, schemas: [schema.document, other.document], data: folder, relay: file });
    url = await collector.listen(0, '127.0.0.1');
  });
  afterEach(async () => {
    await collector.close();
    rmSync(folder, { recursive: true });
  });

  const bodyOf = (id: string, { metric = 'plan', day = TODAY, wire = schema.wire, reports = [] as string[][] } = {}): string =>
    JSON.stringify({ v: 1, schema: wire, day: dayText(day), batch: id, reports: reports.length > 0 ? reports : [[metric, 'AA']] });

  /** Sends a batch as the relay does, and says how it was answered, and in how many bytes. */
  async function send(body: string, authorization?: string): Promise<readonly [answer: string, bytes: number]> {
    const [key] = file.keys as [RelayFile['keys'][number]];
    const fields = [['content-type', 'text/plain'], ...(authorization === undefined ? [] : [['authorization', authorization]])] as [
      string,
      string,
    ][];
    const parts = { method: 'POST', scheme: 'https', authority: 't.example', path: '/v1/reports', fields, content: Buffer.from(body) };
    const configuration = { id: key.id, publicKey: (await pairOf(Buffer.from(key.secret, 'base64url'))).publicKey };
    const { message, openResponse } = await sealRequest(configuration, encodeRequest(parts, 1_024));
    const headers = { authorization: `Bearer ${relayToken}`, 'content-type': 'message/ohttp-req' };
    const response = await fetch(`${url}/v1/relay`, { method: 'POST', body: Buffer.from(message), headers });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { status, content } = decodeResponse(await openResponse(bytes));
    const text = Buffer.from(content).toString();
    return [`${status} ${text && JSON.parse(text).error}`.trim(), bytes.length];
  }

  const counted = async (wire = schema.wire): Promise<number> => (await collector.store.read({ schemas: [wire], metric: 'plan' })).reports;

  test('counts a report with the token of its batch, metric and slot, once, and refuses others in answers of the same size', async () => {
    const id = idOf(1);
    const wrong = [
      undefined,
      '',
      'PrivateToken token=',
      'PrivateToken token=AAAA',
      'Bearer AAAA',
      `PrivateToken token=${'A'.repeat(43)}`,
      tokenFor(idOf(2)),
      tokenFor(id, { metric: 'dark' }),
      tokenFor(id, { day: TODAY - 7 }),
      tokenFor(id, { app: 'free' }),
      tokenFor(id, { secret: Buffer.alloc(32, 8).toString('base64url') }),
    ];
    const sizes = new Set<number>();
    for (const token of wrong) {
      const [answer, bytes] = await send(bodyOf(id), token);
      expect([answer, token]).toEqual(['403 bad-token', token]);
      sizes.add(bytes);
    }
    expect(await counted()).toBe(0);
    for (let i = 0; i < 3; i++) {
      const [answer, bytes] = await send(bodyOf(id), tokenFor(id));
      expect(answer).toBe('204');
      sizes.add(bytes);
    }
    expect(await counted()).toBe(1);
    expect(sizes.size).toBe(1);
  });

  test('counts no batch twice on two days of one slot', async () => {
    const id = idOf(3);
    const once = (day: number): string => tokenFor(id, { metric: 'first', every: 'once' as never, day });
    expect((await send(bodyOf(id, { metric: 'first' }), once(TODAY)))[0]).toBe('204');
    expect((await send(bodyOf(id, { metric: 'first', day: TODAY - 1 }), once(TODAY)))[0]).toBe('403 bad-token');
    expect((await send(bodyOf(id, { metric: 'dark' }), once(TODAY)))[0]).toBe('403 bad-token');
  });

  test('takes one report beside a token, none past the relay, and all of days and apps that need none', async () => {
    const id = idOf(4);
    const two = [
      ['dark', 'AA'],
      ['plan', 'AA'],
    ];
    expect((await send(bodyOf(id, { reports: two }), tokenFor(id)))[0]).toBe('403 bad-token');
    const direct = await fetch(`${url}/v1/reports`, { method: 'POST', body: bodyOf(id), headers: { authorization: tokenFor(id) } });
    expect(direct.status).toBe(403);
    expect(await counted()).toBe(0);
    expect((await send(bodyOf(idOf(5), { day: TODAY - 4 })))[0]).toBe('204');
    expect((await send(bodyOf(idOf(6), { wire: other.wire })))[0]).toBe('204');
    await collector.updateRelay(admittedFile);
    expect((await send(bodyOf(id)))[0]).toBe('204');
  });
});

describe('the file', () => {
  const file = rotated(undefined, TODAY, 0);

  test('gets a key for an app once, and keeps it when keys rotate and relays are admitted', () => {
    const { file: first, key } = withTokens(file, 'paid', TODAY);
    expect(withTokens(first, 'paid', TODAY + 5)).toEqual({ file: first, key });
    const { file: last } = admitted(rotated(first, TODAY, 10), 'edge');
    expect(parseRelayFile(JSON.stringify(last)).tokens).toEqual([key]);
    expect(key).toEqual({ app: 'paid', secret: expect.stringMatching(/^[\w-]{43}$/), from: dayText(TODAY) });
  });

  test('with a mistake in a key of tokens is refused, and no secret is quoted', () => {
    const wrong = { ...file, tokens: [{ app: 'paid', secret: `${SECRET}AA`, from: dayText(TODAY) }] };
    expect(() => parseRelayFile(JSON.stringify(wrong))).toThrow('tokens.0.secret: expected 32 bytes as base64url');
    expect(() => parseRelayFile(JSON.stringify(wrong))).not.toThrow(SECRET);
  });
});

describe('the issuer', () => {
  let issuer: RunningIssuer;
  let now = Date.now();
  beforeAll(async () => {
    issuer = await startIssuer({ schemas: [schema.document], now: () => now });
  });
  afterAll(() => issuer.close());
  beforeEach(() => {
    now = Date.now();
  });

  const blinded = (seed: number): string => {
    const prf = ristretto255_oprf.poprf(Buffer.from('any'));
    const { publicKey } = tokenPair(SECRET);
    return Buffer.from(prf.blind(Buffer.from(`${seed}`), publicKey, (length = 0) => new Uint8Array(length).fill(seed)).blinded).toString(
      'base64url',
    );
  };
  const slot = slotOf('week', TODAY);
  const asks = (more: object = {}): object => ({ metric: 'plan', every: 'week', slot, blinded: blinded(1), ...more });

  async function issue(
    account: string | undefined,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; error?: string; evaluated?: string }> {
    const response = await fetch(issuer.address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(account && { account }), ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, ...((await response.json()) as object) };
  }

  test('gives an account one token for a metric and slot: the same again, and no other', async () => {
    const first = await issue('ada', asks());
    expect(first).toMatchObject({
      status: 200,
      evaluated: expect.stringMatching(/^[\w-]{43}$/),
      proof: expect.stringMatching(/^[\w-]{86}$/),
    });
    issuer.restart();
    expect(await issue('ada', asks())).toEqual(first); // also its proof, which has coins
    for (let i = 2; i < 12; i++) expect(await issue('ada', asks({ blinded: blinded(i) }))).toMatchObject({ status: 409, error: 'spent' });
    expect((await issue('ada', asks({ metric: 'dark', blinded: blinded(2) }))).status).toBe(200);
    expect((await issue('ada', asks({ slot: slot - 1, blinded: blinded(3) }))).status).toBe(200);
    expect((await issue('bob', asks({ blinded: blinded(4) }))).status).toBe(200);
  });

  test('of many that ask at once for an account, gives one a token', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => issue('hasty', asks({ blinded: blinded(i + 1) }))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test.each([
    [{ metric: 'plans' }, 'unknown-metric'],
    [{ metric: 'toString' }, 'unknown-metric'],
    [{ every: 'day', slot: TODAY }, 'unknown-metric'],
    [{ slot: slot + 2 }, 'bad-slot'],
    [{ slot: slot - 4 }, 'bad-slot'],
    [{ slot: 0.5 }, 'bad-request'],
    [{ blinded: 'AA' }, 'bad-request'],
    [{ blinded: 'A'.repeat(43) }, 'bad-request'], // the identity
    [{ more: 1 }, 'bad-request'],
  ])('%j is refused', async (more, error) => {
    expect(await issue('eve', asks(more))).toMatchObject({ status: 400, error });
  });

  test('knows no account of others, and no request that another page can make', async () => {
    expect(await issue(undefined, asks())).toMatchObject({ status: 401, error: 'no-account' });
    expect((await issue('ada', asks(), { 'content-type': 'text/plain' })).status).toBe(415);
  });

  test.each([
    [null, 401],
    ['', 401],
    [{ id: 'ada' }, 500],
    [7, 500],
    [Promise.reject.bind(Promise, undefined), 500],
    ['ada', 200],
  ])('takes the account %j: %i', async (account, status) => {
    const accountOf = (typeof account === 'function' ? account : () => account) as never;
    const { address, close } = await startIssuer({ schemas: [schema.document], accountOf });
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(address, { method: 'POST', headers, body: JSON.stringify(asks()) })).status).toBe(status);
    close();
  });

  test('keeps neither accounts nor slots in clear, and deletes a row 60 days after the last report of its slot', async () => {
    const rows = (): Record<string, unknown>[] => {
      const database = new DatabaseSync(join(issuer.data, 'tokens.sqlite'), { readOnly: true });
      const all = database.prepare('SELECT * FROM issued').all();
      database.close();
      return all;
    };
    await issue('a long name', asks());
    await issue('a long name', asks({ metric: 'first', every: 'once', slot: 0 }));
    const before = rows();
    expect(Object.keys(before[0] as object)).toEqual(['slot', 'blinded', 'answer', 'until']);
    expect(before.every(({ slot }) => (slot as Uint8Array).length === 32)).toBe(true);
    issuer.restart(); // empties the log of the file into it
    expect(readFileSync(join(issuer.data, 'tokens.sqlite')).includes('a long name')).toBe(false);
    const [, last] = slotDays('week', slot);
    now = (last + 14) * 86_400_000;
    await issue('later', asks());
    expect(rows().length).toBeGreaterThan(2);
    now += 86_400_000;
    expect((await issue('later', asks({ blinded: blinded(2) }))).status).toBe(400);
    expect(rows().length).toBeGreaterThan(2); // the clock may be ahead
    now += 60 * 86_400_000;
    expect((await issue('later', asks({ blinded: blinded(2) }))).status).toBe(400);
    expect(rows().map(({ until }) => until)).toEqual([10 ** 9 + 13]);
  });

  test('is of one app, with its secret', () => {
    const data = join(tmpdir(), 'murmuration-never');
    expect(() => tokenIssuer({ secret: SECRET, schemas: [schema.document, other.document], data, accountOf: () => 'a' })).toThrow(
      'one app',
    );
    expect(() => tokenIssuer({ secret: 'rt_other', schemas: [schema.document], data, accountOf: () => 'a' })).toThrow('secret: expected');
  });
});
