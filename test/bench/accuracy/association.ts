/**
 * What the association of a string and a list costs, from 50,000 reports and 300 candidates with two answers: the default law and local
 * hashing. Beside it the figure of google/rappor's EM for reports of 8 bits, one hash and 128 cohorts, measured elsewhere: it is no
 * like-for-like comparison, for its cost grows with reports and this one's with cells.
 */

import { hashString, pairText, rapporLaw, type StringLaw, stringHashingLaw } from '@murmuration/shared';
import { associationOf } from '#collector/decoding/association/association.ts';
import { rapporTally, stringHashingTally } from '../../kit/coverage/bit-tallies.ts';
import { uniforms } from '../../kit/coverage/drawing.ts';
import { multinomialOf } from '../../kit/coverage/multinomial.ts';
import type { Part } from '../../kit/part.ts';
import { median } from '../../kit/quantile.ts';

const REPORTS = 50_000;
const CANDIDATES = 300;
/** Strings that people have; the others are absent. */
const PRESENT = 40;
const ROUNDS = 5;
/** Figures of the default law, and of one with 16 times as many cohorts. */
const MOST_SECONDS: { readonly [law: string]: number } = { rappor: 1, 'string-hashing': 2 };

/** CPU seconds of each round, from hashed texts and a tally to the association. */
function secondsOf(law: StringLaw): readonly number[] {
  const uniform = uniforms(1);
  const texts = Array.from({ length: CANDIDATES }, (_, s) => [0, 1].map((index) => hashString(pairText(`string ${s}`, index))));
  const weights = texts.flatMap((_, s) => (s < PRESENT ? [0.65 / (s + 1), 0.35 / (s + 1)] : [0, 0]));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return Array.from({ length: ROUNDS }, () => {
    const having = multinomialOf(
      REPORTS,
      weights.map((weight) => weight / whole),
      uniform,
    );
    const tallies =
      law.mechanism === 'rappor' ? rapporTally(law, texts.flat(), having, uniform) : stringHashingTally(law, texts.flat(), having, uniform);
    const before = process.cpuUsage();
    associationOf(law, { tallies, perDevice: 1, people: REPORTS }, texts, false);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  });
}

/** The seconds of both laws, at ε = 2. */
export function association(): Part {
  const found = [rapporLaw(2, REPORTS), stringHashingLaw(2, REPORTS)].map((law) => ({
    law: law.mechanism,
    cohorts: law.cohorts,
    seconds: median(secondsOf(law)),
  }));
  return {
    title: `association of a string and a list: ${REPORTS} reports, ${CANDIDATES} candidates with two answers`,
    failures: found
      .filter(({ law, seconds }) => !(seconds < (MOST_SECONDS[law] ?? 0)))
      .map(({ law, seconds }) => `association, ${law}: expected less than ${MOST_SECONDS[law]} CPU s, got ${seconds}`),
    rows: [
      ['law', 'cohorts', 'CPU s, median'],
      ...found.map(({ law, cohorts, seconds }) => [law, String(cohorts), seconds.toFixed(3)]),
      ['google/rappor, EM in C++, not converged after 1,000 steps', '128', '10.6 (wall)'],
    ],
    result: found,
  };
}
