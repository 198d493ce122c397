/**
 * A specimen of every mechanism: its laws, its shipped randomizers, and its channel and encoding as the definition writes
 * them. A mechanism of shares without one does not compile; those of numbers are proved in test/proofs. Inputs are 0 .. cells - 1, each the one that its cell supports.
 */

import {
  bloomBits,
  hashString,
  type KAryLaw,
  kAryLaw,
  mechanismOf,
  permanentKAryLaw,
  type RapporLaw,
  type Report,
  rapporLaw,
  type ShareLaw,
  subsetLaw,
  symmetricUnaryLaw,
  unaryLaw,
} from '@murmuration/shared';
import type { Coins } from '../../client/src/random/coins.ts';
import { respondBits } from '../../client/src/randomizers/bits.ts';
import { randomizeKAry, respondKAry } from '../../client/src/randomizers/k-ary.ts';
import { randomizeRappor } from '../../client/src/randomizers/rappor.ts';
import { randomizeSubset } from '../../client/src/randomizers/subset.ts';
import { randomizeUnary } from '../../client/src/randomizers/unary.ts';
import { bitsReport, bitsRow, indexReport, kAryRow, subsetRow } from '../proofs/channel.ts';
import type { Distribution } from '../proofs/enumerate.ts';
import { rational } from '../proofs/rational.ts';

/** What the suite needs of a mechanism. */
export interface Specimen<L> {
  readonly randomize: (law: L, input: number, coins: Coins) => Uint8Array;
  /** The symbols of an input, with words below T. */
  readonly row: (law: L, input: number, T: number) => Distribution;
  /** The second stage, where there is one: on the device, and the reports of a symbol with this cell or these cells. */
  readonly respond?: (law: L, symbol: Uint8Array, coins: Coins) => Uint8Array;
  readonly again?: (law: L, cells: readonly number[], T: number) => Distribution;
  /** The bytes of a report, in hexadecimal digits. */
  readonly encode: (law: L, report: Report) => string;
  /** Each threshold of the first stage, with words that bring a device to it; input 0. */
  readonly thresholds: (law: L) => readonly (readonly [threshold: number, before: readonly number[]])[];
  /** Over 2^32, few enough reports to write them all down. */
  readonly laws: readonly L[];
  /** Over words below T, few enough strings of words to run them all. */
  readonly small: readonly (readonly [law: L, T: number])[];
  /** Of the size that products ask for. */
  readonly large: readonly L[];
}

type Specimens = { readonly [M in ShareLaw['mechanism']]: Specimen<Extract<ShareLaw, { mechanism: M }>> };

interface Stages {
  readonly one: number;
  readonly zero: number;
}

const bits = (count: number, { one, zero }: Stages, T: number, set: readonly number[]): Distribution =>
  bitsRow(count, rational(one, T), rational(zero, T), set);

const strings = new Map<string, string>();

/** A string whose one Bloom bit in cohort 0 is this. */
function stringAt(bit: number, count: number): string {
  const known = strings.get(`${bit}/${count}`);
  if (known !== undefined) return known;
  let i = 0;
  while (bloomBits(hashString(`${i}`), 0, 1, count)[0] !== bit) i++;
  strings.set(`${bit}/${count}`, `${i}`);
  return `${i}`;
}

const oneCohort = (law: RapporLaw, count: number): RapporLaw => ({ ...law, bits: count, cohorts: 1 });

export const specimens: Specimens = {
  'k-ary': {
    randomize: randomizeKAry,
    row: ({ size, truth }, input, T) => kAryRow(size, truth, T, input),
    respond: respondKAry,
    again: ({ size, irr }, [cell], T) => kAryRow(size, (irr as NonNullable<KAryLaw['irr']>).truth, T, cell as number),
    encode: ({ size }, { cells: [cell] }) => indexReport(cell as number, size),
    thresholds: ({ truth }) => [[truth, []]],
    laws: [kAryLaw(2, 0.01), kAryLaw(5, 1), permanentKAryLaw(4, 1, 4)],
    small: [
      [kAryLaw(3, 2, 64), 64],
      [permanentKAryLaw(3, 1, 1.5, 16), 16],
    ],
    large: [kAryLaw(16, 4), permanentKAryLaw(4, 1, 4)],
  },
  subset: {
    randomize: randomizeSubset,
    row: ({ size, subset, include }, input, T) => subsetRow(size, subset, include, T, input),
    encode: ({ size }, { cells }) => bitsReport(cells, size),
    thresholds: ({ include }) => [[include, []]],
    laws: [subsetLaw(3, 2, 0.01), subsetLaw(5, 2, 1)],
    small: [
      [subsetLaw(4, 2, 1.5, 64), 64],
      [subsetLaw(5, 3, 2, 32), 32],
    ],
    large: [subsetLaw(16, 4, 1), subsetLaw(20, 5, 1)],
  },
  unary: {
    randomize: randomizeUnary,
    row: (law, input, T) => bits(law.size, law, T, [input]),
    respond: respondBits,
    again: ({ size, irr }, cells, T) => bits(size, irr as Stages, T, cells),
    encode: ({ size }, { cells }) => bitsReport(cells, size),
    thresholds: ({ one, zero }) => [
      [one, []],
      [zero, [0]],
    ],
    laws: [
      unaryLaw(2, 0.01),
      symmetricUnaryLaw(3, 0.01),
      unaryLaw(4, 1),
      symmetricUnaryLaw(4, 2),
      unaryLaw(3, 1, 4),
      symmetricUnaryLaw(3, 1, 4),
    ],
    small: [
      [unaryLaw(3, 1, undefined, 32), 32],
      [symmetricUnaryLaw(3, 2, undefined, 32), 32],
      [unaryLaw(2, 1, 3, 16), 16],
      [symmetricUnaryLaw(2, 1, 3, 16), 16],
    ],
    large: [unaryLaw(20, 1), symmetricUnaryLaw(20, 2), unaryLaw(20, 1, 4), symmetricUnaryLaw(20, 1, 4)],
  },
  rappor: {
    randomize: (law, input, coins) => randomizeRappor(law, stringAt(input, law.bits), coins),
    row: (law, input, T) => bits(law.bits, law, T, [input]),
    respond: respondBits,
    again: (law, cells, T) => bits(law.bits, law.irr as Stages, T, cells),
    encode: (law, { cohort, cells }) => bitsReport(cells, law.bits, law.cohorts > 1 ? cohort : undefined),
    thresholds: ({ one, zero }) => [
      [one, [0]],
      [zero, [0, 0]],
    ],
    laws: [oneCohort(rapporLaw(0.01, 1), 2), oneCohort(rapporLaw(1, 1), 4), oneCohort(rapporLaw(1, 1, 4), 3)],
    small: [
      [oneCohort(rapporLaw(1, 1, undefined, 32), 2), 32],
      [oneCohort(rapporLaw(2, 1, 2, 8), 2), 8],
    ],
    large: [oneCohort(rapporLaw(1, 1), 20), oneCohort(rapporLaw(1, 1, 4), 20)],
  },
};

/** Whether a law has a second stage. */
export const isPermanent = (law: ShareLaw): boolean => 'irr' in law && law.irr !== undefined;

/** The shape's cells: how many inputs a specimen's law has. */
export const inputsOf = (law: ShareLaw): number => mechanismOf(law).shape(law).cells;
