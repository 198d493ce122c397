/**
 * @module Reports through a relay (Oblivious HTTP, RFC 9458): the relay knows addresses and can't read a message, the collector reads reports
 * and learns no address. Each message holds one report, has the same size as any other of the schema, and leaves at a random time of its own.
 */

import {
  type Batch,
  type BinaryRequest,
  decodeKeys,
  decodeResponse,
  encodeRequest,
  fromBase64url,
  fromBigEndian,
  fromUtf8,
  joined,
  MAX_BODY_BYTES,
  mechanismOf,
  type Primitives,
  REQUEST_TYPE,
  RESPONSE_TYPE,
  type SchemaDocument,
  sealRequest,
  toHex,
  utf8,
  webCrypto,
} from '@murmuration/shared';
import type { Delivery, Transport, Upload } from './adapters/transport.ts';
import { FETCH_PATIENCE, TOO_EARLY } from './limits.ts';
import { attempt } from './maybe.ts';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Bytes of a request besides its content: the address of the collector, the write key and the framing. */
const ADDRESS = 250;

/** Bytes of the field with a token. */
const TOKEN = 80;

/**
 * Gets the token of a batch: the fields of its request that hold it or, as long as there is none, the answer that stands for that of the
 * collector (`slotTokens` of `@murmuration/client/tokens`).
 *
 * @param batch the batch, with its random id on the device, which nobody else learns
 * @param sentId gives the id under which a batch is sent; undefined for one of an older version, whose id is not hidden
 */
export type Tokens = (
  batch: Pick<Batch, 'schema' | 'batch' | 'day' | 'reports'>,
  sentId: (batch: Pick<Batch, 'schema' | 'batch'>) => Promise<string | undefined>,
) => Promise<BinaryRequest['fields'] | Delivery>;

/** The options of `relayTransport`. */
export interface RelayOptions {
  /** The app's schema, which says `reports: 'alone'`. */
  readonly schema: { readonly document: SchemaDocument; readonly wire: string };
  /** The address at the relay that leads to the collector. */
  readonly relay: string;
  /**
   * The collector's key configuration, as `murmuration relay rotate` prints it. It is a part of the app, and not fetched, because a collector
   * could give one device a key of its own, and would know its reports by it. All devices of a release have the same.
   */
  readonly keys: string;
  /** The hours, from the end of a report's day on, in which its moment lies. Default: 24. */
  readonly hours?: number;
  /** Bytes of a request before it is encrypted; a longer one has a multiple. Default: 1,024. */
  readonly size?: number;
  /**
   * The first version of the schema whose reports go through a relay only. Default: 1. An app that had versions without a relay says so, for
   * their batches keep the ids under which they may have been counted.
   */
  readonly since?: number;
  /** Tokens, where the collector counts reports with one only: `slotTokens(...)`. */
  readonly tokens?: Tokens;
  /** The cryptography. Default: WebCrypto. Where that has no X25519: `noblePrimitives()` of `@murmuration/client/noble`. */
  readonly primitives?: Primitives | undefined;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
}

/** Checks that run in development only. @throws {RangeError} that names the option */
function assertRelay({ schema: { document }, relay, keys, hours = 24, size = 1_024, tokens, primitives }: RelayOptions): void {
  const noble = 'primitives: expected noblePrimitives() of @murmuration/client/noble';
  if (!primitives) {
    if (!globalThis.crypto?.subtle)
      throw new RangeError(`${noble} where there is no WebCrypto, which pages have over https only, got none`);
    // WebCrypto says later what it lacks, and the first message may be a day away.
    const { console } = globalThis;
    webCrypto
      .generatePair()
      .catch((error) => console?.error(new RangeError(`${noble} where WebCrypto has no X25519, got none (${error})`)));
  }
  if (!/^https?:\/\//.test(relay)) throw new RangeError(`relay: expected an address such as https://relay.example/notes, got ${relay}`);
  if (!attempt(() => fromBase64url(keys)))
    throw new RangeError(`keys: expected the text that \`murmuration relay rotate\` prints, got ${keys}`);
  if (!(hours >= 0 && hours <= 168))
    throw new RangeError(`hours: expected 0 to 168, since collectors take a report for 14 days, got ${hours}`);
  if (tokens && document.relay !== 'required')
    throw new RangeError("schema.relay: expected 'required' beside tokens, since the issuer could tell whose is an id that is not hidden");
  const longest = Math.max(
    ...Object.entries(document.metrics).map(([name, { law }]) => {
      const values = Object.entries(document.segments ?? {}).map(([segment, all]) => [
        segment,
        [...all].sort((a, b) => utf8(b).length - utf8(a).length)[0],
      ]);
      const report = 'A'.repeat(Math.ceil((mechanismOf(law).reportBytes(law) * 4) / 3));
      const schema = `${document.app}/${document.version}/${'0'.repeat(16)}`;
      const body = {
        v: 1,
        schema,
        segment: Object.fromEntries(values),
        day: '2026-11-20',
        batch: '0'.repeat(32),
        reports: [[name, report]],
      };
      return utf8(JSON.stringify(body)).length + ADDRESS + (tokens ? TOKEN : 0);
    }),
  );
  if (longest > size)
    throw new RangeError(`size: expected at least ${longest}, since the relay would know the longest question by its size, got ${size}`);
  if (longest > MAX_BODY_BYTES / 2) throw new RangeError(`schema: expected reports of at most ${MAX_BODY_BYTES / 2} bytes, got ${longest}`);
}

/** The bytes of an answer; the first of one that is longer than any that is meant, and so can't be opened. */
async function bytesOf(response: Response): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) return new Uint8Array(await response.arrayBuffer()); // React Native has no streams
  const read = async (bytes: Uint8Array): Promise<Uint8Array> => {
    const { done, value } = await reader.read();
    return done || bytes.length > MAX_BODY_BYTES ? bytes : read(joined(bytes, value));
  };
  const bytes = await read(new Uint8Array());
  void attempt(() => reader.cancel());
  return bytes;
}

