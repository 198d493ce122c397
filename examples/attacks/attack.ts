/** What every attack here is: a function of a seed that attacks, and a picture of what came out. */

import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { createRandom, type Random } from '../../collector/src/release/mechanisms/random.ts';
import { type Chart, figure } from './figure.ts';

/** A sentence that says what came out, and the charts that show it. */
export interface Picture {
  readonly sentence: string;
  readonly charts: readonly Chart[];
}

/** The seed of the pictures in docs/attacks. */
export const SEED = 2026;

/** The collector's random decisions, from a seed. */
export const seededRandom = (seed: number): Random => createRandom(words(seededRng(seed)));

/** A device's coins, from a seed. */
export const seededCoins = (seed: number): ReturnType<typeof createCoins> => createCoins(words(seededRng(seed)));

/** The share of guesses between two worlds that can be right at ε, whoever guesses: e^ε / (1 + e^ε). */
export const mostRight = (epsilon: number): number => 1 / (1 + Math.exp(-epsilon));

/** Writes a picture to docs/attacks, and prints its sentence. */
export function show(name: string, { sentence, charts }: Picture): void {
  const file = fileURLToPath(new URL(`../../docs/attacks/${name}.svg`, import.meta.url));
  writeFileSync(file, figure(sentence, charts));
  process.stdout.write(`${sentence}\n${relative('', file)}\n`);
}
