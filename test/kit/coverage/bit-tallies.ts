/**
 * Drawn tallies of laws whose reports are bits of a cohort: strings, dBitFlip and hierarchical intervals. Cohorts, places and levels are
 * drawn whatever the answer is, so the devices with an answer are spread over these at once. Given how many devices of a cohort have each
 * answer, its counts are sums of binomial ones. test/collector/estimation/drawn-bits.test.ts holds them to the shipping randomizers.
 */

import {
  bloomBit,
  bloomBits,
  type DBitFlipLaw,
  drawnSupport,
  type HierarchicalLaw,
  type LevelLaw,
  MODULUS,
  mechanismOf,
  type RapporLaw,
  ringOf,
  type StringHash,
  type StringHashingLaw,
  type Support,
  widthOf,
} from '@murmuration/shared';
import type { Tallies } from '#collector/estimation/tally.ts';
import { evenly, type Uniform } from './drawing.ts';
import { binomialAt, binomialsOf, multinomialOf } from './multinomial.ts';

/** How many devices have each answer. */
export type Having = readonly number[];

/** Where a place has fewer devices than this, each device's place is drawn instead of the count: that is faster. */
const FEW = 8;

/** The devices of each answer, spread evenly over places: by answer and place. */
const spread = (having: Having, places: number, uniform: Uniform): readonly ArrayLike<number>[] =>
  having.map((count) => {
    if (count > FEW * places) return multinomialOf(count, evenly(places), uniform);
    const found = new Int32Array(places);
    for (let i = 0; i < count; i++) {
      const place = Math.floor(uniform() * places);
      found[place] = (found[place] as number) + 1;
    }
    return found;
  });

/** The tally of each cohort that has devices. */
function overCohorts(
  having: Having,
  cohorts: number,
  uniform: Uniform,
  cellsOf: (own: Having, cohort: number, reports: number) => Float64Array,
): Tallies {
  const devices = spread(having, cohorts, uniform);
  return new Map(
    Array.from({ length: cohorts }, (_, cohort) => cohort).flatMap((cohort) => {
      const own = devices.map((counts) => counts[cohort] as number);
      const reports = own.reduce((sum, count) => sum + count, 0);
      return reports === 0 ? [] : [[cohort, { reports, cells: cellsOf(own, cohort, reports) }] as const];
    }),
  );
}

/** Draws the count of each bit, from how many devices have it set. */
function bitsBy({ p, q }: Support, uniform: Uniform): (ones: ArrayLike<number>, reports: number) => Float64Array {
  const [ofOnes, ofZeros] = [binomialsOf(p, uniform), binomialsOf(q, uniform)];
  return (ones, reports) => {
    const cells = new Float64Array(ones.length);
    for (let bit = 0; bit < cells.length; bit++) cells[bit] = ofOnes(ones[bit] as number) + ofZeros(reports - (ones[bit] as number));
    return cells;
  };
}

/** Of RAPPOR, for strings with these hashes. */
export function rapporTally(law: RapporLaw, strings: readonly StringHash[], having: Having, uniform: Uniform): Tallies {
  const { bits, hashes, cohorts } = law;
  const drawBits = bitsBy(mechanismOf(law).support(law), uniform);
  return overCohorts(having, cohorts, uniform, (own, cohort, reports) => {
    const ones = new Int32Array(bits);
    for (const [answer, hash] of strings.entries()) {
      if (own[answer] === 0) continue;
      for (const bit of bloomBits(hash, cohort, hashes, bits)) ones[bit] = (ones[bit] as number) + (own[answer] as number);
    }
    return drawBits(ones, reports);
  });
}

/** Of local hashing of strings: a device's bucket stays, or becomes any of the others. */
export function stringHashingTally(law: StringHashingLaw, strings: readonly StringHash[], having: Having, uniform: Uniform): Tallies {
  const { buckets, cohorts, truth } = law;
  const stay = binomialsOf(truth / MODULUS, uniform);
  return overCohorts(having, cohorts, uniform, (own, cohort) => {
    const cells = new Float64Array(buckets);
    for (const [answer, hash] of strings.entries()) {
      const count = own[answer] as number;
      if (count === 0) continue;
      const bucket = bloomBit(hash, cohort, 0, buckets);
      const stayed = stay(count);
      cells[bucket] = (cells[bucket] as number) + stayed;
      for (const [other, moved] of (spread([count - stayed], buckets - 1, uniform)[0] as readonly number[]).entries()) {
        const to = other < bucket ? other : other + 1;
        cells[to] = (cells[to] as number) + moved;
      }
    }
    return cells;
  });
}

/** Of dBitFlip: a cohort is a place on the ring, and its bits are the buckets from there on. */
export function dBitFlipTally(law: DBitFlipLaw, having: Having, uniform: Uniform): Tallies {
  const drawBits = bitsBy(drawnSupport(law), uniform);
  return overCohorts(having, ringOf(law), uniform, (own, place, reports) =>
    drawBits(
      Array.from({ length: law.bits }, (_, bit) => own[(place + bit) % law.size] as number),
      reports,
    ),
  );
}

/**
 * Adds sets of `most` or of one fewer of these cells, every set equally likely, of so many devices each. Cell by cell: a device that has r
 * more to name of the k cells left names the next one with probability r / k, so devices are only told apart by r.
 */
function addSets(cells: Float64Array, places: readonly number[], most: number, whole: number, short: number, uniform: Uniform): void {
  const naming = Array.from({ length: most + 1 }, (_, left) => (left === most ? whole : left === most - 1 ? short : 0));
  for (const [i, place] of places.entries()) {
    for (let left = 1; left <= most; left++) {
      const named = binomialAt(naming[left] as number, Math.min(1, left / (places.length - i)), uniform());
      naming[left] = (naming[left] as number) - named;
      naming[left - 1] = (naming[left - 1] as number) + named;
      cells[place] = (cells[place] as number) + named;
    }
  }
}

/** A level's counts, from how many devices are in each node. k-ary response names a set of one. */
function levelCells(law: LevelLaw, nodes: Having, cells: Float64Array, uniform: Uniform): Float64Array {
  const [most, chance] = law.mechanism === 'subset' ? [law.subset, law.include / MODULUS] : [1, law.truth / MODULUS];
  for (const [node, count] of nodes.entries()) {
    const included = binomialAt(count, chance, uniform());
    cells[node] = (cells[node] as number) + included;
    const others = nodes.map((_, place) => place).filter((place) => place !== node);
    addSets(cells, others, most, count - included, included, uniform);
  }
  return cells;
}

/** Of hierarchical intervals: a cohort is a level. */
export const hierarchicalTally = (law: HierarchicalLaw, having: Having, uniform: Uniform): Tallies =>
  overCohorts(having, law.levels.length, uniform, (own, at) => {
    const level = law.levels[at] as LevelLaw;
    const nodes = Array.from({ length: level.size }, () => 0);
    own.forEach((count, cell) => {
      const node = Math.floor(cell / widthOf(law, at));
      nodes[node] = (nodes[node] as number) + count;
    });
    return levelCells(level, nodes, new Float64Array(law.size), uniform);
  });
