/** A mutator that knows the structure of a batch: it changes JSON as a tree and as text, reports as base64, and requests as HTTP. */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A whole number below a bound. */
export type Draw = (below: number) => number;

const pick = <T>(draw: Draw, list: readonly T[]): T => list[draw(list.length)] as T;

const nest = (depth: number): Json => {
  let value: Json = [];
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
};

const VALUES: readonly (() => Json)[] = [
  ...[null, true, false, 0, -1, 1, 1.5, 2 ** 31, 2 ** 53, 1e308, -0, '', ' ', '0', 'A', 'AA', 'AAAA', '____', '=', '\u0000', '\ud800'].map(
    (value) => () => value,
  ),
  ...['2026-02-30', '9999-12-31', '0000-00-00', '1969-12-31', 'constructor', '__proto__', 'toString', 'x'.repeat(300), '\u{1f426}'].map(
    (value) => () => value,
  ),
  () => [],
  () => ({}),
  () => [[]],
  () => nest(50),
  () => nest(200),
];
const KEYS = ['v', 'schema', 'day', 'batch', 'segment', 'reports', '__proto__', 'constructor', 'hasOwnProperty', 'length', '', 'x', 'V'];

/** All positions in a tree: the container, and the key in it. */
function placesOf(value: Json, places: [container: Json[] | { [key: string]: Json }, key: string][] = []): typeof places {
  if (typeof value !== 'object' || value === null) return places;
  for (const key of Object.keys(value)) {
    places.push([value, key]);
    placesOf((value as { [key: string]: Json })[key] as Json, places);
  }
  return places;
}

const put = (container: object, key: string, value: unknown): unknown =>
  Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true }); // also sets a key named __proto__

function changeText(text: string, draw: Draw): string {
  const at = draw(text.length + 1);
  const random = String.fromCharCode(pick(draw, [0, 10, 34, 45, 48, 61, 65, 92, 95, 97, 122, 123, 255, 0x2028, 0xd83d]) + draw(2));
  return pick(draw, [
    () => text.slice(0, at) + random + text.slice(at + 1),
    () => text.slice(0, at) + random + text.slice(at),
    () => text.slice(0, at) + text.slice(at + 1 + draw(4)),
    () => text.slice(0, at),
    () => text + text,
    () => text.toUpperCase(),
  ])();
}

/** Repeats a value as often as fits in a megabyte. Otherwise a tree that is changed three times would be longer than any text. */
const many = (value: Json, draw: Draw): readonly Json[] =>
  new Array<Json>(draw(Math.min(1_500, 1 + Math.floor(1e6 / JSON.stringify(value).length)))).fill(value);

/** Changes a tree in place. */
function changeTree(root: Json, draw: Draw): void {
  const places = placesOf(root);
  if (places.length === 0) return;
  const [container, key] = pick(draw, places);
  const at = container as { [key: string]: Json };
  const value = at[key] as Json;
  pick(draw, [
    () => put(at, key, pick(draw, VALUES)()),
    () => typeof value === 'string' && put(at, key, changeText(value, draw)),
    () => typeof value === 'string' && put(at, key, changeText(value, draw)),
    () => (Array.isArray(container) ? container.splice(Number(key), 1) : Reflect.deleteProperty(at, key)),
    () => Array.isArray(container) && container.push(structuredClone(pick(draw, container))),
    () => !Array.isArray(container) && put(at, pick(draw, KEYS), value),
    () => {
      const [other, name] = pick(draw, places);
      put(at, key, structuredClone((other as { [key: string]: Json })[name] as Json));
    },
    () => Array.isArray(container) && container.length < 10 && container.push(...many(value, draw)),
  ])();
}

