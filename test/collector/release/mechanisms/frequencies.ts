/** Frequencies of noise against its law: one pooled chi-squared statistic. */

import { seededRng, words } from '@murmuration/client/testing';
import type { NoiseMechanism } from '#collector/release/mechanisms/mechanism.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { range } from '../../../proofs/channel.ts';
import { multinomial, upperTail } from '../../../proofs/statistics.ts';

export const FALSE_ALARM = 1e-6;
export const around = (most: number): readonly number[] => range(2 * most + 1).map((i) => i - most);

/** Frequencies of the values -most .. most and the rest, against a law that is proportional to `weight`. */
export function frequencies(noise: NoiseMechanism, weight: (z: number) => number, draws: number, seed: number): number {
  const random = createRandom(words(seededRng(seed)));
  const all = around(2000);
  const mass = all.reduce((sum, z) => sum + weight(z), 0);
  const inner = all.filter((z) => (draws * weight(z)) / mass >= 20);
  const places = new Map(inner.map((z, i) => [z, i]));
  const counts = Array.from({ length: inner.length + 1 }, () => 0);
  for (let i = 0; i < draws; i++) {
    const place = places.get(noise.sample(random)) ?? inner.length;
    counts[place] = (counts[place] as number) + 1;
  }
  const chances = inner.map((z) => weight(z) / mass);
  return upperTail(multinomial(counts, [...chances, 1 - chances.reduce((sum, chance) => sum + chance, 0)], draws));
}
