/** The gateway opens what a relay brings, counts each batch once, tells the relay nothing, and refuses what came past a relay. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, defineSchema } from '@murmuration/client';
import { type Collector, type CollectorOptions, createCollector } from '@murmuration/collector';
import { type BinaryResponse, decodeKeys, decodeResponse, encodeRequest, pairOf, sealRequest, wireName } from '@murmuration/shared';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { admitted, parseRelayFile, type RelayFile, rotated } from '#collector/ingest/relay-keys.ts';
import { createWriteKey } from '#collector/storage/admin/credentials.ts';
import { openAdminDatabase } from '#collector/storage/admin/database.ts';
import { batch, schema } from '../../kit/senders.ts';

const TODAY = 20_000;

/** A file with two keys, of which the first opens messages for ten days more, and a relay. */
const { file, token } = admitted(rotated(rotated(undefined, TODAY, 0), TODAY, 10), 'edge');
const [older, newest] = file.keys as [RelayFile['keys'][number], RelayFile['keys'][number]];

let folder: string;
let opened: Collector | undefined;
let collector: Collector;
let url: string;

async function open(options: Partial<CollectorOptions> = {}): Promise<void> {
  collector = await createCollector({ open: true, schemas: [schema.document], data: folder, relay: file, ...options });
  opened = collector;
  url = await collector.listen(0, '127.0.0.1');
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-gateway-'));
});
afterEach(async () => {
  await opened?.close();
  opened = undefined;
  rmSync(folder, { recursive: true });
});

const counted = async (wire = wireName(schema.document)): Promise<number> =>
  (await collector.store.read({ schemas: [wire], metric: 'plan' })).reports;

/** The configuration of a key. */
const configurationOf = async ({ id, secret }: RelayFile['keys'][number]) => ({
  id,
  publicKey: (await pairOf(Buffer.from(secret, 'base64url'))).publicKey,
});

const inner = (body: string, path = '/v1/reports', method = 'POST'): Uint8Array =>
  encodeRequest({ method, scheme: 'https', authority: 't.example', path, fields: [], content: Buffer.from(body) }, 2_000);

const HEADERS = { authorization: `Bearer ${token}`, 'content-type': 'message/ohttp-req' };

const post = (message: Uint8Array, headers: Record<string, string> = HEADERS): Promise<Response> =>
  fetch(`${url}/v1/relay`, { method: 'POST', body: Buffer.from(message), headers });

interface Answer extends BinaryResponse {
  /** The bytes that the relay sees. */
  readonly bytes: number;
  readonly error?: string;
}

/** Sends a request as the relay does, and opens the answer. */
async function relayed(request: Uint8Array, key = newest): Promise<Answer> {
  const { message, openResponse } = await sealRequest(await configurationOf(key), request);
  const response = await post(message);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'message/ohttp-res']);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const opened = decodeResponse(await openResponse(bytes));
  const text = Buffer.from(opened.content).toString();
  return { ...opened, bytes: bytes.length, ...(text && { error: JSON.parse(text).error }) };
}