/** A body made from a batch: mostly slightly wrong, sometimes right, sometimes not even text. */
export function mutateBody(batch: Json, draw: Draw): Buffer {
  const root = structuredClone(batch);
  for (let changes = draw(4); changes > 0; changes--) changeTree(root, draw);
  let text = JSON.stringify(root) ?? '';
  const kind = draw(14);
  if (kind === 0) text = changeText(text, draw);
  if (kind === 1) text = text.replace('{', `{"${pick(draw, KEYS)}":${JSON.stringify(pick(draw, VALUES)())},`); // a duplicate key
  if (kind === 2) text = ` ${text.replaceAll(',', ' ,\n\t')}\r\n`;
  if (kind === 3) text = text.replace(/[a-z]/, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (kind === 6) {
    const depth = draw(2) === 0 ? draw(2_000) : draw(30_000); // deeper than any recursive walk could handle
    text = text.replace('{', `{"${pick(draw, KEYS)}":${'['.repeat(depth)}${']'.repeat(depth)},`);
  }
  const bytes = Buffer.from(text);
  if (kind === 4 && bytes.length > 0) bytes[draw(bytes.length)] = 128 + draw(128);
  return kind === 5 ? Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]) : bytes;
}

/** A request as bytes, and the body that a server may read from it; none where it must not read one. */
export interface Framed {
  readonly bytes: Buffer;
  readonly body: Buffer | undefined;
}

/** A request around a body that breaks the rules of HTTP, or is unusual. */
export function mutateRequest(body: Buffer, draw: Draw): Framed {
  const frame = (head: string, content = body): Buffer => Buffer.concat([Buffer.from(head.replaceAll('\n', '\r\n'), 'latin1'), content]);
  const length = `Content-Length: ${body.length}\n`;
  const post = 'POST /v1/reports HTTP/1.1\nHost: t\n';
  const cut = draw(body.length + 1);
  const broken: readonly (() => Buffer)[] = [
    () =>
      frame(
        `${pick(draw, ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'BREW', 'post'])} /v1/reports HTTP/1.1\nHost: t\n${length}\n`,
      ),
    () =>
      frame(
        `POST ${pick(draw, ['/v1/report', '/v1/reports/x', '//v1/reports', '/%', '/%E0%A4%A', '*', '/v1/../../etc/passwd', `/${'x'.repeat(20_000)}`])} HTTP/1.1\nHost: t\n${length}\n`,
      ),
    () => frame(`${post}\n`),
    () => frame(`${post}Content-Length: ${pick(draw, ['-1', '1e3', 'x', '0x10', '99999999999999999999', '65537', '1, 2'])}\n\n`),
    () => frame(`${post}${length}Content-Length: ${body.length + 1}\n\n`),
    () => frame(`${post}${length}Transfer-Encoding: chunked\n\n`),
    () => frame(`${post}Transfer-Encoding: chunked\n\n${body.length.toString(16)}\n`),
    () => frame(`${post}${length}X-Long: ${'y'.repeat(20_000)}\n\n`),
    () => frame(`${post}${length}Bad Header\n\n`),
    () => frame(`POST /v1/reports HTTP/9.9\nHost: t\n${length}\n`),
    () => frame(`${post}Content-Length: ${body.length + 100}\n\n`), // the rest is never sent
    () => frame('\u0016\u0003\u0001\u0002\u0000', Buffer.alloc(0)), // a TLS handshake
  ];
  const bent: readonly (() => Framed)[] = [
    () => ({ bytes: frame(`${post}${length}Expect: 100-continue\n\n`), body }),
    () => ({ bytes: frame(`POST /v1/reports?key=${'k'.repeat(200)} HTTP/1.1\nHost: t\n${length}\n`), body }),
    () => ({
      bytes: frame(`${post}${length}Content-Type: ${pick(draw, ['application/json', 'x', '', 'text/plain; charset=utf-16'])}\n\n`),
      body,
    }),
    () => ({ bytes: frame(`${post}${length}Cookie: a=b\nX-Forwarded-For: 203.0.113.9\nOrigin: null\n\n`), body }),
    () => ({ bytes: frame(`${post}Content-Length: ${cut}\n\n`), body: body.subarray(0, cut) }), // the rest is not a request
  ];
  return draw(3) === 0 ? pick(draw, bent)() : { bytes: pick(draw, broken)(), body: undefined };
}
