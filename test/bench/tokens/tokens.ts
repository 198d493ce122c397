/**
 * `npm run bench -- tokens`: CPU time of what tokens add to a report, beside that of opening its message. A check is held to ten times the
 * opening, so that forged tokens cost a collector no more than so many messages. `--reports`.
 */

import { parseArgs } from 'node:util';
import { choice, defineSchema } from '@murmuration/client';
import { encodeRequest, openRequest, pairOf, sealRequest, slotName, TOKEN_SCHEME, tokenInput } from '@murmuration/shared';
import { ristretto255_oprf } from '@noble/curves/ed25519.js';
import { tokenCheck, tokenPair } from '#collector/ingest/tokens.ts';
import { publish } from '#collector/schemas/catalog.ts';

const DAY = 20_777;
const SECRET = Buffer.alloc(32, 9).toString('base64url');
const MOST = 10;

const ask = { epsilon: 1, description: 'Which plan?', every: 'week' } as const;
const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 9, per: 'month' }, metrics: { plan: choice(['a', 'b'], ask) } });

const idOf = (i: number): string => i.toString(16).padStart(32, '0');

/** Microseconds of CPU time, of all threads, that a run takes. */
async function cpuOf(runs: number, run: (i: number) => unknown): Promise<number> {
  for (let i = 0; i < runs / 10; i++) await run(i);
  const before = process.cpuUsage();
  for (let i = 0; i < runs; i++) await run(i);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / runs;
}

export async function tokens(args: readonly string[]) {
  const { values } = parseArgs({ args: [...args], options: { reports: { type: 'string', default: '1000' } } });
  const reports = Number(values.reports);
  const { secretKey, publicKey } = tokenPair(SECRET);
  const name = Buffer.from(slotName('notes', 'plan', 'week', 2_968));
  const prf = ristretto255_oprf.poprf(name);
  const inputs = Array.from({ length: reports }, (_, i) => Buffer.from(tokenInput(idOf(i), DAY)));
  const blinded = inputs.map((input) => prf.blind(input, publicKey));
  const issued = blinded.map((each) => prf.blindEvaluate(secretKey, each.blinded));
  const fields = inputs.map((input) => TOKEN_SCHEME + Buffer.from(prf.evaluate(secretKey, input).subarray(0, 32)).toString('base64url'));
  const pair = await pairOf(new Uint8Array(32).fill(7));
  const request = encodeRequest(
    { method: 'POST', scheme: 'https', authority: 'a', path: '/', fields: [], content: Buffer.alloc(300) },
    1_024,
  );
  const messages = await Promise.all(inputs.map(() => sealRequest({ id: 1, publicKey: pair.publicKey }, request)));
  const check = tokenCheck([{ app: 'notes', secret: SECRET, from: '2020-01-01' }]);
  const published = publish(schema.document);
  const at = <T>(all: readonly T[], i: number): T => all[i] as T;

  const cpu = {
    'collector: opens a message': await cpuOf(reports, (i) => openRequest(at(messages, i).message, () => pair)),
    'collector: checks a token': await cpuOf(reports, (i) =>
      check(
        { schema: schema.wire, day: DAY, id: idOf(i), segment: '{}', reports: new Int32Array([0, 0]), count: 1 },
        published,
        at(fields, i),
      ),
    ),
    'issuer: evaluates, with a proof': await cpuOf(reports, (i) =>
      ristretto255_oprf.poprf(name).blindEvaluate(secretKey, at(blinded, i).blinded),
    ),
    'device: blinds, and checks the proof': await cpuOf(reports, (i) => {
      const { poprf } = ristretto255_oprf;
      poprf(name).blind(at(inputs, i), publicKey);
      const { blind, blinded: element, tweakedKey } = at(blinded, i);
      return prf.finalize(at(inputs, i), blind, at(issued, i).evaluated, element, at(issued, i).proof, tweakedKey);
    }),
  };
  const ratio = cpu['collector: checks a token'] / cpu['collector: opens a message'];
  return {
    result: { passed: ratio < MOST, reports, cpu, ratio },
    rows: [['', 'µs of CPU a report'], ...Object.entries(cpu).map(([step, time]) => [step, time.toFixed(0)])],
  };
}
