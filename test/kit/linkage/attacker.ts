/**
 * An attacker who knows when each report arrived, its date and its metric, and no address: for each report it names the one that it takes for
 * another of the same device. It has learned from other fleets how far apart the reports of a device arrive.
 */

import { upperTail } from '../../proofs/statistics.ts';
import { uniforms } from '../random.ts';
import type { Sighting } from './fleet.ts';
import { HOUR, MINUTE } from './habits.ts';

/** Edges of distances in time. Above two days they grow with the distance, and around each whole day they are narrow: people have habits. */
const EDGES: readonly number[] = [
  ...[0.05, 0.2, 0.5, 1, 2, 5, 10, 20, 40, 60, 120, 240, 480, 720].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 4, 5, 6, 7, 10, 13].flatMap((days) => [-6, -2, -0.5, -0.1, 0.1, 0.5, 2, 6].map((hours) => days * 24 * HOUR + hours * HOUR)),
].sort((a, b) => a - b);

function binOf(distance: number): number {
  let [low, high] = [0, EDGES.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((EDGES[middle] as number) <= distance) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The bin of a pair: the first for one batch, else by the least distance of two uploads. */
function pairBin(one: Sighting, other: Sighting): number {
  if (one.batch === other.batch) return 0;
  let least = Number.POSITIVE_INFINITY;
  for (const a of one.times) for (const b of other.times) least = Math.min(least, Math.abs(a - b));
  return 1 + binOf(least);
}

/** Whether two reports could be of one device: they have one date, and different metrics, since a device has one report of each. */
const isCandidate = (one: Sighting, other: Sighting): boolean => one !== other && one.day === other.day && one.metric !== other.metric;

/** How much likelier each bin is for two reports of one device than for any two. */
function learn(fleets: readonly (readonly Sighting[])[]): Float64Array {
  const [own, all] = [new Float64Array(EDGES.length + 2).fill(0.5), new Float64Array(EDGES.length + 2).fill(50)];
  for (const sightings of fleets) {
    sightings.forEach((one, i) => {
      for (const other of sightings.slice(i + 1)) {
        if (!isCandidate(one, other)) continue;
        const bin = pairBin(one, other);
        all[bin] = (all[bin] as number) + 1;
        if (one.device === other.device) own[bin] = (own[bin] as number) + 1;
      }
    });
  }
  return own.map((count, bin) => count / (all[bin] as number));
}

/** What the attacker has found. */
export interface Joined {
  /** Reports that have another one of their device, for each of which it names one. */
  readonly reports: number;
  /** How many of the named ones are of the device. */
  readonly right: number;
  /** Different pairs among them: two reports may name each other. */
  readonly pairs: number;
  /** How many would be right by naming any candidate. */
  readonly chance: number;
}

/** Names for each report the candidate that is the likeliest, by chance among equals. */
function join(sightings: readonly Sighting[], likelihood: Float64Array, random: () => number): Joined {
  const pairs = new Set<string>();
  let [reports, right, chance] = [0, 0, 0];
  sightings.forEach((one, i) => {
    let [candidates, own, best, equals, named] = [0, 0, Number.NEGATIVE_INFINITY, 0, -1];
    sightings.forEach((other, j) => {
      if (!isCandidate(one, other)) return;
      candidates++;
      if (other.device === one.device) own++;
      const score = likelihood[pairBin(one, other)] as number;
      equals = score > best ? 1 : score === best ? equals + 1 : equals;
      if (score > best || (score === best && random() * equals < 1)) [best, named] = [score, j];
    });
    if (own === 0) return;
    reports++;
    chance += own / candidates;
    if (sightings[named]?.device !== one.device) return;
    right++;
    pairs.add(`${Math.min(i, named)} ${Math.max(i, named)}`);
  });
  return { reports, right, pairs: pairs.size, chance };
}

/** The sum of what was found in several fleets. */
const total = (all: readonly Joined[]): Joined =>
  all.reduce(
    (sum, each) => ({
      reports: sum.reports + each.reports,
      right: sum.right + each.right,
      pairs: sum.pairs + each.pairs,
      chance: sum.chance + each.chance,
    }),
    { reports: 0, right: 0, pairs: 0, chance: 0 },
  );

/** What an attacker who learned from two fleets finds in others; `fleet` makes one from a seed. */
export async function attack(fleet: (seed: number) => Promise<readonly Sighting[]>, fleets: number): Promise<Joined> {
  const likelihood = learn([await fleet(1), await fleet(2)]);
  const found: Joined[] = [];
  for (let seed = 3; seed < 3 + fleets; seed++) found.push(join(await fleet(seed), likelihood, uniforms(seed)));
  return total(found);
}

/** P(X >= count) of a Poisson variable with this mean, or of a sum of independent rare events with a mean of at most that. */
export const poissonTail = (count: number, mean: number): number =>
  count === 0 ? 1 : 1 - upperTail({ statistic: 2 * mean, degrees: 2 * count });
