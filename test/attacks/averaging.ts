/** Averaging one question: with fresh noise for each answer, and with the stored answer. */

import { seededRng, words } from '@murmuration/client/testing';
import { geometric } from '#collector/release/mechanisms/geometric.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { decimal } from '#collector/release/mechanisms/spending.ts';
import type { Chart } from './chart.ts';

const TIMES = [1, 3, 10, 30, 100, 300, 1000] as const;
const [EPSILON, COUNT, RUNS] = [0.5, 1000, 400] as const;

/** The mean error of the average of so many answers. */
interface Averaged {
  readonly times: number;
  readonly fresh: number;
  readonly stored: number;
  /** What fresh answers are charged. */
  readonly epsilon: number;
}

/** The attack for each number of answers. */
export function averaging(): readonly Averaged[] {
  const random = createRandom(words(seededRng(42)));
  const noise = geometric({ epsilon: decimal(EPSILON, 'ε'), sensitivity: 1 });
  return TIMES.map((times) => {
    let [fresh, stored] = [0, 0];
    for (let run = 0; run < RUNS; run++) {
      let sum = 0;
      for (let i = 0; i < times; i++) sum += noise.release(COUNT, random);
      fresh += Math.abs(sum / times - COUNT) / RUNS;
      // All answers are the first one.
      stored += Math.abs(noise.release(COUNT, random) - COUNT) / RUNS;
    }
    return { times, fresh, stored, epsilon: times * EPSILON };
  });
}

/** The picture. */
export const averagingChart = (all: readonly Averaged[]): Chart => ({
  title: 'Repeating a question helps only where each answer has fresh noise',
  x: { name: 'answers to one question (fresh noise is charged ε 0.5 for each)', ticks: [...TIMES], logarithmic: true },
  y: { name: 'mean error of their average, devices', ticks: [0, 0.5, 1, 1.5, 2, 2.5] },
  lines: [
    {
      name: 'fresh noise',
      colour: '#c0392b',
      line: all.map((each) => [each.times, each.fresh]),
      points: all.map((each) => [each.times, each.fresh]),
    },
    {
      name: 'the stored answer, free',
      colour: '#1f6f8b',
      line: all.map((each) => [each.times, each.stored]),
      points: all.map((each) => [each.times, each.stored]),
    },
  ],
});