describe('a message', () => {
  test('is counted once, however often it comes and in whatever wrapping', async () => {
    await open();
    const body = batch();
    const { message, openResponse } = await sealRequest(await configurationOf(newest), inner(body));
    for (let i = 0; i < 3; i++) {
      const response = await post(message); // a relay that repeats it
      expect(decodeResponse(await openResponse(new Uint8Array(await response.arrayBuffer()))).status).toBe(204);
    }
    expect((await relayed(inner(body))).status).toBe(204); // a device that heard no answer
    expect((await fetch(`${url}/v1/reports`, { method: 'POST', body })).status).toBe(204);
    expect(await counted()).toBe(1);
  });

  test('is answered within the encapsulation, in bytes that do not tell the relay how', async () => {
    await open();
    const answers = [
      await relayed(inner(batch())),
      await relayed(inner(batch([['other', 'AQ']]))),
      await relayed(inner(batch().replace('abuse/1', 'abuse/2'))),
      await relayed(inner('{')),
      await relayed(new Uint8Array(2_000).fill(9)),
      await relayed(inner(batch(), '/v1/metrics', 'GET')),
    ];
    expect(answers.map(({ status, error = '' }) => `${status} ${error}`.trim())).toEqual([
      '204',
      '400 unknown-metric',
      '404 unknown-schema',
      '400 malformed',
      '400 bad-request',
      '400 bad-request',
    ]);
    expect(new Set(answers.map(({ bytes }) => bytes)).size).toBe(1);
    expect(await counted()).toBe(1);
  });

  test('is answered at a multiple of 100 ms, which does not tell the relay whether it was counted', async () => {
    await open();
    const timeOf = async (body: string): Promise<number> => {
      const { message } = await sealRequest(await configurationOf(newest), inner(body));
      const begun = performance.now();
      await (await post(message)).arrayBuffer();
      return performance.now() - begun;
    };
    for (const body of [batch(), '{', batch().replace('abuse/1', 'abuse/2')]) expect(await timeOf(body)).toBeGreaterThan(99);
  });

  test('is answered in the same bytes where what is expected is a long list', async () => {
    const ask = { epsilon: 1, description: 'Which plan?' };
    const segments = { region: Array.from({ length: 40 }, (_, i) => `${i}`.padEnd(40, 'x')) };
    const budget = { epsilon: 2, per: 'month' } as const;
    const wide = defineSchema({ app: 'wide', version: 1, budget, segments, metrics: { plan: choice(['a', 'b', 'c'], ask) } });
    await open({ schemas: [schema.document, wide.document] });
    const counted = await relayed(inner(batch()));
    const refused = await relayed(inner(batch().replace(wireName(schema.document), wide.wire)));
    expect(refused).toMatchObject({ status: 400, error: 'bad-segment', bytes: counted.bytes });
  });

  test('needs a write key of the app like any other batch, and the address of the relay has no limit', async () => {
    const database = openAdminDatabase(folder);
    const { secret } = createWriteKey(database, 'a test', 'abuse', 3);
    database.close();
    await open({ open: false, perMinute: 1 });
    const path = `/v1/reports?key=${secret}`;
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await relayed(inner(batch(), path))).status);
    expect(statuses).toEqual([204, 204, 204, 429]);
    const { fields } = await relayed(inner(batch(), path));
    expect(Number(fields.find(([name]) => name === 'retry-after')?.[1])).toBeGreaterThan(0);
    expect(await relayed(inner(batch()))).toMatchObject({ status: 403, error: 'unknown-key' });
  });

  test('finds the collector below a path of its proxy', async () => {
    await open();
    expect((await relayed(inner(batch(), '/telemetry/v1/reports?key=pk_x'))).status).toBe(204);
  });
});

