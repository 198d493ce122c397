/**
 * Tokens from end to end: devices, the app's server that issues tokens, the example's relay and a collector. One of a hundred devices is a
 * cheat with one account, and sends ten reports of one slot. Without tokens all ten count, with tokens one, and no honest report is lost.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTelemetry, defineSchema, flag, memoryStorage } from '@murmuration/client';
import { relayTransport } from '@murmuration/client/relay';
import { slotTokens } from '@murmuration/client/tokens';
import { type Collector, createCollector } from '@murmuration/collector';
import {
  dayNumber,
  dayText,
  decodeKeys,
  decodeResponse,
  encodeRequest,
  fromBase64url,
  sealRequest,
  slotName,
  slotOf,
  TOKEN_SCHEME,
  tokenInput,
} from '@murmuration/shared';
import { ristretto255_oprf } from '@noble/curves/ed25519.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admitted, openRelayKeys, type RelayFile, rotated } from '#collector/ingest/relay-keys.ts';
import { startRelay } from '../../examples/relay/relay.ts';
import { KEY, type RunningIssuer, SECRET, startIssuer } from '../kit/tokens.ts';
import { EFFORT } from '../setup/effort.ts';

/** Devices, of which one in a hundred is a cheat. */
const MANY = EFFORT > 1 ? 2_000 : 100;
const CHEATS = MANY / 100;
/** Reports that each cheat sends. */
const EACH = 10;
const AT_ONCE = 16;
const DAY = 86_400_000;
const TODAY = dayNumber(Date.now());

const schemaOf = (app: string) =>
  defineSchema({
    ...{ app, version: 1, reports: 'alone', relay: 'required', budget: { epsilon: 4, per: 'month' } },
    metrics: { dark: flag({ epsilon: 1, description: 'Dark?' }), old: flag({ epsilon: 1, description: 'Old?' }) },
  });
const [free, paid] = [schemaOf('free'), schemaOf('paid')];

const { file, token: relayToken } = admitted(rotated(undefined, TODAY, 0), 'edge');
const relayFile: RelayFile = { ...file, tokens: [{ app: 'paid', secret: SECRET, from: dayText(TODAY - 14) }] };

let folder: string;
let collector: Collector;
let gateway: string;
let relay: Awaited<ReturnType<typeof startRelay>>;
let issuer: RunningIssuer;
let keys: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-tokens-'));
  collector = await createCollector({ open: true, schemas: [free.document, paid.document], data: folder, relay: relayFile });
  gateway = await collector.listen(0, '127.0.0.1');
  relay = await startRelay({ '/app': { gateway: `${gateway}/v1/relay`, token: relayToken } });
  issuer = await startIssuer({ schemas: [paid.document] });
  keys = Buffer.from((await openRelayKeys(file)).published).toString('base64url');
});
afterAll(async () => {
  issuer.close();
  await relay.close();
  await collector.close();
  rmSync(folder, { recursive: true });
});

async function forEach<T>(all: readonly T[], act: (each: T) => Promise<unknown>): Promise<void> {
  const rest = all.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const each of rest) await act(each);
    }),
  );
}

/** An honest device, as the package is meant to be used. Resolves when its report was acknowledged, with the days that this took. */
async function honest(i: number, schema: typeof paid): Promise<number> {
  const begin = (TODAY - 5) * DAY;
  let now = begin;
  let delivered = false;
  const tokens = slotTokens({
    ...{ schema, issuer: issuer.address, key: KEY, storage: memoryStorage(), now: () => now },
    headers: () => ({ account: `honest ${i}` }),
  });
  const telemetry = createTelemetry({
    ...{ schema, endpoint: gateway, consent: 'granted', debug: false, storage: memoryStorage() },
    transport: relayTransport({ schema, relay: `${relay.address}/app`, keys, now: () => now, ...(schema === paid && { tokens }) }),
    clock: { now: () => now, after: () => () => undefined }, // nothing happens but at a flush
    onOutcome: ({ result }) => {
      delivered ||= result === 'delivered';
    },
  });
  telemetry.record('dark', i % 3 === 0);
  for (; !delivered && now < begin + 14 * DAY; now += DAY) await telemetry.flush();
  return delivered ? (now - begin) / DAY : Number.NaN;
}

