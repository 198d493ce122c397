/** What is under way on a connection: all that was accepted is answered, in its turn, whatever comes after it and however the connection ends. */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collector, createCollector } from '@murmuration/collector';
import { afterEach, describe, expect, test } from 'vitest';
import type { Timeouts } from '#collector/server/http/server.ts';
import type { Entry } from '#collector/storage/store.ts';
import { batch, head, raw, report, schema } from '../../kit/senders.ts';

/** Longer than any test: what ends sooner was not ended by it. */
const NEVER = 10 ** 9;
const PATIENT: Timeouts = { headers: NEVER, request: NEVER, idle: NEVER };
/** Longer than a machine may stop for a moment: time that passes meanwhile is the sender's. */
const HASTY: Timeouts = { headers: 3_000, request: 5_000, idle: NEVER };

const NOWHERE = 'GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n';

let folder: string;
let collector: Collector;
let url: string;
let counted: Entry[];
/** Lets the store answer. */
let commit: () => void;

/** A collector whose commits wait until they are told. */
async function open(timeouts = PATIENT): Promise<void> {
  counted = [];
  folder = mkdtempSync(join(tmpdir(), 'murmuration-connections-'));
  const { promise, resolve } = Promise.withResolvers<void>();
  commit = resolve;
  collector = await createCollector({
    open: true,
    schemas: [schema.document],
    data: folder,
    leastFree: 0,
    timeouts,
    openStore: async () => ({
      append: (entry) => {
        counted.push(entry);
        return promise.then(() => 'counted');
      },
      fold: async () => {},
      read: async () => ({ tallies: new Map(), reports: 0, from: null, to: null, ones: [] }),
      totals: async () => [],
      source: { file: '' },
      expire: async () => {},
      publish: async () => {},
      failed: new Promise(() => {}),
      close: async () => {},
    }),
  });
  url = await collector.listen(0, '127.0.0.1');
}

afterEach(async () => {
  commit();
  await collector.close();
  rmSync(folder, { recursive: true });
});

/** The answers on a connection, each a status and whether it is said to be the last. */
const answersOf = (said: string): readonly (readonly [status: number, isLast: boolean])[] =>
  said
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((each) => each !== '')
    .map((each) => [Number(each.slice(9, 12)), /\r\nconnection: close\r\n/i.test(each)]);

const waiting = (requests: number): Promise<void> => expect.poll(() => counted.length).toBe(requests);

/** Until the collector has dealt with what was sent before. */
const roundTrip = async (): Promise<void> => void (await (await fetch(`${url}/v1/metrics`)).text());

/** Until a request that is half sent has been turned away, and with it those that were half sent before. */
async function late(half: string): Promise<void> {
  const { answer } = await raw(url, half);
  expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
}

