/** The conformance suite for transports, observed by a server that the caller provides. */

import type { Delivery, Transport } from '../adapters/transport.ts';
import type { Maybe } from '../maybe.ts';
import { expectSame, type Test } from './expect.ts';

/** A request as the server received it. Header names are in lower case. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly body: string;
}

/**
 * A server for the suite. It answers `/status/503?x=1` with 503, `/retry-after/7` with 429 and `Retry-After: 7`, and `/redirect` with 307
 * to `/status/204`. It answers `/refusal` with 410 and the body `{"error":"retired"}`, and closes the connection of `/nothing` without a
 * response.
 */
export interface TransportServer {
  readonly address: string;
  /** Everything received since the last call. */
  readonly received: () => Maybe<readonly Received[]>;
}

/** A body like that of a batch, with characters of one to four bytes. */
const BODY = `{"v":1,"reports":[["é€\u{1f426}","${'A'.repeat(5_000)}"]]}`;

/**
 * Tests a transport.
 *
 * @example testTransport(test, fetchTransport, server);
 */
export function testTransport(test: Test, transport: Transport, server: TransportServer): void {
  const send = async (path: string): Promise<Delivery> => {
    await server.received();
    return transport({ url: `${server.address}${path}`, body: BODY });
  };
  const requests = async (): Promise<readonly Received[]> => (await server.received()).filter(({ method }) => method !== 'OPTIONS');

  test('a transport sends the body as it is, once, by POST', async () => {
    await send('/status/204?key=a%20b');
    expectSame(
      'requests',
      (await requests()).map(({ method, path, body }) => [method, path, body]),
      [['POST', '/status/204?key=a%20b', BODY]],
    );
  });

  test('a transport sends plain text, and neither cookie nor referrer nor credentials', async () => {
    await send('/status/204');
    const [request] = await requests();
    const { 'content-type': type, cookie, referer, authorization } = request?.headers ?? {};
    expectSame('content-type', String(type).replace(/;.*/, ''), 'text/plain');
    expectSame('cookie, referer, authorization', [cookie, referer, authorization], [undefined, undefined, undefined]);
  });

  for (const status of [200, 204, 400, 404, 409, 410, 413, 429, 500, 503]) {
    test(`a transport tells of the status ${status}, and does not try again on its own`, async () => {
      expectSame('status', (await send(`/status/${status}`)).status, status);
      expectSame('requests', (await requests()).length, 1);
    });
  }

  test('a transport tells how long it is asked to wait', async () => {
    const { status, retryAfter } = await send('/retry-after/7');
    expectSame('status and retryAfter', [status, retryAfter], [429, 7]);
    expectSame('retryAfter', (await send('/status/503')).retryAfter ?? 0, 0);
  });

  test('a transport passes on what a refusal says, because nothing else ends a batch', async () => {
    const { status, body } = await send('/refusal');
    expectSame('status and body', [status, body?.trim()], [410, '{"error":"retired"}']);
  });

  test('a transport rejects, or says 0, when there is no answer', async () => {
    expectSame('status', (await send('/nothing').catch(() => ({ status: 0 }))).status, 0);
  });

  test('a transport follows no redirect', async () => {
    const { status } = await send('/redirect').catch(() => ({ status: 0 }));
    expectSame('a final status', status >= 200 && status < 300, false);
    expectSame(
      'paths',
      (await requests()).map(({ path }) => path),
      ['/redirect'],
    );
  });
}
