import { bloomBit, hashString, type StringHashingLaw, stringHashingLaw } from '@murmuration/shared';
import { randomizeStringHashing, respondStringHashing } from '#client/randomizers/string-hashing.ts';
import { bucketRow, stringReport } from '../../proofs/hashed.ts';
import type { Specimen } from './specimen.ts';

const strings = new Map<string, string>();

/** A string whose bucket in cohort 0 is this one. */
function stringAt(bucket: number, buckets: number): string {
  const known = strings.get(`${bucket}/${buckets}`);
  if (known !== undefined) return known;
  let i = 0;
  while (bloomBit(hashString(`${i}`), 0, 0, buckets) !== bucket) i++;
  strings.set(`${bucket}/${buckets}`, `${i}`);
  return `${i}`;
}

const oneCohort = (law: StringHashingLaw): StringHashingLaw => ({ ...law, cohorts: 1 });

export const stringHashing: Specimen<StringHashingLaw> = {
  randomize: (law, input, coins) => randomizeStringHashing(law, stringAt(input, law.buckets), coins),
  row: ({ buckets, truth }, input, T) => bucketRow(1, [[0, input]], buckets, truth, T, stringReport),
  respond: respondStringHashing,
  again: ({ buckets, irr }, { cells: [cell] }, T) =>
    bucketRow(1, [[0, cell as number]], buckets, (irr as NonNullable<StringHashingLaw['irr']>).truth, T, stringReport),
  encode: ({ cohorts, buckets }, { cohort, cells: [cell] }) => stringReport(cohorts, cohort, buckets, cell as number),
  thresholds: ({ truth }) => [[truth, []]],
  laws: [stringHashingLaw(0.01, 1), stringHashingLaw(1, 1), stringHashingLaw(1, 1, 4)].map(oneCohort),
  small: [
    [oneCohort(stringHashingLaw(1, 1, undefined, 64)), 64],
    [oneCohort(stringHashingLaw(1, 1, 1.5, 16)), 16],
  ],
  large: [stringHashingLaw(1, 1), stringHashingLaw(3, 1), stringHashingLaw(2, 1, 4)].map(oneCohort),
  at: (e) => stringHashingLaw(e, 1),
  lengths: [stringHashingLaw(1, 1), stringHashingLaw(4, 1000), stringHashingLaw(6, 100_000, 8)],
};
