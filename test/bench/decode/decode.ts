/**
 * `npm run bench -- decode`: the decoder of hashed strings over simulated sets, whose truth is known. `calibration` is what ships by regime;
 * `grid` is this project's laws from few reports to many and from a small ε to a large one; `split` is where power is lost; `designs` is
 * several designs on the same sets; `rows` is six settings of this project's law; `cases` is four sets of another project; `speed` is CPU time
 * against the number of candidates. `--only` takes some of these, `--sets`, `--rounds` and `--stride` shorten them, and `--seed` begins
 * elsewhere. docs/decoder.md says which seeds were tuned on.
 */

import { parseArgs } from 'node:util';
import { type Part, type Ran, runParts } from '../../kit/part.ts';
import { calibration, comparison } from './calibration.ts';
import { cases } from './cases.ts';
import { grid } from './grid.ts';
import { rows } from './rows.ts';
import { speed } from './speed.ts';
import { split } from './split.ts';

const PARTS = 'speed,calibration,grid,split,designs,rows,cases';

function whole(option: string, text: string): number {
  const value = Number(text);
  if (!(Number.isSafeInteger(value) && value > 0)) throw new TypeError(`--${option}: expected a whole number above 0, got ${text}`);
  return value;
}

/** Runs the parts, one after the other. */
export async function decode(args: readonly string[]): Promise<Ran> {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: text(PARTS),
      sets: text('200'),
      rounds: text('12'),
      stride: text('5'),
      seed: text('20000'),
      cases: text('../shared/data/rappor'),
    },
  });
  const [sets, rounds, seed] = [whole('sets', values.sets), whole('rounds', values.rounds), whole('seed', values.seed)];
  const parts: { readonly [name: string]: () => Part } = {
    speed,
    calibration: () => calibration(sets, seed),
    grid: () => grid(whole('stride', values.stride), seed),
    split: () => split(sets, seed),
    designs: () => comparison(Math.ceil(sets / 2), seed),
    rows: () => rows(rounds, seed),
    cases: () => cases(new URL(`../../../${values.cases.replace(/\/*$/, '/')}`, import.meta.url)),
  };
  return runParts(parts, values.only, PARTS);
}
