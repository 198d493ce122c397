/** Binary HTTP (RFC 9292): requests and responses of known length as bytes, padded with zeros so that their size tells nothing. */

import { fromUtf8, joined } from '../encoding/texts.ts';

type Fields = readonly (readonly [name: string, value: string])[];

/** A request. Names of fields are in lower case. */
export interface BinaryRequest {
  readonly method: string;
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly fields: Fields;
  readonly content: Uint8Array;
}

/** A response. */
export interface BinaryResponse {
  readonly status: number;
  readonly fields: Fields;
  readonly content: Uint8Array;
}

/** The framing indicators of known length (section 3.3). */
const [REQUEST, RESPONSE] = [0, 1];

/** A whole number below 2^30 in 1, 2 or 4 bytes (RFC 9000, section 16). */
const varint = (value: number): readonly number[] =>
  value < 64
    ? [value]
    : value < 16_384
      ? [64 + (value >> 8), value & 255]
      : [128 + (value >> 24), (value >> 16) & 255, (value >> 8) & 255, value & 255];

/** Bytes or a text, after their length. */
function counted(part: Uint8Array | string): Uint8Array {
  const bytes = joined(part);
  return joined(varint(bytes.length), bytes);
}

/** The most bytes of a text, and of all fields. To decode long ones would cost a gateway more than to open the message. */
const MOST_TEXT = 1_024;

/** Fills a message up with zeros (section 3.8), to a multiple of so many bytes. */
function padded(message: Uint8Array, step: number): Uint8Array {
  const full = new Uint8Array(Math.ceil(message.length / step) * step);
  full.set(message);
  return full;
}

/** Fields and content; there are no trailers, and the padding that follows says so. */
const sections = (fields: Fields, content: Uint8Array): Uint8Array =>
  joined(counted(joined(...fields.flatMap(([name, value]) => [counted(name), counted(value)]))), counted(content), [0]);

/** A request in a multiple of so many bytes. */
export const encodeRequest = ({ method, scheme, authority, path, fields, content }: BinaryRequest, step: number): Uint8Array =>
  padded(joined([REQUEST], counted(method), counted(scheme), counted(authority), counted(path), sections(fields, content)), step);

/** A response in a multiple of so many bytes. */
export const encodeResponse = ({ status, fields, content }: BinaryResponse, step: number): Uint8Array =>
  padded(joined([RESPONSE], varint(status), sections(fields, content)), step);

/** Reads a message from its start. */
interface Reader {
  readonly isAtEnd: () => boolean;
  readonly number: () => number;
  /** Bytes after their length; none where the message ends before (section 3.8). */
  readonly bytes: () => Uint8Array;
  readonly rest: () => Uint8Array;
}

function readerOf(message: Uint8Array): Reader {
  let at = 0;
  const take = (length: number): Uint8Array => {
    if (at + length > message.length) throw new RangeError('message: expected Binary HTTP, got one that ends early');
    at += length;
    return message.subarray(at - length, at);
  };
  const number = (): number => {
    const first = take(1)[0] as number;
    const rest = take((1 << (first >> 6)) - 1);
    return rest.reduce((value, byte) => value * 256 + byte, first & 63);
  };
  const isAtEnd = (): boolean => at >= message.length;
  return { isAtEnd, number, bytes: () => (isAtEnd() ? new Uint8Array() : take(number())), rest: () => message.subarray(at) };
}

function short(part: Uint8Array): Uint8Array {
  if (part.length > MOST_TEXT) throw new RangeError(`message: expected texts of at most ${MOST_TEXT} bytes, got ${part.length}`);
  return part;
}

const textOf = (reader: Reader): string => fromUtf8(short(reader.bytes()));

function fieldsOf(section: Uint8Array): Fields {
  const reader = readerOf(short(section));
  const fields: (readonly [string, string])[] = [];
  while (!reader.isAtEnd()) fields.push([textOf(reader), textOf(reader)]);
  return fields;
}

/** Content and trailers, which are dropped, and the padding. @throws {RangeError} when it is not of zeros */
function contentOf(reader: Reader): Uint8Array {
  const content = reader.bytes();
  reader.bytes();
  if (reader.rest().some((byte) => byte !== 0)) throw new RangeError('message: expected a padding of zeros, got another');
  return content;
}

const begin = (message: Uint8Array, framing: number): Reader => {
  const reader = readerOf(message);
  if (reader.number() !== framing) throw new RangeError(`message: expected the framing indicator ${framing}, got another`);
  return reader;
};

/** Decodes a request. @throws {RangeError | URIError} when it is none of known length in UTF-8 */
export function decodeRequest(message: Uint8Array): BinaryRequest {
  const reader = begin(message, REQUEST);
  const [method, scheme, authority, path] = [0, 1, 2, 3].map(() => textOf(reader)) as [string, string, string, string];
  return { method, scheme, authority, path, fields: fieldsOf(reader.bytes()), content: contentOf(reader) };
}

/** Decodes a response; interim ones before it are dropped. @throws {RangeError | URIError} when it is none of known length in UTF-8 */
export function decodeResponse(message: Uint8Array): BinaryResponse {
  const reader = begin(message, RESPONSE);
  for (;;) {
    const status = reader.number();
    const fields = fieldsOf(reader.bytes());
    if (status > 199) return { status, fields, content: contentOf(reader) };
  }
}