/** Sends a report of a modified client, and says whether it was counted. */
async function cheat(wire: string, id: string, authorization: string | undefined, day = TODAY - 5): Promise<boolean> {
  const content = Buffer.from(JSON.stringify({ v: 1, schema: wire, day: dayText(day), batch: id, reports: [['dark', 'AQ']] }));
  const fields = authorization === undefined ? [] : [['authorization', authorization] as const];
  const request = encodeRequest({ method: 'POST', scheme: 'http', authority: 'x', path: '/v1/reports', fields, content }, 1_024);
  const { message, openResponse } = await sealRequest(decodeKeys(fromBase64url(keys)), request);
  const headers = { 'content-type': 'message/ohttp-req' };
  const response = await fetch(`${relay.address}/app`, { method: 'POST', body: Buffer.from(message), headers });
  return decodeResponse(await openResponse(new Uint8Array(await response.arrayBuffer()))).status === 204;
}

/** Asks the issuer for a token of a batch, as a modified client may; undefined where it is refused. */
async function askFor(account: string, metric: string, id: string, day = TODAY - 5): Promise<string | undefined> {
  const slot = slotOf('month', day);
  const prf = ristretto255_oprf.poprf(Buffer.from(slotName('paid', metric, 'month', slot)));
  const input = Buffer.from(tokenInput(id, day));
  const { blind, blinded, tweakedKey } = prf.blind(input, fromBase64url(KEY));
  const response = await fetch(issuer.address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', account },
    body: JSON.stringify({ metric, every: 'month', slot, blinded: Buffer.from(blinded).toString('base64url') }),
  });
  const { evaluated, proof } = (await response.json()) as { readonly evaluated: string; readonly proof: string };
  if (!response.ok) return undefined;
  const output = prf.finalize(input, blind, fromBase64url(evaluated), blinded, fromBase64url(proof), tweakedKey);
  return `${TOKEN_SCHEME}${Buffer.from(output.slice(0, 32)).toString('base64url')}`;
}

const idOf = (app: number, i: number, j: number): string => (app * 1_000_000 + i * 1_000 + j + 1).toString(16).padStart(32, '0');
const counted = async (wire: string): Promise<number> => (await collector.store.read({ schemas: [wire], metric: 'dark' })).reports;
const others = Array.from({ length: MANY - CHEATS }, (_, i) => i);
const cheats = Array.from({ length: CHEATS }, (_, i) => i);

test(`of ${MANY} devices without tokens, ${CHEATS} cheats have 9 % of the reports`, async () => {
  await forEach(others, async (i) => expect(await honest(i, free)).not.toBeNaN());
  let won = 0;
  await forEach(cheats, async (i) => {
    for (let j = 0; j < EACH; j++) if (await cheat(free.wire, idOf(1, i, j), undefined)) won++;
  });
  expect(won).toBe(EACH * CHEATS);
  const share = won / (await counted(free.wire));
  console.log(`without tokens: ${won} of ${await counted(free.wire)} reports, ${(100 * share).toFixed(1)} %`);
  expect(share).toBeGreaterThan(0.09);
}, 600_000);

test(`of ${MANY} devices with tokens, ${CHEATS} cheats have 1 % of the reports, and no honest one is lost`, async () => {
  const days: number[] = [];
  await forEach(others, async (i) => days.push(await honest(i, paid)));
  expect(days.filter(Number.isNaN)).toEqual([]);
  expect(await counted(paid.wire)).toBe(MANY - CHEATS);
  let won = 0;
  const forged = `${TOKEN_SCHEME}${Buffer.alloc(32, 5).toString('base64url')}`;
  await forEach(cheats, async (i) => {
    const account = `cheat ${i}`;
    const got: string[] = [];
    const elsewhere = (await askFor(account, 'old', idOf(2, i, 0))) as string; // of another metric
    const before = (await askFor(account, 'dark', idOf(2, i, 0), TODAY - 5 - 30)) ?? forged; // of the slot before, which is refused
    for (let j = 0; j < EACH; j++) {
      const id = idOf(2, i, j);
      const own = await askFor(account, 'dark', id);
      if (own !== undefined) got.push(own);
      for (const token of [undefined, forged, elsewhere, before, ...got]) {
        if (await cheat(paid.wire, id, token)) won++;
        if (token === own) continue;
        expect(await cheat(paid.wire, id, token, TODAY - 4)).toBe(false); // the same batch on another day
      }
    }
    expect(got).toHaveLength(1);
  });
  expect(won).toBe(CHEATS);
  const share = won / (await counted(paid.wire));
  console.log(`with tokens: ${won} of ${await counted(paid.wire)} reports, ${(100 * share).toFixed(1)} %`);
  expect(share).toBeLessThanOrEqual(0.01);
  expect(await counted(paid.wire)).toBe(MANY);
}, 600_000);
