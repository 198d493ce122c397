/**
 * `npm run bench -- tokens`: CPU time of what tokens add to a report, beside that of opening its message. A check is held to ten times the
 * opening, so that forged tokens cost a collector no more than so many messages. `--reports`. Then the milliseconds of a phone's engine.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { choice, defineSchema } from '@murmuration/client';
import { encodeRequest, openRequest, pairOf, sealRequest, slotName, TOKEN_SCHEME, toBase64url, tokenInput } from '@murmuration/shared';
import { ristretto255_oprf } from '@noble/curves/ed25519.js';
import { tokenCheck, tokenPair } from '#collector/ingest/tokens.ts';
import { publish } from '#collector/schemas/catalog.ts';
import { runInHermes, writeHermesScript } from '../../kit/hermes.ts';

const DAY = 20_777;
const SECRET = Buffer.alloc(32, 9).toString('base64url');
const MOST = 10;
/** Processes of the VM. */
const PROCESSES = 11;

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

/** The median of what a phone's work takes in the VM, in milliseconds by step: of several processes, since an app seals few messages a visit. */
async function inHermes(gateway: Uint8Array): Promise<{ readonly [step: string]: number }> {
  const { secretKey, publicKey } = tokenPair(SECRET);
  const [seed, input] = [Buffer.alloc(64, 5), Buffer.from('an input')];
  const prf = ristretto255_oprf.poprf(input);
  const { blinded } = prf.blind(input, publicKey, (length = 0) => seed.subarray(0, length));
  const { evaluated, proof } = prf.blindEvaluate(secretKey, blinded);
  const given = Object.entries({ gateway, issuer: publicKey, seed, input, evaluated, proof }).map(([name, bytes]) => [
    name,
    toBase64url(bytes),
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-hermes-'));
  const script = join(folder, 'bundle.js');
  await writeHermesScript(script, join(import.meta.dirname, 'hermes-entry.ts'), { GIVEN: Object.fromEntries(given) });
  const runs = Array.from({ length: PROCESSES }, () => JSON.parse(runInHermes(script)) as { readonly [step: string]: number });
  rmSync(folder, { recursive: true });
  const medianOf = (step: string): number => runs.map((run) => run[step] as number).sort((a, b) => a - b)[(PROCESSES - 1) / 2] as number;
  return Object.fromEntries(Object.keys(runs[0] ?? {}).map((step) => [step, medianOf(step)]));
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
  const hermes = await inHermes(pair.publicKey);
  const rowsOf = (all: { readonly [step: string]: number }): string[][] =>
    Object.entries(all).map(([step, time]) => [step, time.toFixed(0)]);
  return {
    result: { passed: ratio < MOST, reports, cpu, ratio, hermes },
    rows: [['', 'µs of CPU a report'], ...rowsOf(cpu), [], ['a Hermes VM of 2022', 'ms'], ...rowsOf(hermes)],
  };
}
