/** The transport through a relay: one report a message, one size, a moment of its own, and nothing that the relay says counts. */

import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { choice, createTelemetry, type Delivery, defineSchema, flag, memoryStorage, type Upload } from '@murmuration/client';
import { unary } from '@murmuration/client/mechanisms';
import { noblePrimitives } from '@murmuration/client/noble';
import { relayTransport, type Tokens } from '@murmuration/client/relay';
import { testTransport } from '@murmuration/client/testing';
import { type Batch, decodeRequest, encodeKeys, encodeResponse, openRequest, pairOf, webCrypto } from '@murmuration/shared';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { momentIn } from '../kit/linkage/fleet.ts';
import { type RunningServer, startServer } from '../kit/transport-server.ts';
import { device, settle, type Time, timeOf } from './device.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const ask = { epsilon: 1, description: 'a question' };
const names = Array.from({ length: 6 }, (_, i) => `m${i}`);
const spec = {
  app: 'notes',
  budget: { epsilon: 400, per: 'month' },
  metrics: {
    ...Object.fromEntries(names.map((name) => [name, flag({ ...ask, every: 'week' })])),
    list: choice(
      Array.from({ length: 60 }, (_, i) => `answer ${i}`),
      { ...ask, epsilon: 0.2, every: 'week' },
    ),
  },
} as const;
const schema = defineSchema({ ...spec, version: 1, reports: 'alone', relay: 'required' });
const open = defineSchema({ ...spec, version: 2, reports: 'alone' });

/** What the gateway opened: the batch, the bytes that the relay saw, and when. */
interface Opened {
  readonly batch: Batch;
  readonly path: string;
  readonly fields: readonly (readonly [string, string])[];
  readonly bytes: number;
  readonly at: number;
}

let server: Server;
let relay: string;
let keys: string;
let opened: Opened[] = [];
let now = timeOf(0);
/** How the gateway answers, and what a relay answers in its place. */
let answer: (batch: Batch) => { readonly status: number; readonly retryAfter?: string };
let instead: { readonly status: number; readonly type: string; readonly body: string } | undefined;
/** Where requests go instead of `opened`. */
let target: RunningServer | undefined;

