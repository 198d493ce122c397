/**
 * The client in React Native's engine, in an old VM that has less than any that is in use: the behaviours, and a report through a relay
 * without WebCrypto. Both also compile with today's Hermes compiler.
 */

import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Batch,
  decodeRequest,
  encodeKeys,
  encodeResponse,
  fromBase64url,
  openRequest,
  pairOf,
  toBase64url,
  utf8,
} from '@murmuration/shared';
import { ristretto255_oprf } from '@noble/curves/ed25519.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileForHermes, runInHermes, writeHermesScript } from '../kit/hermes.ts';
import { trace } from './behaviours.ts';
import { type Answer, type Relayed, relayed } from './relayed.ts';
import type { Results } from './run.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-hermes-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Builds the program of an entry beside this file, compiles it, and runs it. Returns what it prints. */
async function inHermes(entry: string, given: { readonly [name: string]: unknown }): Promise<unknown> {
  const script = join(folder, `${entry}.js`);
  const bytecode = join(folder, `${entry}.hbc`);
  await writeHermesScript(script, join(import.meta.dirname, `${entry}.ts`), given);
  compileForHermes(script, bytecode);
  expect((await stat(bytecode)).size).toBeGreaterThan(10_000);
  return JSON.parse(runInHermes(script));
}

test("every behaviour holds in the Hermes VM, and the bundle compiles with today's compiler", async () => {
  const { passed, failed } = (await inHermes('hermes-entry', { TRACE: await trace() })) as Results;
  expect(failed).toEqual([]);
  expect(passed.length).toBeGreaterThan(10);
});

test('a report that Hermes seals opens at the gateway, with its token, and Hermes opens the answer', async () => {
  const { secretKey, publicKey } = ristretto255_oprf.oprf.generateKeyPair();
  const gateway = await pairOf(crypto.getRandomValues(new Uint8Array(32)));
  const given = {
    keys: toBase64url(encodeKeys([{ id: 3, publicKey: gateway.publicKey }])),
    key: toBase64url(publicKey),
    coins: toBase64url(crypto.getRandomValues(new Uint8Array(1_024))),
  };
  const answers: Answer[] = [];
  const opened: ReturnType<typeof decodeRequest>[] = [];
  /** The issuer of tokens, and then the gateway. */
  const inNode = await relayed(given, async (request, url) => {
    if (url.endsWith('/tokens')) {
      const { blinded, metric, slot } = JSON.parse(Buffer.from(request).toString());
      const issued = ristretto255_oprf.poprf(utf8(`notes/7/${slot}/${metric}`)).blindEvaluate(secretKey, fromBase64url(blinded));
      const content = JSON.stringify({ evaluated: toBase64url(issued.evaluated), proof: toBase64url(issued.proof) });
      answers.push({ type: 'application/json', content: toBase64url(utf8(content)) });
    } else {
      const { request: inner, sealResponse } = await openRequest(request, () => gateway);
      opened.push(decodeRequest(inner));
      const response = encodeResponse({ status: 429, fields: [['retry-after', '7']], content: utf8('{"error":"ε"}') }, 1_024);
      answers.push({ type: 'message/ohttp-res', content: toBase64url(await sealResponse(response)) });
    }
    return answers.at(-1) as Answer;
  });
  const inVm = (await inHermes('hermes-relay-entry', { GIVEN: given, ANSWERS: answers })) as Relayed;
  expect(inVm).toEqual(inNode);
  expect(inVm.deliveries).toEqual([{ status: 425 }, { status: 429, retryAfter: 7, body: '{"error":"ε"}' }]);
  const { request } = await openRequest(fromBase64url(inVm.requests[1] as string), () => gateway);
  const { fields, content } = decodeRequest(request);
  expect(fields.map(([name]) => name)).toEqual(['content-type', 'authorization']);
  expect((JSON.parse(Buffer.from(content).toString()) as Batch).reports).toEqual([['dark', 'AQ']]);
});
