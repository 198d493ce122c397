/**
 * Messages through a relay (Oblivious HTTP, RFC 9458) among the requests of a page. They are opened with the pairs that the page drew, and
 * answered as a collector answers: neither a relay nor a collector runs.
 */

import { type BinaryRequest, decodeRequest, encodeResponse, openSealed, pairOf, REQUEST_TYPE, RESPONSE_TYPE } from '@murmuration/shared';
import type { SealingKeys } from './agent-api.ts';
import type { WorkerAnswer } from './workers.ts';

/** A message as the relay gets it, and its key: undefined if it could not be opened. */
export interface Message {
  /** The address at the relay. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** All of it, in hexadecimal digits. */
  readonly bytes: string;
  readonly key: MessageKey | undefined;
  /** The fields of the request in it. */
  readonly fields: BinaryRequest['fields'];
}

/** The key for which a message was sealed. */
export interface MessageKey {
  readonly id: number;
  /** In hexadecimal digits. */
  readonly publicKey: string;
}

/** Bytes of the answer within a message, as a collector pads it. */
const STEP = 1_024;

/** The bytes of the sender's public key in a message, after its header (RFC 9458, section 4.3). */
const SENDER = [7, 39] as const;

/** True for a request that is a message. */
export const isMessage = (method: string, headers: Readonly<Record<string, string>>): boolean =>
  method === 'POST' &&
  Object.entries(headers).some(([name, value]) => name.toLowerCase() === 'content-type' && value.includes(REQUEST_TYPE));

/** A request in a message, its key, and the answer to it. */
export interface Opened {
  readonly request: BinaryRequest;
  readonly key: MessageKey;
  readonly answer: WorkerAnswer;
}

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

/** Opens a message with the pair that its page drew for it; undefined if no pair and recipient open it. */
export async function openMessage(message: Buffer, { secrets, recipients }: SealingKeys): Promise<Opened | undefined> {
  const sender = message.subarray(...SENDER);
  for (const secret of secrets.toReversed()) {
    const pair = await pairOf(bytesOf(secret));
    if (!sender.equals(pair.publicKey)) continue;
    for (const publicKey of recipients) {
      const opened = await openSealed(Uint8Array.from(message), bytesOf(publicKey), pair).catch(() => undefined);
      if (opened === undefined) continue;
      try {
        const request = decodeRequest(opened.request);
        const sealed = await opened.sealResponse(encodeResponse({ status: 204, fields: [], content: new Uint8Array() }, STEP));
        const headers = { 'content-type': RESPONSE_TYPE, 'access-control-allow-origin': '*' };
        return { request, key: { id: message[0] as number, publicKey }, answer: { status: 200, headers, body: Buffer.from(sealed) } };
      } catch {
        return undefined; // no request in Binary HTTP
      }
    }
  }
  return undefined;
}

/** The answer to a message that nobody can open. */
export const UNOPENED: WorkerAnswer = { status: 502, headers: { 'access-control-allow-origin': '*' }, body: '' };