beforeAll(async () => {
  const pair = await pairOf(new Uint8Array(32).fill(7));
  keys = Buffer.from(encodeKeys([{ id: 3, publicKey: pair.publicKey }])).toString('base64url');
  server = createServer(async (request, response) => {
    const message = await buffer(request);
    if (instead) return void response.writeHead(instead.status, { 'content-type': instead.type }).end(instead.body);
    const { request: inner, sealResponse } = await openRequest(message, () => pair);
    const { path, content, fields } = decodeRequest(inner);
    const body = Buffer.from(content).toString();
    if (target) {
      const at = `${target.address}${path}`;
      const answered = await fetch(at, { method: 'POST', body, headers: fields as [string, string][], redirect: 'manual' }).catch(
        () => undefined,
      );
      if (!answered) return void request.socket.destroy();
      const retryAfter = answered.headers.get('retry-after');
      const sealed = encodeResponse(
        {
          status: answered.status,
          fields: retryAfter === null ? [] : [['retry-after', retryAfter]],
          content: Buffer.from(await answered.arrayBuffer()),
        },
        1_024,
      );
      return void response.writeHead(200, { 'content-type': 'message/ohttp-res' }).end(await sealResponse(sealed));
    }
    const batch: Batch = JSON.parse(body);
    opened.push({ batch, path, fields, bytes: message.length, at: now });
    const { status, retryAfter } = answer(batch);
    const sealed = encodeResponse({ status, fields: retryAfter ? [['retry-after', retryAfter]] : [], content: new Uint8Array() }, 1_024);
    response.writeHead(200, { 'content-type': 'message/ohttp-res' }).end(await sealResponse(sealed));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  relay = `http://127.0.0.1:${(server.address() as AddressInfo).port}/notes`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  opened = [];
  now = timeOf(0);
  answer = () => ({ status: 204 });
  instead = undefined;
  target = undefined;
});

const transport = (more: object = {}) => relayTransport({ schema, relay, keys, now: () => now, ...more });

const bodyOf = (batch: string, day = '2026-11-20', metric = 'm0', wire = schema.wire): string =>
  JSON.stringify({ v: 1, schema: wire, day, batch, reports: [[metric, 'AQ']] });

const idOf = (i: number): string => i.toString(16).padStart(32, '0');
const url = 'https://t.example.com/v1/reports?key=pk_x';

describe('a message', () => {
  test('holds the batch for the address of the collector, and every message of the schema has one size', async () => {
    now = timeOf(3);
    for (const [i, metric] of [...names, 'list'].entries()) {
      const body = bodyOf(idOf(i), '2026-11-20', metric).replace('"AQ"', metric === 'list' ? `"${'A'.repeat(10)}"` : '"AQ"');
      expect(await transport()({ url, body })).toEqual({ status: 204, retryAfter: 0, body: undefined });
    }
    expect(new Set(opened.map(({ path }) => path))).toEqual(new Set(['/v1/reports?key=pk_x']));
    expect(opened.map(({ bytes }) => bytes)).toEqual(new Array(7).fill(1_024 + 55));
    expect(opened.map(({ batch }) => batch.reports[0]?.[0])).toEqual([...names, 'list']);
  });

  test('carries an id that does not tell its moment, the same at each try', async () => {
    now = timeOf(3);
    for (let i = 0; i < 2; i++) await transport()({ url, body: bodyOf(idOf(5)) });
    const ids = opened.map(({ batch }) => batch.batch);
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(ids[0]).not.toBe(idOf(5));
  });

  test('carries the same id after an update of the app, so that a report whose answer was lost counts once', async () => {
    now = timeOf(3);
    await transport()({ url, body: bodyOf(idOf(5)) });
    await transport({ schema: { ...schema, wire: 'notes/2/0123456789abcdef' } })({ url, body: bodyOf(idOf(5)) });
    expect(opened.map(({ batch }) => batch.batch)).toEqual([opened[0]?.batch.batch, opened[0]?.batch.batch]);
    expect(opened[0]?.batch.batch).not.toBe(idOf(5));
  });

  test('holds its token in the same size, is not sent without one, and an id that is not hidden gets none', async () => {
    now = timeOf(3);
    const asked: (readonly [string, string])[] = [];
    const token = ['authorization', `PrivateToken token=${'A'.repeat(43)}`] as const;
    const tokens: Tokens = async (batch, sentId) => {
      asked.push([(await sentId(batch)) as string, batch.batch]);
      return asked.length === 1 ? { status: 425 } : [token];
    };
    expect(await transport({ tokens })({ url, body: bodyOf(idOf(5)) })).toEqual({ status: 425 });
    expect(opened).toEqual([]);
    await transport({ tokens })({ url, body: bodyOf(idOf(5)) });
    await transport()({ url, body: bodyOf(idOf(6)) });
    await transport({ tokens, since: 4 })({ url, body: bodyOf(idOf(7)) });
    expect(opened.map(({ bytes }) => bytes)).toEqual(new Array(3).fill(1_024 + 55));
    expect(opened.map(({ fields }) => fields.slice(1))).toEqual([[token], [], []]);
    expect(asked).toEqual(new Array(2).fill([opened[0]?.batch.batch, idOf(5)]));
  });

  test('keeps the id where the schema may also be sent past a relay, and that of a version before the relay', async () => {
    now = timeOf(3);
    await transport({ since: 4 })({ url, body: bodyOf(idOf(5), '2026-11-20', 'm0', 'notes/3/0123456789abcdef') });
    await transport({ schema: open })({ url, body: bodyOf(idOf(6), '2026-11-20', 'm0', open.wire) });
    expect(opened.map(({ batch }) => batch.batch)).toEqual([idOf(5), idOf(6)]);
  });
});

test('without a transport, a schema that requires a relay is refused in development', () => {
  expect(() => createTelemetry({ schema, endpoint: 'https://t.example.com', storage: memoryStorage() })).toThrow(
    "transport: expected relayTransport(...) beside a schema with relay: 'required'",
  );
});

describe('the moment', () => {
  test('has passed for a device that slept while it sealed a message, which then does not leave', async () => {
    now = timeOf(3);
    const slept = transport()({ url, body: bodyOf(idOf(1)) });
    now += MINUTE;
    expect(await slept).toEqual({ status: 425 });
    expect(opened).toEqual([]);
    expect(await transport()({ url, body: bodyOf(idOf(1)) })).toMatchObject({ status: 204 });
  });

  test('lies in the 24 hours after the day, evenly, and does not depend on when the report was recorded or asked for', async () => {
    instead = { status: 503, type: 'text/plain', body: '' }; // sent, without the work of a gateway
    for (let i = 0; i < 20; i++) {
      const moment = momentIn(idOf(i * 7_919), '2026-11-20');
      expect([moment >= timeOf(1), moment < timeOf(2)]).toEqual([true, true]);
      for (const [at, status] of [
        [moment - 1, 425],
        [moment + 1, 503],
      ] as const) {
        now = at;
        expect((await transport()({ url, body: bodyOf(idOf(i * 7_919)) })).status).toBe(status); // in each context, at each try
      }
    }
    // 1,600 ids at one time: the count of those that are sent is binomial.
    now = timeOf(1) + 6 * HOUR;
    const send = transport();
    const statuses = await Promise.all(
      Array.from({ length: 1_600 }, (_, i) => send({ url, body: bodyOf(idOf(i + 1)) }).then(({ status }) => status)),
    );
    const sent = statuses.filter((status) => status === 503).length;
    expect(Math.abs(sent - 400) / Math.sqrt(1_600 * 0.25 * 0.75)).toBeLessThan(5.2); // p below 10^-6
  });

  test('is the end of the day with hours: 0, and passes where the clock was set back', async () => {
    now = timeOf(1) - 1;
    expect((await transport({ hours: 0 })({ url, body: bodyOf(idOf(1)) })).status).toBe(425);
    now = timeOf(1);
    expect((await transport({ hours: 0 })({ url, body: bodyOf(idOf(1)) })).status).toBe(204);
    now = timeOf(-2);
    expect((await transport()({ url, body: bodyOf(idOf(2)) })).status).toBe(204);
  });
});

/** The time of all contexts is that of the server. */
const time: Time = {
  get now() {
    return now;
  },
  set now(value) {
    now = value;
  },
};

/** Messages on their way, in all tabs. */
let pending = 0;

/** Opens the app, records, lives for so long, and is killed. The clock waits for messages on their way. */
const visit = async (
  storage: ReturnType<typeof memoryStorage>,
  seed: number,
  lasting: number,
  metrics: readonly string[] = [],
  value = true,
) => {
  const send = transport();
  const counted = async (upload: Upload): Promise<Delivery> => {
    pending++;
    try {
      return await send(upload);
    } finally {
      pending--;
    }
  };
  const it = device(schema, { storage, time, seed, transport: counted });
  for (const metric of metrics) it.telemetry.record(metric as never, value as never);
  for (const end = now + lasting; now < end; ) {
    await it.live(Math.min(9_000, end - now));
    while (pending > 0) await settle();
    await settle();
  }
  return it;
};

describe('a device', () => {
  test('that is open all the time sends each report once, at a moment of its own', async () => {
    const it = await visit(memoryStorage(), 1, 10 * DAY, names);
    expect(
      it.outcomes
        .filter(({ result }) => result === 'delivered')
        .map(({ metric }) => metric)
        .sort(),
    ).toEqual(names);
    expect(opened.map(({ batch }) => batch.reports.length)).toEqual(new Array(6).fill(1));
    expect(new Set(opened.map(({ batch }) => batch.batch)).size).toBe(6);
    const moments = opened.map(({ at }) => (at - timeOf(0)) / DAY);
    expect(Math.min(...moments)).toBeGreaterThan(1);
  });

  test('that is killed after two minutes of each day, while most answers are lost, sends each report under one id', async () => {
    const storage = memoryStorage();
    let tries = 0;
    answer = () => ({ status: ++tries % 3 === 0 ? 204 : 503 });
    for (let day = 0; day < 8; day++) {
      now = timeOf(day) + 9 * HOUR;
      await visit(storage, day + 2, 2 * MINUTE, day === 0 ? names : []);
    }
    answer = () => ({ status: 204 });
    await visit(storage, 20, 5 * DAY);
    const bodies = opened.map(({ batch }) => JSON.stringify(batch));
    expect(bodies.length).toBeGreaterThan(6);
    expect(new Set(bodies).size).toBe(6);
    expect(new Set(opened.map(({ batch }) => batch.reports[0]?.[0])).size).toBe(6);
  });
});

test('two tabs at once send each report under one id', async () => {
  const storage = memoryStorage();
  await visit(storage, 60, MINUTE, names);
  let tries = 0;
  answer = () => ({ status: ++tries % 2 === 0 ? 204 : 503 });
  for (let day = 1; day < 12; day++) {
    now = timeOf(day);
    await Promise.all([visit(storage, day + 100, 2 * HOUR), visit(storage, day + 200, 2 * HOUR)]);
  }
  expect(new Set(opened.map(({ batch }) => JSON.stringify(batch))).size).toBe(6);
});

describe('two lives with other answers', () => {
  test('send messages of the same sizes, ids and metrics at the same times', async () => {
    const lives: string[][] = [];
    for (const value of [true, false]) {
      opened = [];
      now = timeOf(0) + 9 * HOUR;
      const storage = memoryStorage();
      for (let day = 0; day < 9; day++) {
        now = timeOf(day) + 9 * HOUR;
        await visit(storage, day + 40, 2 * MINUTE, day % 7 === 0 ? names : [], value);
      }
      lives.push(opened.map(({ at, bytes, batch }) => `${at} ${bytes} ${batch.batch} ${batch.day} ${batch.reports[0]?.[0]}`));
    }
    expect(lives[0]?.length).toBeGreaterThan(4);
    expect(lives[1]).toEqual(lives[0]);
  });
});

describe('what a relay answers', () => {
  test.each([
    [204, 'text/plain', ''],
    [200, 'text/html', '<p>welcome'],
    [410, 'application/json', '{"error":"retired","stop":true}'],
    [400, 'application/problem+json', '{"type":"https://iana.org/assignments/http-problem-types#ohttp-key"}'],
    [503, 'text/plain', ''],
  ])('%i %s settles nothing', async (status, type, body) => {
    now = timeOf(3);
    instead = { status, type, body };
    const delivery: Delivery = await transport()({ url, body: bodyOf(idOf(1)) });
    expect(delivery.status).toBeGreaterThanOrEqual(400);
    expect(delivery.body).toBeUndefined();
  });

  test('bytes that the collector has not sealed are no answer', async () => {
    now = timeOf(3);
    instead = { status: 200, type: 'message/ohttp-res', body: 'x'.repeat(1_056) };
    await expect(transport()({ url, body: bodyOf(idOf(1)) })).rejects.toThrow();
  });

  test('an answer without an end is not read to its end', async () => {
    now = timeOf(3);
    const piece = Buffer.alloc(65_536);
    const endless = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'message/ohttp-res' });
      const more = (): void => void (response.destroyed || response.write(piece, more));
      more();
    }).listen(0, '127.0.0.1');
    await once(endless, 'listening');
    const address = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/notes`;
    expect(await transport({ relay: address })({ url, body: bodyOf(idOf(1)) })).toEqual({ status: 0 });
    endless.close();
    await once(endless, 'close'); // no connection is left
  });

  test('an answer that is longer than any is not decrypted where responses have no streams', async () => {
    now = timeOf(3);
    const arrayBuffer = async (): Promise<ArrayBuffer> => new ArrayBuffer(65_537);
    vi.stubGlobal('fetch', async () => ({ headers: new Headers({ 'content-type': 'message/ohttp-res' }), arrayBuffer }));
    expect(await transport()({ url, body: bodyOf(idOf(1)) })).toEqual({ status: 0 });
    vi.unstubAllGlobals();
  });

  test('the pause that the collector asks for arrives', async () => {
    now = timeOf(3);
    answer = () => ({ status: 429, retryAfter: '7' });
    expect(await transport()({ url, body: bodyOf(idOf(1)) })).toMatchObject({ status: 429, retryAfter: 7 });
  });
});

describe.each([
  { by: 'WebCrypto', primitives: webCrypto },
  { by: 'noble', primitives: noblePrimitives() },
])('as any transport, by $by', ({ primitives }) => {
  beforeAll(async () => {
    suite = await startServer();
  });
  beforeEach(() => {
    target = suite;
  });
  afterAll(() => suite?.close());
  let suite: RunningServer | undefined;
  const late = { address: 'https://t.example.com', received: () => suite?.received() ?? [] };
  testTransport(test, (upload) => transport({ primitives })(upload), late);
});

describe('without WebCrypto', () => {
  beforeEach(() => vi.stubGlobal('crypto', undefined));
  afterEach(() => void vi.unstubAllGlobals());

  test('an app is told which option it lacks', () => {
    expect(() => transport()).toThrow('primitives: expected noblePrimitives() of @murmuration/client/noble where there is no WebCrypto');
  });

  test('it is told so where WebCrypto has no X25519, though that shows later', async () => {
    const complaint = vi.spyOn(console, 'error').mockReturnValue();
    const generateKey = () => Promise.reject(new DOMException('Unrecognized name.', 'NotSupportedError'));
    vi.stubGlobal('crypto', { subtle: { generateKey } });
    transport();
    await settle();
    expect(String(complaint.mock.calls[0]?.[0])).toMatch(/^RangeError: primitives: expected noblePrimitives\(\) .* has no X25519/);
    complaint.mockRestore();
  });

  test('a report is sent under the id and at the moment that it has with WebCrypto', async () => {
    const primitives = noblePrimitives((bytes) => webcrypto.getRandomValues(bytes));
    now = momentIn(idOf(5), '2026-11-20') - 1;
    expect(await transport({ primitives })({ url, body: bodyOf(idOf(5)) })).toEqual({ status: 425 });
    vi.unstubAllGlobals(); // for the gateway
    now += 2;
    for (const more of [{ primitives }, {}]) expect(await transport(more)({ url, body: bodyOf(idOf(5)) })).toMatchObject({ status: 204 });
    expect(new Set(opened.map(({ batch, bytes }) => `${bytes} ${batch.batch}`)).size).toBe(1);
  });
});

describe('options', () => {
  const long = defineSchema({
    ...{ app: 'notes', version: 3, budget: spec.budget, reports: 'alone', segments: { platform: ['web', 'ios'] } },
    metrics: {
      page: choice(
        Array.from({ length: 6_000 }, (_, i) => `page ${i}`),
        { ...ask, mechanism: unary() },
      ),
    },
  });
  test.each([
    [{ schema: defineSchema({ ...spec, version: 4 }) }, "schema.reports: expected 'alone'"],
    [{ keys: 'ACkBACA…' }, 'keys: expected the text that `murmuration relay rotate` prints, got ACkBACA…'],
    [{ keys: 'AAAA' }, 'relay keys: expected application/ohttp-keys'],
    [{ relay: '/relay' }, 'relay: expected an address such as https://relay.example/notes, got /relay'],
    [{ hours: 200 }, 'hours: expected 0 to 168'],
    [{ size: 300 }, 'size: expected at least'],
    [{ schema: long }, 'size: expected at least'],
  ])('%#: a mistake is named while the app is developed', (more, reason) => {
    expect(() => transport(more)).toThrow(reason);
  });
});

test('an app passes it to createTelemetry', () => {
  const telemetry = createTelemetry({ schema, endpoint: 'https://t.example.com', transport: transport(), storage: memoryStorage() });
  expect(telemetry.consent.state).toBeDefined();
});
