/** A phone's work for a report through a relay, in Hermes, which prints the milliseconds. Keys and the issuer's answer are put in as `GIVEN`. */

import { noblePrimitives } from '@murmuration/client/noble';
import { seededRng } from '@murmuration/client/testing';
import { fromBase64url, sealRequest } from '@murmuration/shared';
import { ristretto255_oprf } from '@noble/curves/ed25519.js';

declare const GIVEN: { readonly [name in 'gateway' | 'issuer' | 'seed' | 'input' | 'evaluated' | 'proof']: string };
declare const print: (line: string) => void;

const given = (name: keyof typeof GIVEN): Uint8Array => fromBase64url(GIVEN[name]);
const primitives = noblePrimitives(seededRng(Date.now()));
const configuration = { id: 1, publicKey: given('gateway') };

async function timed(run: () => unknown): Promise<number> {
  const begun = Date.now();
  await run();
  return Date.now() - begun;
}

const seal = async (): Promise<unknown> => sealRequest(configuration, new Uint8Array(1_024), await primitives.generatePair());

function token(): void {
  const prf = ristretto255_oprf.poprf(given('input'));
  const { blind, blinded, tweakedKey } = prf.blind(given('input'), given('issuer'), (length = 0) => given('seed').slice(0, length));
  prf.finalize(given('input'), blind, given('evaluated'), blinded, given('proof'), tweakedKey);
}

async function work(): Promise<void> {
  const times = {
    'seals its first message': await timed(seal),
    'seals another': await timed(seal),
    'gets its first token': await timed(token),
  };
  print(JSON.stringify(times));
}
work().catch((error: unknown) => print(String(error)));
