/** Alerts: each new sign is posted once to a real server, signed, tried again where that may help, and never waited for. */

import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import type { Sign } from '#collector/answers/signs.ts';
import { alertsAddress, startAlerts } from '#collector/server/alerts.ts';

const sign = (metric: string, day: string): Sign => ({
  ...{ app: 'notes', metric, kind: 'law', day, segments: [], reports: 900, pValue: 1e-9, level: 1e-6 },
  evidence: 'the cells differ from what the law allows',
});

interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let server: Server | undefined;
let stop: (() => void) | undefined;
afterEach(() => {
  stop?.();
  server?.closeAllConnections();
  server?.close();
});

/** Starts alerts to a server that answers so, one status after the other; 0 never answers. */
async function alerting(statuses: readonly number[], looks: readonly (readonly Sign[])[]) {
  const got: Got[] = [];
  const errors: unknown[] = [];
  server = createServer(async (request, response) => {
    const status = statuses[Math.min(got.length, statuses.length - 1)] as number;
    got.push({ headers: request.headers, body: await text(request) });
    if (status > 0) response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let look = 0;
  const signs = async (): Promise<readonly Sign[]> => looks[Math.min(look++, looks.length - 1)] as readonly Sign[];
  stop = startAlerts({
    url: `http://:s%C3%A9cret@127.0.0.1:${port}/hook`,
    signs,
    log: { error: (...told: unknown[]) => errors.push(told) },
    every: 5,
    pause: 1,
  });
  return { got, errors, looked: () => look };
}

const [old, fresh, other] = [sign('plan', '2026-11-01'), sign('dark', '2026-11-02'), sign('dark', '2026-11-03')];

test('signs of the start are known, and each later one is posted once, signed by the secret', async () => {
  const { got, looked } = await alerting([204], [[old], [fresh, old], [fresh, old], [other, fresh, old]]);
  await expect.poll(() => [got.length, looked()]).toEqual([2, expect.toSatisfy((looks: number) => looks > 8)]);
  expect(got.map(({ body }) => (JSON.parse(body) as { signs: unknown }).signs)).toEqual([[fresh], [other]]);
  expect(JSON.parse(got[0]?.body ?? '')).toHaveProperty('text', 'notes/dark, 2026-11-02: the cells differ from what the law allows');
  for (const { headers, body } of got) {
    expect(headers['x-murmuration-signature']).toBe(`sha256=${createHmac('sha256', 'sécret').update(body).digest('hex')}`);
    expect(headers.authorization).toBeUndefined();
  }
});

test('a server that fails gets the same alert again, with the same id, five times at most', async () => {
  const { got, errors, looked } = await alerting([500, 503, 429, 500, 500, 204], [[], [fresh]]);
  await expect.poll(() => errors).toHaveLength(1);
  const before = looked();
  await expect.poll(() => looked()).toBeGreaterThan(before + 3);
  expect(got).toHaveLength(5);
  expect(new Set(got.map(({ headers, body }) => `${headers['x-murmuration-id']} ${body}`)).size).toBe(1);
});

test('an alert that is refused is not sent again, and the log has no path and no secret', async () => {
  const { got, errors } = await alerting([400], [[], [fresh]]);
  await expect.poll(() => errors).toHaveLength(1);
  expect(got).toHaveLength(1);
  expect(JSON.stringify(errors)).not.toMatch(/hook|cret/);
});

test('it ends at once while a server does not answer', async () => {
  const { got, errors } = await alerting([0], [[], [fresh]]);
  await expect.poll(() => got).toHaveLength(1);
  stop?.();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(errors).toEqual([]);
});

test.each(['', 'hooks.example', 'file:///etc/passwd', 'javascript:alert(1)'])('%j is no address of alerts', (address) => {
  expect(() => alertsAddress(address)).toThrow('expected an address');
});
