/**
 * `npm run bench -- service [--only attack,year,...] [--seconds 60] [--days 365] [--devices 1000] [--ids 10000000] [--metrics 10000]
 * [--candidates 100000] [--repeats 3]`: what strangers, readers, a year of data and a midnight do to `murmuration serve`. Each figure has its baseline in the same run, because
 * a machine that others share makes everything slower.
 */

import { parseArgs } from 'node:util';
import { holds, type Line, rowOf } from '../lines.ts';
import { attackLines } from './attack.ts';
import { midnightLines } from './midnight.ts';
import { readsLines } from './reads.ts';
import { silentLines } from './silent-readers.ts';
import { startLines } from './starts.ts';

interface Options {
  /** How long the attack lasts; the other loads last a fraction of it. */
  readonly seconds: number;
  /** Days of data, and devices that answered each day. */
  readonly days: number;
  readonly devices: number;
  /** Ids that leave at midnight. */
  readonly ids: number;
  /** Metrics of the large schema. */
  readonly metrics: number;
  /** Candidates of the answers that nobody reads. */
  readonly candidates: number;
  /** Starts, and rounds of open dashboards, of which the middle counts. */
  readonly repeats: number;
}

type Part = (options: Options) => Promise<readonly Line[]>;

const PARTS: { readonly [name: string]: Part } = {
  attack: attackLines,
  year: readsLines,
  silent: silentLines,
  midnight: midnightLines,
  starts: startLines,
};

function optionsOf(args: readonly string[]): { readonly options: Options; readonly parts: readonly Part[] } {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { only: text, seconds: text, days: text, devices: text, ids: text, metrics: text, candidates: text, repeats: text },
  });
  const of = (name: keyof Options, otherwise: number, isWhole = true): number => {
    const value = Number(values[name] ?? otherwise);
    if (!(Number.isFinite(value) && value > 0 && (!isWhole || Number.isInteger(value))))
      throw new TypeError(`--${name}: expected a ${isWhole ? 'whole ' : ''}number above 0, got ${values[name]}`);
    return value;
  };
  const names = values.only?.split(',') ?? Object.keys(PARTS);
  const parts = names.map((name) => {
    const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (part === undefined) throw new TypeError(`--only: expected some of ${Object.keys(PARTS).join(', ')}, got ${JSON.stringify(name)}`);
    return part;
  });
  const options = {
    seconds: of('seconds', 60, false),
    days: of('days', 365),
    devices: of('devices', 1_000),
    ids: of('ids', 1e7),
    metrics: of('metrics', 1e4),
    candidates: of('candidates', 1e5),
    repeats: of('repeats', 3),
  };
  return { options, parts };
}

/** Measures everything, one thing after the other. */
export async function service(args: readonly string[]): Promise<{
  readonly result: { readonly passed: boolean; readonly options: Options; readonly lines: readonly Line[] };
  readonly rows: readonly (readonly string[])[];
}> {
  const { options, parts } = optionsOf(args);
  const lines: Line[] = [];
  for (const part of parts) lines.push(...(await part(options)));
  return { result: { passed: lines.every(holds), options, lines }, rows: [['service', 'measured', 'aim', ''], ...lines.map(rowOf)] };
}