describe('what is no message', () => {
  test('is refused without encapsulation, and counts nothing', async () => {
    await open();
    const { message } = await sealRequest(await configurationOf(newest), inner(batch()));
    const statusOf = async (headers: Record<string, string>, body = message): Promise<number> => (await post(body, headers)).status;
    const { authorization: _authorization, ...anonymous } = HEADERS;
    expect(await statusOf(anonymous)).toBe(401);
    expect(await statusOf({ ...HEADERS, authorization: 'Bearer rt_other' })).toBe(401);
    for (const type of ['text/plain', 'message/ohttp-request', ';message/ohttp-req'])
      expect(await statusOf({ ...HEADERS, 'content-type': type })).toBe(415);
    expect(await statusOf(HEADERS, new Uint8Array(65_537))).toBe(413);
    for (const wrong of [
      new Uint8Array(),
      new Uint8Array(54),
      message.slice(0, -1),
      message.with(0, 99),
      message.with(60, (message[60] as number) ^ 1),
    ]) {
      const response = await post(wrong);
      expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/problem+json; charset=utf-8']);
      expect(await response.json()).toMatchObject({ type: 'https://iana.org/assignments/http-problem-types#ohttp-key' });
    }
    expect(await counted()).toBe(0);
    expect((await post(message, { ...HEADERS, 'content-type': 'Message/OHTTP-req; charset=x' })).status).toBe(200);
    expect(await counted()).toBe(1);
  });

  test('is refused before it is opened, where its relay has brought as many as it may in a minute', async () => {
    const { file: limited, token: other } = admitted(file, 'small', 3);
    let time = Date.now();
    await open({ relay: limited, now: () => time });
    const junk = new Uint8Array(100);
    const small = { ...HEADERS, authorization: `Bearer ${other}` };
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await post(junk, small)).status);
    expect(statuses).toEqual([400, 400, 400, 429, 429]);
    const refused = await post(junk, small);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await post(junk)).status).toBe(400); // another relay
    time += 60_000;
    expect((await post(junk, small)).status).toBe(400);
    expect((await relayed(inner(batch()))).status).toBe(204);
    const numbers = await (await fetch(`${url}/metrics`)).text();
    expect(numbers.match(/^murmuration_relay_messages_total.*$/gm)?.toSorted()).toEqual([
      'murmuration_relay_messages_total{relay="edge",result="opened"} 1',
      'murmuration_relay_messages_total{relay="edge",result="unopened"} 1',
      'murmuration_relay_messages_total{relay="small",result="limited"} 3',
      'murmuration_relay_messages_total{relay="small",result="unopened"} 4',
    ]);
  });

  test('has no route where the collector has no keys', async () => {
    collector = await createCollector({ open: true, schemas: [schema.document], data: folder });
    opened = collector;
    url = await collector.listen(0, '127.0.0.1');
    expect((await fetch(`${url}/v1/relay`)).status).toBe(404);
    expect((await post(new Uint8Array(100))).status).toBe(404);
  });
});

