/** Drawings of laws whose reports are bits of a cohort: strings, dBitFlip and hierarchical intervals. Lists are enumerated. */

import { dBitFlipLaw, hashString, hierarchicalLaw, type Law, rapporLaw, stringHashingLaw } from '@murmuration/shared';
import { interval, shareOf } from '#collector/estimation/distribution.ts';
import { distributionOf, estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import type { Tallies } from '#collector/estimation/tally.ts';
import { dBitFlipTally, type Having, hierarchicalTally, rapporTally, stringHashingTally } from './bit-tallies.ts';
import { belowEdges, type Drawing, falling, type Uniform } from './drawing.ts';
import { multinomialOf } from './multinomial.ts';

/** Draws what devices have, and their tally by a law that may depend on their number. */
const rounds =
  (
    shares: readonly number[],
    drawn: (devices: number, having: Having, uniform: Uniform) => readonly [Law, Tallies, candidates: readonly string[]],
  ) =>
  (devices: number, uniform: Uniform): ReturnType<Drawing['round']> => {
    const having = multinomialOf(devices, shares, uniform);
    const [law, tallies, candidates] = drawn(devices, having, uniform);
    return {
      among: having.map((count) => count / devices),
      estimates: (people) => estimatesOf(law, { tallies, perDevice: 1, candidates, ...(people && { people }) }),
    };
  };

/** Each round has strings of its own, so coverage is over the hash too. */
const stringsOf = (size: number, uniform: Uniform): readonly string[] => {
  const first = uniform();
  return Array.from({ length: size }, (_, i) => `${first}/${i}`);
};

const itself = (shares: readonly number[]): readonly number[] => shares;

function hierarchicalDrawing(cells: number, epsilon: number): Drawing {
  const [law, shares] = [hierarchicalLaw(cells, epsilon), falling(cells)];
  return {
    name: `distribution of ${cells} cells, hierarchical, ε ${epsilon}`,
    shares,
    truths: belowEdges,
    round: (devices, uniform) => {
      const having = multinomialOf(devices, shares, uniform);
      const tallies = hierarchicalTally(law, having, uniform);
      return {
        among: having.map((count) => count / devices),
        estimates: (people) => {
          const found = distributionOf(law, tallies, people);
          return found === undefined ? [] : shares.slice(1).map((_, i) => interval(shareOf(found, 0, i + 1)));
        },
      };
    },
  };
}

/** Every law whose reports are bits, except lists, which are enumerated. */
export const bitDrawings: readonly Drawing[] = [1, 4].flatMap((epsilon): readonly Drawing[] => {
  const shares = falling(20);
  const flip = dBitFlipLaw(20, 4, epsilon);
  return [
    {
      name: `dBitFlip, 4 of 20, ε ${epsilon}`,
      shares,
      truths: itself,
      round: rounds(shares, (_devices, having, uniform) => [flip, dBitFlipTally(flip, having, uniform), []]),
    },
    {
      name: `text, rappor, ε ${epsilon}`,
      shares,
      truths: itself,
      isLong: true,
      round: rounds(shares, (devices, having, uniform) => {
        const [law, strings] = [rapporLaw(epsilon, devices), stringsOf(shares.length, uniform)];
        return [law, rapporTally(law, strings.map(hashString), having, uniform), strings];
      }),
    },
    {
      name: `text, hashing, ε ${epsilon}`,
      shares,
      truths: itself,
      isLong: true,
      round: rounds(shares, (devices, having, uniform) => {
        const [law, strings] = [stringHashingLaw(epsilon, devices), stringsOf(shares.length, uniform)];
        return [law, stringHashingTally(law, strings.map(hashString), having, uniform), strings];
      }),
    },
    hierarchicalDrawing(16, epsilon),
    hierarchicalDrawing(64, epsilon),
  ];
});
