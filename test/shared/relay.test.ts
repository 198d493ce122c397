/** Oblivious HTTP, HPKE and Binary HTTP give the bytes that their RFCs print, and refuse what differs in one, with either cryptography. */

import { noblePrimitives } from '@murmuration/client/noble';
import { describe, expect, test, vi } from 'vitest';
import { decodeRequest, decodeResponse, encodeRequest, encodeResponse } from '#shared/relay/binary-http.ts';
import { exported, recipientContext, senderContext } from '#shared/relay/hpke.ts';
import { decodeKeys, encodeKeys, MESSAGE_OVERHEAD, openRequest, openSealed, sealRequest } from '#shared/relay/oblivious-http.ts';
import { type KeyPair, pairOf, webCrypto } from '#shared/relay/primitives.ts';

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex'));
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** RFC 9180, A.1.1: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM, base mode. */
const HPKE = {
  info: bytes('4f6465206f6e2061204772656369616e2055726e'),
  pkEm: '37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431',
  skEm: '52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736',
  pkRm: '3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d',
  skRm: '4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8',
  key: '4531685d41d65f03dc48f6b8302c05b0',
  baseNonce: '56d890e5accaaf011cff4b7d',
  exporterSecret: '45ff1c2e220db587171952c0592d5f5ebe103f1561a2614e38f2ffd47e99e3f8',
  exports: [
    ['', '3853fe2b4035195a573ffc53856e77058e15d9ea064de3e59f4961d0095250ee'],
    ['\0', '2e8f0b54673c7029649d4eb9d5e33bf1872cf76d623ff164ac185da9e88c21a5'],
    ['TestContext', 'e9e43065102c3836401bed8c3c3c75ae46be1639869391d62c61f1ec7af54931'],
  ],
} as const;

/** RFC 9458, appendix A. */
const OHTTP = {
  skR: '3c168975674b2fa8e465970b79c8dcf09f1c741626480bd4c6162fc5b6a98e1a',
  configuration: '01002031e1f05a740102115220e9af918f738674aec95f54db6e04eb705aae8e79815500080001000100010003',
  request: '00034745540568747470730b6578616d706c652e636f6d012f',
  skE: 'bc51d5e930bda26589890ac7032f70ad12e4ecb37abb1b65b1256c9c48999c73',
  message:
    '010020000100014b28f881333e7c164ffc499ad9796f877f4e1051ee6d31bad19dec96c208b4726374e469135906992e1268c594d2a10c695d858c40a026e7965e7d86b83dd440b2c0185204b4d63525',
  response: '0140c8',
  responseNonce: 'c789e7151fcba46158ca84b04464910d',
  responseMessage: 'c789e7151fcba46158ca84b04464910d86f9013e404feea014e7be4a441f234f857fbd',
} as const;

/** RFC 9292, figures 8 and 13. */
const FIGURE_8 = `00034745 54056874 74707300 0a2f6865 6c6c6f2e 74787440 6c0a7573 65722d61 67656e74 34637572 6c2f372e 31362e33
  206c6962 6375726c 2f372e31 362e3320 4f70656e 53534c2f 302e392e 376c207a 6c69622f 312e322e 3304686f 73740f77 77772e65 78616d70
  6c652e63 6f6d0f61 63636570 742d6c61 6e677561 67650665 6e2c206d 690000`;
const FIGURE_13 = '0140c800 1d546869 7320636f 6e74656e 7420636f 6e746169 6e732043 524c462e 0d0a0d07 74726169 6c657204 74657874';

/** Two bytes of length, as in application/ohttp-keys. */
const listed = (configuration: string): Uint8Array => bytes(`${(configuration.length / 2).toString(16).padStart(4, '0')}${configuration}`);

/** A pair of noble's whose secret is the first of its random bytes. */
const noblePairOf = (secret: Uint8Array): Promise<KeyPair> =>
  noblePrimitives((random) => crypto.getRandomValues(random).set(secret)).generatePair();

const IMPLEMENTATIONS = [
  { name: 'WebCrypto', primitives: webCrypto, pairOf },
  { name: 'noble', primitives: noblePrimitives(), pairOf: noblePairOf },
] as const;