describe('keys', () => {
  test('the newest is published, and one before it opens messages until its last day', async () => {
    let day = TODAY + 10;
    await open({ now: () => day * 86_400_000 });
    const response = await fetch(`${url}/v1/relay`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/ohttp-keys']);
    expect(decodeKeys(new Uint8Array(await response.arrayBuffer()))).toEqual(await configurationOf(newest));
    const old = await sealRequest(await configurationOf(older), inner(batch()));
    expect((await post(old.message)).status).toBe(200);
    day++;
    expect((await post(old.message)).status).toBe(400);
    expect((await post((await sealRequest(await configurationOf(newest), inner(batch()))).message)).status).toBe(200);
  });

  test('are replaced while the collector runs', async () => {
    await open();
    const next = rotated(file, TODAY, 10);
    await collector.updateRelay(next);
    const published = decodeKeys(new Uint8Array(await (await fetch(`${url}/v1/relay`)).arrayBuffer()));
    expect(published.id).toBe(next.keys.at(-1)?.id);
    expect((await relayed(inner(batch()), next.keys.at(-1))).status).toBe(204);
    await collector.updateRelay({ ...next, relays: [] });
    expect((await post(new Uint8Array(100))).status).toBe(401);
  });

  test('rotate through ids that are free, and drop what opens nothing any more', () => {
    let each: RelayFile | undefined;
    for (let day = 0; day < 600; day++) {
      each = rotated(each, day, 100);
      expect(each.keys.length).toBe(Math.min(day, 101) + 1);
      expect(each.keys.at(-1)?.until).toBeUndefined();
      expect(new Set(each.keys.map(({ id }) => id)).size).toBe(each.keys.length);
    }
    expect(parseRelayFile(JSON.stringify(each))).toEqual(each);
  });

  test('a file with a mistake is refused, and no secret is quoted', () => {
    const wrongs: readonly (readonly [unknown, string])[] = [
      [{ ...file, keys: [] }, 'keys: '],
      [{ ...file, keys: [older, older] }, 'keys: expected ids that differ'],
      [{ ...file, keys: [older, { ...newest, secret: older.secret }] }, 'keys: expected secrets that differ'],
      [{ ...file, keys: [newest, older] }, 'keys: expected a last day for each key but the newest'],
      [{ ...file, keys: [{ ...newest, until: '2020-01-01' }] }, 'keys: expected a last day for each key but the newest'],
      [{ ...file, keys: [{ ...newest, secret: `${newest.secret}\n` }] }, 'keys.0.secret: expected 32 bytes as base64url'],
      [{ ...file, relays: [...file.relays, ...file.relays] }, 'relays: expected names that differ'],
      [{ ...file, keys: [{ ...newest, secret: `${newest.secret}AAAA` }] }, 'keys.0.secret: expected 32 bytes as base64url'],
      [{ ...file, keys: [{ ...newest, id: 256 }] }, 'keys.0.id: '],
      [{ ...file, more: 1 }, 'the file: '],
    ];
    for (const [wrong, reason] of wrongs) {
      expect(() => parseRelayFile(JSON.stringify(wrong))).toThrow(reason);
      expect(() => parseRelayFile(JSON.stringify(wrong))).not.toThrow(newest.secret);
    }
    expect(() => parseRelayFile('{')).toThrow('expected JSON');
  });
});

test("a schema with relay: 'required' is taken from a relay alone", async () => {
  const ask = { epsilon: 1, description: 'Which plan?' };
  const budget = { epsilon: 2, per: 'month' } as const;
  const spec = { app: 'strict', version: 1, budget, relay: 'required', metrics: { plan: choice(['free', 'pro', 'team'], ask) } } as const;
  const strict = defineSchema({ ...spec, reports: 'alone' });
  await open({ schemas: [schema.document, strict.document] });
  const body = batch().replace(wireName(schema.document), strict.wire);
  const direct = await fetch(`${url}/v1/reports`, { method: 'POST', body });
  expect([direct.status, await direct.json()]).toMatchObject([403, { error: 'past-relay' }]);
  expect(await counted(strict.wire)).toBe(0);
  expect((await relayed(inner(body))).status).toBe(204);
  expect(await counted(strict.wire)).toBe(1);
  for (const reports of [{}, { reports: 'together' }] as const)
    expect(() => defineSchema({ ...spec, ...reports })).toThrow("expected 'alone' beside relay: 'required'");
});

test('the public is told once a day whether each group of closed days had as many reports as its schema expects', async () => {
  const ask = { epsilon: 1, description: 'Which plan?' };
  const spec = { app: 'crowd', version: 1, budget: { epsilon: 2, per: 'month' }, relay: 'required', reports: 'alone' } as const;
  const crowds = [2, 3].map((together) =>
    defineSchema({ ...spec, version: together, together, metrics: { plan: choice(['a', 'b'], ask) } }),
  );
  const schemas = crowds.map(({ document }) => document);
  let ahead = 0;
  const now = (): number => Date.now() + ahead * 86_400_000;
  await open({ schemas, now });
  const reached = async (): Promise<readonly unknown[]> => {
    const { apps } = (await (await fetch(`${url}/.well-known/murmuration.json`)).json()) as {
      readonly apps: readonly { readonly schemas: readonly { readonly reached?: boolean }[] }[];
    };
    return (apps[0]?.schemas ?? []).map((each) => each.reached);
  };
  for (const { wire } of crowds)
    for (let i = 0; i < 2; i++)
      expect((await relayed(inner(batch([['plan', 'AA']]).replace(wireName(schema.document), wire)))).status).toBe(204);
  expect(await reached()).toEqual([undefined, undefined]); // the day can still take reports
  await collector.store.fold(); // a thread of its own reads what is folded, and its answer stays for the day
  ahead = 20;
  expect(await reached()).toEqual([false, true]);
  ahead = 60;
  expect(await reached()).toEqual([undefined, undefined]);
});
