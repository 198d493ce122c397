/** What the tests of attacks share: tests of a stated size, and pictures as they are in docs/attacks. */

import { readFileSync } from 'node:fs';
import type { Picture } from '@murmuration/examples/attacks/attack';
import { figure } from '@murmuration/examples/attacks/figure';
import { expect } from 'vitest';
import { atMost } from '../proofs/statistics.ts';

/** The size of each test. */
export const FALSE_ALARM = 1e-6;

/** P(at least so many of these trials succeed). */
export const atLeast = (hits: number, trials: number, chance: number): number => atMost(trials - hits, trials, 1 - chance);

/** Expects that these successes do not show a probability above a bound, which is one of so many tests that are made together. */
export const expectWithin = (hits: number, trials: number, bound: number, tests = 1): void =>
  expect(atLeast(hits, trials, bound)).toBeGreaterThan(FALSE_ALARM / tests);

/** Expects that these successes show a probability above a bound. */
export const expectAbove = (hits: number, trials: number, bound: number): void =>
  expect(atLeast(hits, trials, bound)).toBeLessThan(FALSE_ALARM);

const docs = new URL('../../docs/', import.meta.url);

/** Expects that docs/attacks has this picture, and docs/attacks.md its sentence. `node examples/attacks/all.ts` writes the pictures. */
export function expectShown(name: string, { sentence, charts }: Picture): void {
  expect(readFileSync(new URL(`attacks/${name}.svg`, docs), 'utf8')).toBe(figure(sentence, charts));
  expect(readFileSync(new URL('attacks.md', docs), 'utf8').replaceAll(/\s+/g, ' ')).toContain(sentence.replaceAll('\u00a0', ' '));
}