describe.each(IMPLEMENTATIONS)('HPKE by $name', ({ primitives, pairOf }) => {
  test('gives the key, the nonce and the exports of RFC 9180, A.1.1, to both parties', async () => {
    const [sender, recipient] = [await pairOf(bytes(HPKE.skEm)), await pairOf(bytes(HPKE.skRm))];
    expect([hex(sender.publicKey), hex(recipient.publicKey)]).toEqual([HPKE.pkEm, HPKE.pkRm]);
    const contexts = [
      await senderContext(bytes(HPKE.pkRm), HPKE.info, sender),
      await recipientContext(bytes(HPKE.pkEm), HPKE.info, recipient),
    ];
    for (const context of contexts) {
      expect([hex(context.key), hex(context.nonce), hex(context.exporter)]).toEqual([HPKE.key, HPKE.baseNonce, HPKE.exporterSecret]);
      for (const [label, secret] of HPKE.exports) expect(hex(await exported(context, label, 32))).toBe(secret);
    }
  });

  test('refuses public keys of small order, whose shared secret is known to everybody', async () => {
    const sender = await pairOf(bytes(HPKE.skEm));
    for (const point of ['00'.repeat(32), `01${'00'.repeat(31)}`, 'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800'])
      await expect(senderContext(bytes(point), HPKE.info, sender)).rejects.toThrow();
  });

  test('gives the digest of FIPS 180-4, and decrypts nothing that differs in one bit', async () => {
    expect(hex(await primitives.sha256(bytes('616263')))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    const keys = { key: bytes(HPKE.key), nonce: bytes(HPKE.baseNonce) };
    const sealed = await primitives.aes('encrypt', keys, HPKE.info);
    expect(hex(await primitives.aes('decrypt', keys, sealed))).toBe(hex(HPKE.info));
    sealed[3] = (sealed[3] as number) ^ 1;
    await expect(primitives.aes('decrypt', keys, sealed)).rejects.toThrow();
  });
});

describe("noble's pairs", () => {
  test('come from the source alone: without one, or where it repeats itself, there is none', async () => {
    vi.stubGlobal('crypto', undefined); // as in Hermes
    await expect(noblePrimitives().generatePair()).rejects.toThrow();
    vi.unstubAllGlobals();
    await expect(noblePrimitives(() => undefined).generatePair()).rejects.toThrow('rng: expected random bytes');
    const once = Buffer.from(crypto.getRandomValues(new Uint8Array(1_024)));
    const { generatePair } = noblePrimitives((random) => random.set(once));
    await generatePair();
    await new Promise((resolve) => setTimeout(resolve, 1));
    await expect(generatePair()).rejects.toThrow('rng: expected random bytes');
  });

  test('are not drawn by a source that leaves the first bytes alone, which are all of a key', async () => {
    const { generatePair } = noblePrimitives((random) => random.set(crypto.getRandomValues(new Uint8Array(1_024)).fill(0, 0, 32)));
    await expect(generatePair()).rejects.toThrow('rng: expected random bytes');
  });
});

describe('Key configurations', () => {
  test('are read as RFC 9458, appendix A, has them, and written', async () => {
    const { publicKey } = await pairOf(bytes(OHTTP.skR));
    expect(decodeKeys(listed(OHTTP.configuration))).toEqual({ id: 1, publicKey });
    const mine = encodeKeys([
      { id: 7, publicKey },
      { id: 6, publicKey: new Uint8Array(32) },
    ]);
    expect(decodeKeys(mine)).toEqual({ id: 7, publicKey });
    expect(hex(mine.slice(0, 43))).toBe(`0029070020${hex(publicKey)}000400010001`);
  });

  test('count if they are the first whose algorithms are spoken, and a list without one is refused', () => {
    const other = '0400104b28f881333e7c164ffc499ad9796f877f4e1051ee6d31bad19dec96c208b472000400010003';
    const both = Buffer.concat([listed(other), listed(OHTTP.configuration)]);
    expect(decodeKeys(both).id).toBe(1);
    for (const wrong of [listed(other), bytes(''), listed(OHTTP.configuration).slice(0, 40), bytes(OHTTP.configuration)])
      expect(() => decodeKeys(wrong)).toThrow(/expected application\/ohttp-keys with X25519/);
  });
});

describe.each(IMPLEMENTATIONS)('Oblivious HTTP by $name', ({ primitives, pairOf }) => {
  const gatewayPair = (): Promise<KeyPair> => pairOf(bytes(OHTTP.skR));

  test('seals the request of appendix A to its bytes, and opens the response', async () => {
    const configuration = decodeKeys(listed(OHTTP.configuration));
    const { message, openResponse } = await sealRequest(configuration, bytes(OHTTP.request), await pairOf(bytes(OHTTP.skE)));
    expect(hex(message)).toBe(OHTTP.message);
    expect(message.length).toBe(OHTTP.request.length / 2 + MESSAGE_OVERHEAD);
    expect(hex(await openResponse(bytes(OHTTP.responseMessage)))).toBe(OHTTP.response);
  });

  test('opens the request of appendix A, and seals the response to its bytes', async () => {
    const pair = await gatewayPair();
    const { request, sealResponse } = await openRequest(bytes(OHTTP.message), (id) => (id === 1 ? pair : undefined));
    expect(hex(request)).toBe(OHTTP.request);
    expect(hex(await sealResponse(bytes(OHTTP.response), bytes(OHTTP.responseNonce)))).toBe(OHTTP.responseMessage);
  });

  test('opens the request of appendix A for its sender, and for that recipient only', async () => {
    const [recipient, sender] = [await pairOf(bytes(OHTTP.skR)), await pairOf(bytes(OHTTP.skE))];
    const opened = await openSealed(bytes(OHTTP.message), recipient.publicKey, sender);
    expect(hex(opened.request)).toBe(OHTTP.request);
    expect(hex(await opened.sealResponse(bytes(OHTTP.response), bytes(OHTTP.responseNonce)))).toBe(OHTTP.responseMessage);
    await expect(openSealed(bytes(OHTTP.message), sender.publicKey, sender)).rejects.toThrow(RangeError);
  });

  test('draws a key for each message and a nonce for each response, so that no two are alike', async () => {
    const pair = await gatewayPair();
    const sealed = await Promise.all(
      [0, 1].map(async () => sealRequest({ id: 1, publicKey: pair.publicKey }, bytes(OHTTP.request), await primitives.generatePair())),
    );
    const [one = new Uint8Array(), two = new Uint8Array()] = sealed.map(({ message }) => message);
    expect(hex(one.slice(7, 39))).not.toBe(hex(two.slice(7, 39)));
    const { sealResponse } = await openRequest(one, () => pair);
    const responses = [await sealResponse(bytes('0140c8')), await sealResponse(bytes('0140c8'))];
    expect(hex(responses[0] as Uint8Array)).not.toBe(hex(responses[1] as Uint8Array));
    for (const response of responses) expect(hex((await sealed[0]?.openResponse(response)) ?? bytes(''))).toBe('0140c8');
    await expect(sealed[1]?.openResponse(responses[0] as Uint8Array)).rejects.toThrow(); // the response to another request
  });

  test('opens nothing that differs in one bit, and says what was wrong', async () => {
    const pair = await gatewayPair();
    const opened = (message: Uint8Array): Promise<unknown> => openRequest(message, (id) => (id === 1 ? pair : undefined));
    for (let at = 0; at < OHTTP.message.length / 2; at++) {
      const message = bytes(OHTTP.message);
      message[at] = (message[at] as number) ^ 1;
      const reason = at === 0 ? /a key that is in force, got the key 0/ : at < 7 ? /got other algorithms/ : /sealed with the key 1/;
      await expect(opened(message)).rejects.toThrow(reason);
    }
    await expect(opened(bytes(OHTTP.message).slice(0, MESSAGE_OVERHEAD - 1))).rejects.toThrow('expected at least 55 bytes, got 54');
  });
});

test.each([
  [IMPLEMENTATIONS[0], IMPLEMENTATIONS[1]],
  [IMPLEMENTATIONS[1], IMPLEMENTATIONS[0]],
])('a message that $name seals opens by the other, and so does the response', async ({ primitives }, { pairOf }) => {
  const gateway = await pairOf(bytes(OHTTP.skR));
  const request = crypto.getRandomValues(new Uint8Array(1_024));
  const configuration = { id: 1, publicKey: gateway.publicKey };
  const { message, openResponse } = await sealRequest(configuration, request, await primitives.generatePair());
  const opened = await openRequest(message, () => gateway);
  expect(hex(opened.request)).toBe(hex(request));
  expect(hex(await openResponse(await opened.sealResponse(bytes('0140c8'))))).toBe('0140c8');
});

describe('Binary HTTP', () => {
  test('encodes and decodes the request of RFC 9292, figure 8', () => {
    const request = {
      method: 'GET',
      scheme: 'https',
      authority: '',
      path: '/hello.txt',
      fields: [
        ['user-agent', 'curl/7.16.3 libcurl/7.16.3 OpenSSL/0.9.7l zlib/1.2.3'],
        ['host', 'www.example.com'],
        ['accept-language', 'en, mi'],
      ],
      content: new Uint8Array(),
    } as const;
    const figure = bytes(FIGURE_8);
    expect(hex(encodeRequest(request, figure.length))).toBe(hex(figure));
    for (const message of [figure, figure.slice(0, -1), figure.slice(0, -2), encodeRequest(request, 1_000)])
      expect(decodeRequest(message)).toEqual(request);
  });

  test('decodes the response of figure 13, without its trailers, and drops interim responses', () => {
    const { status, fields, content } = decodeResponse(bytes(FIGURE_13));
    expect([status, fields, text(content)]).toEqual([200, [], 'This content contains CRLF.\r\n']);
    const early = bytes(`01 4066 00 ${FIGURE_13.slice(2)}`); // 102
    expect(decodeResponse(early).status).toBe(200);
    expect(decodeResponse(bytes('0140c8'))).toEqual({ status: 200, fields: [], content: new Uint8Array() });
  });

  test('gives every response one of few sizes', () => {
    const sizes = [0, 1, 90, 1_017, 1_018, 20_000].map(
      (length) => encodeResponse({ status: 204, fields: [], content: new Uint8Array(length) }, 1_024).length,
    );
    expect(sizes).toEqual([1_024, 1_024, 1_024, 1_024, 2_048, 20_480]);
    const long = encodeResponse({ status: 503, fields: [['retry-after', '7']], content: new Uint8Array(70_000).fill(7) }, 1);
    expect(decodeResponse(long)).toEqual({ status: 503, fields: [['retry-after', '7']], content: new Uint8Array(70_000).fill(7) });
  });

  test('refuses longer texts and more fields than any request has, since a gateway would spend its time on them', () => {
    const usual = { method: 'POST', scheme: 'https', authority: 't', path: '/', fields: [], content: new Uint8Array(65_000) };
    const encoded = (more: object): Uint8Array => encodeRequest({ ...usual, ...more }, 1);
    const empty = (many: number): object => ({ fields: Array.from({ length: many }, () => ['', ''] as const) });
    expect(decodeRequest(encoded({ path: '/'.repeat(1_024) })).path).toHaveLength(1_024);
    expect(decodeRequest(encoded(empty(512))).fields).toHaveLength(512);
    for (const more of [{ path: '/'.repeat(1_025) }, { method: 'P'.repeat(1_025) }, { fields: [['a', 'b'.repeat(1_021)]] }, empty(513)])
      expect(() => decodeRequest(encoded(more))).toThrow(/expected texts of at most 1024 bytes, got 102[56]/);
  });

  test('refuses other framings, ends in the middle, and a padding that carries something', () => {
    const figure = bytes(FIGURE_8);
    const wrongs: readonly (readonly [Uint8Array, RegExp])[] = [
      [bytes('02'), /framing indicator 0/],
      [bytes(''), /ends early/],
      [figure.slice(0, 60), /ends early/],
      [bytes(`${FIGURE_8} 00 00 01`), /padding of zeros/],
      [bytes('0001ff'), /URI malformed/], // no UTF-8
    ];
    for (const [message, reason] of wrongs) expect(() => decodeRequest(message)).toThrow(reason);
  });
});
