/** What means and counts do, by the shipped randomizer and scores: the error of a report is the one that the closed form states. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { countLaw, fromBigEndian, meanLaw } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { randomizeScored } from '#client/randomizers/scored.ts';
import { scoresOf } from '#collector/estimation/mechanisms/table.ts';
import { type ChiSquared, pooled, upperTail } from './statistics.ts';

/** Of each of the two tests below: a correct system fails one of them this often. */
const FALSE_ALARM = 1e-6;
const REPORTS = 60_000;
const PLACES = [0, 0.13, 0.5, 0.77, 1];

const laws = [...[0.5, 1, 2, 3, 4, 6].map(meanLaw), ...[1, 2, 4].flatMap((epsilon) => [5, 20].map((max) => countLaw(max, epsilon)))];

/** The mean error of the reports of one number and its variance, each as a normal deviate from what is stated, times `wrong` that. */
function deviates(law: (typeof laws)[number], place: number, seed: number): (wrong: number) => readonly [mean: number, variance: number] {
  const { values, varianceAt } = scoresOf(law);
  const coins = createCoins(words(seededRng(seed)));
  let [sum, square, fourth] = [0, 0, 0];
  for (let i = 0; i < REPORTS; i++) {
    const error = (values[fromBigEndian(randomizeScored(law, place, coins))] as number) - place;
    sum += error;
    square += error ** 2;
    fourth += error ** 4;
  }
  const [mean, found, kurtosis] = [sum, square, fourth].map((total) => total / REPORTS) as [number, number, number];
  return (wrong) => {
    const stated = wrong * varianceAt(place);
    return [mean / Math.sqrt(stated / REPORTS), (found - stated) / Math.sqrt((kurtosis - found ** 2) / REPORTS)];
  };
}

test('reports of means and counts are unbiased, and vary as stated and not by a hundredth more', () => {
  const all = laws.flatMap((law, i) => PLACES.map((place, j) => deviates(law, place, 100 * i + j)));
  const of = (which: 0 | 1, wrong: number): ChiSquared => pooled(all.map((each) => ({ statistic: each(wrong)[which] ** 2, degrees: 1 })));
  expect(upperTail(of(0, 1))).toBeGreaterThan(FALSE_ALARM);
  expect(upperTail(of(1, 1))).toBeGreaterThan(FALSE_ALARM);
  expect(upperTail(of(1, 1.01))).toBeLessThan(FALSE_ALARM);
});