/** The moment of a report: a random one in the hours after its day, the same in every context and after every restart. */
const momentOf = (digest: Uint8Array, day: string, hours: number): number =>
  Date.parse(day) + DAY + (fromBigEndian(digest.slice(0, 6)) / 2 ** 48) * hours * HOUR;

/**
 * Sends reports through a relay. The collector runs with `--relay-keys`, and the app's pages may connect to the relay (`connect-src`). It needs
 * X25519 in WebCrypto, or `primitives`; without both, nothing is sent.
 *
 * A report waits on the device until its moment, for which the batch's id and day are all that counts: no answer, no other report, and not
 * the time at which it was recorded. The outbox keeps it, so it survives a kill. A device whose app is closed then sends it at a later
 * opening, one in a quiet time (docs/linkage.md).
 *
 * @throws {RangeError} when the schema sends reports together, or `keys` holds no configuration that is spoken here; in development also for
 * other options that are wrong
 * @example
 * const transport = relayTransport({ schema, relay: 'https://relay.example/notes', keys: 'ACkBACA…' });
 * createTelemetry({ schema, endpoint: 'https://t.example.com', transport });
 */
export function relayTransport(options: RelayOptions): Transport {
  const { schema, relay, keys, hours = 24, size = 1_024, since = 1, tokens, primitives = webCrypto, now = Date.now } = options;
  if (schema.document.reports !== 'alone')
    throw new RangeError(
      "schema.reports: expected 'alone', since whoever reads a message knows that its reports are of one device, got 'together'",
    );
  if (process.env.NODE_ENV !== 'production') assertRelay(options);
  const configuration = decodeKeys(fromBase64url(keys));

  /** SHA-256 of a batch's id. The first half says when it is sent, the second half is an id that does not tell that. */
  const digestOf = (batch: string): Promise<Uint8Array> => primitives.sha256(utf8(`relay ${batch}`));

  // The collector could compute the moment from the id, and so tell who was away then. The id of an older version stays, because the batch
  // may have been sent past the relay before, and must be counted once. An update must not change the id of a batch that was sent.
  const sentId: Parameters<Tokens>[1] = async ({ schema: wire, batch }) =>
    schema.document.relay === 'required' && Number(wire?.split('/')[1]) >= since ? toHex((await digestOf(batch)).slice(16)) : undefined;

  const send = async ({ url, body }: Upload, token: BinaryRequest['fields'], called: number): Promise<Delivery> => {
    const [, scheme = '', authority = '', path = ''] = /^(https?):\/\/([^/]+)(.*)/i.exec(url) ?? [];
    const fields = [['content-type', 'text/plain'] as const, ...token];
    const request = encodeRequest({ method: 'POST', scheme, authority, path, fields, content: utf8(body) }, size);
    const { message, openResponse } = await sealRequest(configuration, request, await primitives.generatePair());
    // The device slept meanwhile. Another report may be due by now, and the two would arrive together.
    if (now() - called > FETCH_PATIENCE) return { status: TOO_EARLY };
    const response = await fetch(relay, {
      method: 'POST',
      body: message as BufferSource,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      redirect: 'error',
      headers: { 'content-type': REQUEST_TYPE },
      signal: AbortSignal.timeout?.(FETCH_PATIENCE) ?? null, // some engines have none
    });
    const answer = await bytesOf(response);
    if (answer.length > MAX_BODY_BYTES) return { status: 0 }; // to decrypt it could take seconds
    const { headers } = response;
    // Only what the collector encrypted can say that a batch is counted or refused.
    if (!headers.get('content-type')?.toLowerCase().startsWith(RESPONSE_TYPE))
      return { status: Math.max(400, response.status), retryAfter: Number(headers.get('retry-after')) };
    const { status, fields: answered, content } = decodeResponse(await openResponse(answer));
    const retryAfter = answered.find(([name]) => name === 'retry-after')?.[1];
    return { status, retryAfter: Number(retryAfter ?? 0), body: status > 399 ? fromUtf8(content) : undefined };
  };

  const transport: Transport = async ({ url, body }) => {
    const called = now();
    const all: Batch = JSON.parse(body);
    const { day, batch } = all;
    const hidden = await sentId(all);
    const token = (hidden && (await tokens?.(all, sentId))) || [];
    if ('status' in token) return token;
    const wait = momentOf(await digestOf(batch), day, hours) - called;
    // A longer wait than any that was meant: the clock was set back.
    if (wait > 0 && wait <= DAY + hours * HOUR) return { status: TOO_EARLY };
    return send({ url, body: body.replace(batch, hidden ?? batch) }, token, called);
  };
  // For the checks of `createTelemetry`.
  return process.env.NODE_ENV !== 'production' && tokens ? Object.assign(transport, { tokens }) : transport;
}
