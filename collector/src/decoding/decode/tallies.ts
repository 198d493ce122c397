/**
 * The tallies of a string metric as the decoder reads them: cells of cohorts, and the cells that candidates set. For RAPPOR a cell is a bit.
 * For string hashing it is a bucket, of which a report has one.
 *
 * Reports of one device that repeat one stored symbol share its noise. With up to T of them, the variance of a share is (v₁ + (T - 1) v∞) /
 * N instead of v₁ / N (pure.ts). The decoder is given the smaller number of independent reports that have that variance where nobody has the
 * string.
 */

import { bloomBit, hashString, mechanismOf, type StringLaw } from '@murmuration/shared';
import type { Estimate } from '../../estimation/estimate.ts';
import type { Bloom } from '../../estimation/estimation.ts';
import { estimatesOf, estimationOf } from '../../estimation/mechanisms/table.ts';
import { rangeVariance } from '../../estimation/pure.ts';
import type { Tallies } from '../../estimation/tally.ts';
import type { CellCounts, CellMap } from './evidence.ts';

/** The most places of all candidates together: two bytes each. */
const MOST_PLACES = 2 ** 30;

/** Reports, and who sent them. */
interface Sent {
  /** The most reports of one device that repeat one symbol. */
  readonly perDevice: number;
  /** How many people were drawn from the population. */
  readonly people: number;
}

/** The cells of the tallies. */
export function cellCountsOf(law: StringLaw, tallies: Tallies, { perDevice, people }: Sent): CellCounts {
  const { bits: cells, cohorts } = estimationOf(law).bloom(law);
  const { support } = mechanismOf(law);
  const [report, epoch] = [support(law), support(law, 'permanent')];
  const weight = rangeVariance(report, epoch, 1, 1).constant / rangeVariance(report, epoch, 1, perDevice).constant;
  const [reports, counts] = [new Float64Array(cohorts), new Float64Array(cohorts * cells)];
  for (const [cohort, tally] of tallies) {
    reports[cohort] = weight * tally.reports;
    counts.set(
      tally.cells.map((count) => weight * count),
      cohort * cells,
    );
  }
  const isExclusive = estimationOf(law).isSingle;
  return { cohorts, cells, reports, counts, inside: report.p, outside: report.q, people, ...(isExclusive && { isExclusive }) };
}

/**
 * The shares of texts where reports repeat stored symbols; undefined where none do. The fit of the decoder takes a symbol that a device repeats
 * for many devices, so what it finds is right, and its errors are not.
 */
export const repeatedShares = (law: StringLaw, tallies: Tallies, sent: Sent, texts: readonly string[]): readonly Estimate[] | undefined =>
  sent.perDevice > 1 ? estimatesOf(law, { tallies, ...sent, candidates: texts }) : undefined;

/** Writes the places of a text, one cohort after the other, from `at`. */
function addPlaces(places: Uint16Array, at: number, text: string, { bits, hashes, cohorts }: Bloom): void {
  const hash = hashString(text);
  for (let cohort = 0; cohort < cohorts; cohort++, at += hashes) {
    for (let i = 0; i < hashes; i++) {
      let cell = bloomBit(hash, cohort, i, bits);
      for (let other = 0; other < i; other++) if (places[at + other] === cell) cell = bits;
      places[at + i] = cell;
    }
  }
}

/** The cells that texts set. @throws {RangeError} when they are too many for so many cohorts */
export function cellMapOf(law: StringLaw, texts: readonly string[]): CellMap {
  const bloom = estimationOf(law).bloom(law);
  const each = bloom.cohorts * bloom.hashes;
  const most = Math.floor(MOST_PLACES / each);
  if (texts.length > most) throw new RangeError(`expected at most ${most} candidates in ${bloom.cohorts} cohorts, got ${texts.length}`);
  const places = new Uint16Array(texts.length * each);
  texts.forEach((text, v) => {
    addPlaces(places, v * each, text, bloom);
  });
  return { candidates: texts.length, hashes: bloom.hashes, places };
}
