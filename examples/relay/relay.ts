/**
 * `node examples/relay/relay.ts --config relay.json [--host H] [--port N]`: a relay of Oblivious HTTP (RFC 9458) in one file. It passes
 * messages to the gateways of its configuration and their answers back. It keeps nothing of either: no address, no body, no time, no line
 * of a log.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';

/** Gateways by the path at which their devices send: `{ "/notes": { "gateway": "https://t.example.com/v1/relay", "token": "rt_…" } }`. */
export interface RelayTargets {
  readonly [path: string]: {
    readonly gateway: string;
    /** The relay's token, which `murmuration relay admit` has printed. */
    readonly token: string;
  };
}

/** A running relay. */
export interface Relay {
  readonly address: string;
  readonly close: () => Promise<void>;
}

const REQUEST = 'message/ohttp-req';
/** The types of a gateway's answers. Nothing else of an answer is passed on but its status and Retry-After. */
const ANSWERS = ['message/ohttp-res', 'application/problem+json'];
const MOST_BYTES = 65_536;
/** Milliseconds for the gateway. A device gives up after nine seconds. */
const PATIENCE = 8_000;
/** Any page may send: a message names nobody, and the gateway takes those of its own apps only. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type',
  'access-control-expose-headers': 'retry-after',
  'access-control-max-age': '86400',
};

/** Why a request is not passed on, as a status; undefined if it is. */
function refusalOf({ method, headers }: IncomingMessage, isKnown: boolean): number | undefined {
  if (!isKnown) return 404;
  if (method !== 'POST') return 405;
  if (headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== REQUEST) return 415;
  if (headers['content-length'] === undefined) return 411;
  return Number(headers['content-length']) > MOST_BYTES ? 413 : undefined;
}

/** Passes a message on. The gateway hears nothing of the request that brought it, not even its headers. */
async function pass(request: IncomingMessage, response: ServerResponse, { gateway, token }: RelayTargets[string]): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const answer = await fetch(gateway, {
    method: 'POST',
    body: Buffer.concat(pieces),
    headers: { 'content-type': REQUEST, authorization: `Bearer ${token}` },
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE),
  });
  const body = Buffer.from(await answer.arrayBuffer());
  const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? '';
  const retryAfter = answer.headers.get('retry-after');
  response.writeHead(answer.status, {
    ...CORS,
    'cache-control': 'no-store',
    ...(ANSWERS.includes(type) && { 'content-type': type }),
    ...(retryAfter !== null && { 'retry-after': retryAfter }),
  });
  response.end(ANSWERS.includes(type) ? body : undefined);
}

/** Starts a relay; port 0 takes a free one. */
export async function startRelay(targets: RelayTargets, port = 0, host = '127.0.0.1'): Promise<Relay> {
  const server = createServer((request, response) => {
    const [pathname = ''] = (request.url ?? '').split('?', 1); // no URL: some targets, as `//`, are none
    const target = Object.hasOwn(targets, pathname) ? targets[pathname] : undefined;
    if (request.method === 'OPTIONS') return void response.writeHead(204, CORS).end();
    const refusal = refusalOf(request, target !== undefined);
    if (refusal !== undefined || target === undefined)
      return void response.writeHead(refusal ?? 404, { ...CORS, connection: 'close' }).end();
    // A device that goes away, and a gateway that does not answer, end here. The device keeps its report and sends it again.
    pass(request, response, target).catch(() => (response.headersSent ? response.destroy() : response.writeHead(502, CORS).end()));
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    address: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeIdleConnections();
      await once(server, 'close');
    },
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      config: { type: 'string', default: 'relay.json' },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '8070' },
    },
  });
  const targets = JSON.parse(readFileSync(values.config, 'utf8')) as RelayTargets;
  const { address, close } = await startRelay(targets, Number(values.port), values.host);
  process.stdout.write(`The relay listens on ${address}, for ${Object.keys(targets).join(', ')}\n`);
  process.once('SIGINT', close).once('SIGTERM', close);
}
