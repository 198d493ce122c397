/**
 * `npm run bench -- client`: what the client adds to a page, beside other SDKs built in the same run, and what it costs while it
 * runs, in Chromium. `--only` takes some of sizes, rivals, speed. Every gate that does not hold is named on standard error.
 */

import { parseArgs } from 'node:util';
import { sizes } from '../../kit/sizes.ts';
import { measureRivals } from './rivals.ts';
import { speed } from './speed.ts';

const PARTS = ['sizes', 'rivals', 'speed'] as const;

/** A table, and its gates. */
interface Part {
  readonly rows: readonly (readonly string[])[];
  readonly gates: readonly { readonly gate: string; readonly holds: boolean; readonly measured: number }[];
  readonly result: unknown;
}

const verdict = (holds: boolean): string => (holds ? 'holds' : 'FAILS');
const whole = (n: number): string => n.toLocaleString('en');

async function sizesPart(): Promise<Part> {
  const found = await sizes();
  const gates = found.flatMap(({ name, bytes, more, limit, total }) => {
    const gate = (most: number | undefined, measured: number, words: string) =>
      most === undefined ? [] : [{ gate: `${name}: at most ${whole(most)} bytes${words}`, holds: measured <= most, measured }];
    return [...gate(limit, more ?? bytes, more === undefined ? '' : ' more'), ...gate(total, bytes, '')];
  });
  const rows = found.map(({ name, bytes, more, limit }) => [
    name,
    whole(bytes),
    more === undefined ? '' : `${more < 0 ? '' : '+'}${whole(more)}`,
    limit === undefined ? '' : whole(limit),
    limit === undefined ? '' : verdict((more ?? bytes) <= limit),
  ]);
  return { rows: [['bytes of brotli'], ['', 'bytes', 'more', 'at most', ''], ...rows], gates, result: found };
}

async function rivalsPart(): Promise<Part> {
  const found = await measureRivals();
  const rows = found.map(({ name, bytes, reason }) => [name, bytes === undefined ? reason : whole(bytes)]);
  return { rows: [['others, bytes of brotli'], ['', 'bytes'], ...rows], gates: [], result: found };
}

async function speedPart(): Promise<Part> {
  const found = await speed();
  const gates = found.flatMap(({ what, measured, unit, atMost }) =>
    atMost === undefined ? [] : [{ gate: `${what}: at most ${atMost} ${unit}`.trim(), holds: measured <= atMost, measured }],
  );
  const rows = found.map(({ what, measured, unit, atMost }) => [
    what,
    `${Number(measured.toFixed(1))} ${unit}`.trim(),
    atMost === undefined ? '' : `${atMost}`,
    atMost === undefined ? '' : verdict(measured <= atMost),
  ]);
  return { rows: [['in Chromium'], ['', 'measured', 'at most', ''], ...rows], gates, result: found };
}

const run: { readonly [part in (typeof PARTS)[number]]: () => Promise<Part> } = { sizes: sizesPart, rivals: rivalsPart, speed: speedPart };

/** Runs the parts, one after the other. */
export async function client(args: readonly string[]): Promise<{
  readonly result: { readonly passed: boolean; readonly gates: readonly unknown[]; readonly [part: string]: unknown };
  readonly rows: readonly (readonly string[])[];
}> {
  const { values } = parseArgs({ args: [...args], options: { only: { type: 'string', default: PARTS.join() } } });
  const chosen = values.only.split(',');
  const unknown = chosen.find((name) => !Object.hasOwn(run, name));
  if (unknown !== undefined) throw new TypeError(`--only: expected some of ${PARTS.join()}, got ${JSON.stringify(unknown)}`);
  const found: [string, Part][] = [];
  for (const name of PARTS) if (chosen.includes(name)) found.push([name, await run[name]()]);
  const gates = found.flatMap(([, part]) => part.gates);
  const failed = gates.filter(({ holds }) => !holds);
  for (const { gate, measured } of failed) process.stderr.write(`failed: ${gate}, measured ${Number(measured.toFixed(1))}\n`);
  return {
    result: { passed: failed.length === 0, gates, ...Object.fromEntries(found.map(([name, { result }]) => [name, result])) },
    rows: found.flatMap(([, { rows }], i) => (i === 0 ? rows : [[], ...rows])),
  };
}
