/**
 * Low bits of floating-point Laplace noise (Mironov 2012): released counts that prove what the count was, because no draw gives them from
 * the neighbouring count. Against textbook noise in doubles, and against ours.
 */

import { seededRng, words } from '@murmuration/client/testing';
import { geometric } from '#collector/release/mechanisms/geometric.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { decimal } from '#collector/release/mechanisms/spending.ts';
import { isPossible, textbook } from '../proofs/floating-point.ts';
import type { Chart } from './chart.ts';

const EPSILONS = [0.1, 0.25, 0.5, 1, 2, 4] as const;
/** Did one device use the feature, or none? */
const [COUNT, NEIGHBOUR] = [0, 1];
const RELEASES = 1000;

/** The share of releases that prove the count. */
interface Proofs {
  readonly epsilon: number;
  readonly textbook: number;
  readonly ours: number;
}

/** Whether ours can give the output from a count: every whole number has a positive probability, and nothing else has. */
const possibleForOurs = (output: number): boolean => Number.isInteger(output);

/** The attack at each ε. */
export function lowBits(): readonly Proofs[] {
  const random = createRandom(words(seededRng(41)));
  return EPSILONS.map((epsilon) => {
    const noise = geometric({ epsilon: decimal(epsilon, 'ε'), sensitivity: 1 });
    let [proofs, ours] = [0, 0];
    for (let release = 0; release < RELEASES; release++) {
      const output = textbook(COUNT, 1 / epsilon, random.uniform(2 ** 53), random.flip(1, 2));
      if (!isPossible(NEIGHBOUR, 1 / epsilon, output)) proofs++;
      if (!possibleForOurs(noise.release(COUNT, random))) ours++;
    }
    return { epsilon, textbook: proofs / RELEASES, ours: ours / RELEASES };
  });
}

/** The picture. */
export const lowBitsChart = (proofs: readonly Proofs[]): Chart => ({
  title: 'Textbook noise gives the count away, whatever ε is',
  x: { name: 'ε', ticks: [...EPSILONS], logarithmic: true },
  y: { name: 'releases that prove whether one device took part, %', ticks: [0, 20, 40, 60, 80, 100] },
  lines: [
    {
      name: 'Laplace in doubles',
      colour: '#c0392b',
      line: proofs.map((each) => [each.epsilon, 100 * each.textbook]),
      points: proofs.map((each) => [each.epsilon, 100 * each.textbook]),
    },
    {
      name: 'integers, ours',
      colour: '#1f6f8b',
      line: proofs.map((each) => [each.epsilon, 100 * each.ours]),
      points: proofs.map((each) => [each.epsilon, 100 * each.ours]),
    },
  ],
});
