/**
 * `npm run bench -- scale`: what the database takes in flushes (flushes.ts), and then what collectors take over HTTP (http.ts). With
 * `--simulate`, collectors, and a simulation of many (simulation.ts). With `--week`, a week of many ids (week.ts). With `--quota`, collectors
 * that have a part of a core each (quota.ts).
 */

import { holds, rowOf } from '../lines.ts';
import { flushes } from './flushes.ts';
import { http } from './http.ts';
import { quota } from './quota.ts';
import { simulation } from './simulation.ts';
import { week } from './week.ts';

type Measured = { readonly result: { readonly passed: boolean }; readonly rows: readonly (readonly string[])[] };

async function measured(): Promise<Measured> {
  const { tables, lines } = await flushes();
  const overHttp = await http();
  const all = [...lines, ...overHttp];
  const missed = all.filter((line) => !holds(line)).length;
  return {
    result: { passed: missed === 0, ...{ tables, lines: all } } as Measured['result'],
    rows: [
      [missed === 0 ? 'passed: every aim holds' : `FAILED: ${missed} of ${all.filter(({ target }) => target).length} aims are missed`],
      ...tables.flatMap((table, i) => (i === 0 ? table : [[], ...table])),
      [],
      ['flushes', 'measured', 'aim', ''],
      ...lines.map(rowOf),
      [],
      ['over HTTP', 'measured', 'aim', ''],
      ...overHttp.map(rowOf),
    ],
  };
}

/** Measures. */
export function scale([kind, ...args]: readonly string[]): Promise<Measured> {
  if (kind === '--simulate') return simulation(args);
  if (kind === '--quota') return quota(args);
  return kind === '--week' ? week(args) : measured();
}
