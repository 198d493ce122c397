import { bloomBits, hashString, type RapporLaw, rapporFromParameters, rapporLaw } from '@murmuration/shared';
import { respondBits } from '#client/randomizers/bits.ts';
import { randomizeRappor } from '#client/randomizers/rappor.ts';
import { bitsReport } from '../../proofs/channel.ts';
import { bits, type Specimen, type Stages } from './specimen.ts';

const strings = new Map<string, string>();

/** A string whose only Bloom bit in cohort 0 is this one. */
function stringAt(bit: number, count: number): string {
  const known = strings.get(`${bit}/${count}`);
  if (known !== undefined) return known;
  let i = 0;
  while (bloomBits(hashString(`${i}`), 0, 1, count)[0] !== bit) i++;
  strings.set(`${bit}/${count}`, `${i}`);
  return `${i}`;
}

const oneCohort = (law: RapporLaw, count: number): RapporLaw => ({ ...law, bits: count, cohorts: 1 });

export const rappor: Specimen<RapporLaw> = {
  randomize: (law, input, coins) => randomizeRappor(law, stringAt(input, law.bits), coins),
  row: (law, input, T) => bits(law.bits, law, T, [input]),
  respond: respondBits,
  again: (law, { cells }, T) => bits(law.bits, law.irr as Stages, T, cells),
  encode: (law, { cohort, cells }) => bitsReport(cells, law.bits, law.cohorts > 1 ? cohort : undefined),
  thresholds: ({ one, zero }) => [
    [one, []],
    [zero, [0]],
  ],
  laws: [oneCohort(rapporLaw(0.01, 1), 2), oneCohort(rapporLaw(1, 1), 4), oneCohort(rapporLaw(1, 1, 4), 3)],
  small: [
    [oneCohort(rapporLaw(1, 1, undefined, 32), 2), 32],
    [oneCohort(rapporLaw(0.8, 1, 2, 8), 2), 8],
  ],
  large: [oneCohort(rapporLaw(1, 1), 20), oneCohort(rapporLaw(1, 1, 4), 20)],
  at: (e) => rapporLaw(e, 1),
  lengths: [
    rapporLaw(1, 1),
    rapporLaw(1, 100_000),
    rapporLaw(1, 3_000_000, 4),
    rapporFromParameters({ bits: 37, hashes: 2, cohorts: 4, f: 0.5, p: 0, q: 1 }),
  ],
};