describe('what comes after a request that waits for its commit', () => {
  test('garbage is not answered in its place: the request is, and then the connection ends', async () => {
    await open();
    const { socket, answer } = await raw(url, NOWHERE + report());
    await waiting(1);
    for (const garbage of ['garbage\r\n\r\n', 'and more of it']) {
      await roundTrip();
      socket.write(garbage);
    }
    await roundTrip();
    commit();
    expect(answersOf(await answer)).toEqual([
      [404, false],
      [204, true],
    ]);
  });

  test('nor are headers that take too long', async () => {
    await open(HASTY);
    const { answer } = await raw(url, `${report()}POST /v1/rep`);
    await waiting(1);
    await late('POST /v1/rep');
    commit();
    expect(answersOf(await answer)).toEqual([[204, true]]);
  });

  test('a body that takes too long is 408 in its turn, and no longer counted when it comes in the end', async () => {
    await open(HASTY);
    const body = batch();
    const { socket, answer } = await raw(url, report() + head(Buffer.byteLength(body)) + body.slice(0, 9));
    await waiting(1);
    await late(head(9));
    socket.write(body.slice(9));
    await roundTrip();
    commit();
    const said = await answer;
    expect(answersOf(said)).toEqual([
      [204, false],
      [408, true],
    ]);
    expect(said).toMatch(/\r\n\r\n\{"error":"timeout","expected":"[^\n]*\}\n$/);
    expect(counted).toHaveLength(1);
  });

  test('headers that come in the end were answered already', async () => {
    await open(HASTY);
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {}); // what it says in the end may meet a reset
    const text = report();
    socket.resume().write(text.slice(0, 9));
    await once(socket, 'end');
    socket.end(text.slice(9));
    await roundTrip();
    expect(counted).toHaveLength(0);
  });

  test('a request that follows an answer that ends the connection is not accepted', async () => {
    await open();
    const chunked = 'POST /v1/reports HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    const { answer } = await raw(url, report() + chunked + report());
    await waiting(1);
    await roundTrip();
    commit();
    expect(answersOf(await answer)).toEqual([
      [204, false],
      [411, true],
    ]);
    expect(counted).toHaveLength(1);
  });
});

describe('a collector that stops', () => {
  test('answers all requests of a connection, says only with the last that it ends, and takes no others', async () => {
    await open();
    const { socket, answer } = await raw(url, report() + report());
    await waiting(2);
    const closing = collector.close();
    socket.write(report());
    await expect.poll(() => socket.bytesWritten).toBe(3 * report().length);
    commit();
    expect(answersOf(await answer)).toEqual([
      [204, false],
      [204, true],
    ]);
    await closing;
    expect(counted).toHaveLength(2);
  });

  test('ends a connection whose last answer is written already, waits for those before, and takes no others', async () => {
    await open();
    const text = report();
    const other = await raw(url, text.slice(0, -1));
    const { socket, answer } = await raw(url, report() + report('{}'));
    await waiting(1);
    await roundTrip();
    const closing = collector.close();
    socket.write(report());
    await expect.poll(() => socket.writableLength).toBe(0);
    other.socket.write(text.slice(-1)); // is read after that
    await waiting(2);
    commit();
    expect(answersOf(await answer)).toEqual([
      [204, false],
      [400, false],
    ]);
    await closing;
    expect(counted).toHaveLength(2);
  });

  test('does not wait for connections that never said a word', async () => {
    await open();
    const silent = connect(Number(new URL(url).port), '127.0.0.1');
    await once(silent, 'connect');
    await roundTrip();
    silent.resume();
    let isClosed = false;
    const closing = collector.close().then(() => {
      isClosed = true;
    });
    await expect.poll(() => [isClosed, silent.closed]).toEqual([true, true]);
    expect(silent.bytesRead).toBe(0); // and no answer to a request that nobody made
    await closing;
  });

  test('waits no longer for headers than headers may take, and as long for a body as a request may take', async () => {
    await open({ ...PATIENT, headers: HASTY.headers });
    commit();
    const body = batch();
    const slow = await raw(url, head(Buffer.byteLength(body)));
    await roundTrip();
    const [half, text] = [await raw(url, 'POST /v1/rep'), report()];
    const soon = await raw(url, text.slice(0, 9));
    await roundTrip();
    const closing = collector.close();
    soon.socket.write(text.slice(9));
    expect(answersOf(await soon.answer)).toEqual([[204, true]]);
    // The stop ends it in silence, unless the server's own look at its connections comes first.
    expect([[], [[408, true]]]).toContainEqual(answersOf(await half.answer));
    slow.socket.write(body);
    expect(answersOf(await slow.answer)).toEqual([[204, true]]);
    await closing;
  });
});

describe('what Node would answer by itself is one line of JSON too', () => {
  test.each([
    [
      'another Expect',
      head(2, 'Expect: a-miracle\r\n'),
      417,
      '{"error":"bad-expectation","expected":"no Expect but 100-continue","got":"a-miracle"}\n',
    ],
    [
      'no Host',
      'POST /v1/reports HTTP/1.1\r\nContent-Length: 2\r\n\r\n',
      400,
      '{"error":"bad-request","expected":"a Host","got":"none"}\n',
    ],
    ['no HTTP', 'never heard of it\r\n\r\n', 400, '{"error":"bad-request","expected":"a well-formed request","got":"another"}\n'],
    [
      'long headers',
      `GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      '{"error":"headers-too-large","expected":"at most 16 KiB of headers","got":"more"}\n',
    ],
  ])('%s', async (_what, text, status, problem) => {
    await open();
    const said = await (await raw(url, text)).answer;
    expect(answersOf(said)).toEqual([[status, true]]);
    expect(said.slice(said.indexOf('\r\n\r\n') + 4)).toBe(problem);
  });
});
