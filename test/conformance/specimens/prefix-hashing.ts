import { familyOf, type PrefixHashingLaw, placeOfText, prefixHashingLaw } from '@murmuration/shared';
import { randomizePrefixHashing } from '#client/randomizers/prefix-hashing.ts';
import { distribution, indexReport, range } from '../../proofs/channel.ts';
import { cohortVectors, innerProduct } from '../../proofs/hashed.ts';
import { rational } from '../../proofs/rational.ts';
import type { Specimen } from './specimen.ts';

const strings = new Map<string, string>();
const CODES = 128;

/** A string of two characters that has this place at every level. */
function stringAt(law: PrefixHashingLaw, place: number): string {
  const key = `${law.longest}/${law.bins}/${law.places}/${place}`;
  const known = strings.get(key);
  if (known !== undefined) return known;
  for (let i = 0; i < CODES ** 2; i++) {
    const text = String.fromCharCode(Math.floor(i / CODES), i % CODES);
    if (range(law.longest).some((level) => placeOfText(law, level, text) !== place)) continue;
    strings.set(key, text);
    return text;
  }
  throw new Error(`expected a string of place ${place} at all levels of ${JSON.stringify(law)}, got none`);
}

const cohortsOf = ({ places, buckets }: PrefixHashingLaw): number => familyOf(places, buckets).cohorts;

const report = (law: PrefixHashingLaw, level: number, cell: number): string =>
  `${law.longest > 1 ? indexReport(level, law.longest) : ''}${cell.toString(16).padStart(cohortsOf(law) * law.buckets > 65_536 ? 6 : cohortsOf(law) * law.buckets > 256 ? 4 : 2, '0')}`;

export const prefixHashing: Specimen<PrefixHashingLaw> = {
  randomize: (law, input, coins) => randomizePrefixHashing(law, stringAt(law, input), coins),
  row: (law, input, T) => {
    const { longest, places, buckets, truth } = law;
    const cohorts = cohortVectors(places, buckets);
    const draws = longest * cohorts.length;
    return distribution(
      range(longest).flatMap((level) =>
        cohorts.flatMap((vector, cohort) => {
          const own = innerProduct(vector, input, buckets);
          return range(buckets).map((bucket) => [
            report(law, level, cohort * buckets + bucket),
            bucket === own ? rational(truth, T * draws) : rational(T - truth, T * (buckets - 1) * draws),
          ]);
        }),
      ),
    );
  },
  encode: (law, { cohort, cells: [cell] }) => report(law, cohort, cell as number),
  thresholds: (law) => [[law.truth, [...(law.longest > 1 ? [0] : []), 0]]],
  laws: [prefixHashingLaw(1, 0.01, 1, 4), prefixHashingLaw(2, 1, 4, 16), prefixHashingLaw(2, 2, 1, 9)],
  small: [
    [prefixHashingLaw(2, 0.4, 2, 4, 64), 64],
    [prefixHashingLaw(1, 1, 1, 9, 64), 64],
  ],
  large: [prefixHashingLaw(2, 1, 8, 16), prefixHashingLaw(2, 2, 8, 49)],
  at: (e) => prefixHashingLaw(1, e, 1, 4),
  lengths: [prefixHashingLaw(16, 4), prefixHashingLaw(1, 1, 8, 16), prefixHashingLaw(40, 2)],
};
