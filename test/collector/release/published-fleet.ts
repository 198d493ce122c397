/** Drawn fleets of several types, and how many intervals of their published estimates hold, beside a number with much noise. */

import { choice, type DeviceQuestion, defineSchema, distribution, longList, mean } from '@murmuration/client';
import { seededRng, words } from '@murmuration/client/testing';
import { answersOf as answersOfMetric, ratio } from '@murmuration/shared';
import { COUNT_BETA, publishedEstimates } from '#collector/answers/published-estimates.ts';
import { deviceOf, drawsOf, folderOf, type Simulation } from '#collector/planning/simulate/simulation.ts';
import { geometric } from '#collector/release/mechanisms/geometric.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { createCatalog, type PublishedMetric } from '#collector/schemas/catalog.ts';

const answersOf = (size: number) => Array.from({ length: size }, (_, i) => `a${i}`) as [string, string, ...string[]];
const about = { description: 'A question', epsilon: 1 };
const five = answersOf(5);
const questions = {
  five: choice(five, about),
  hundred: choice(answersOf(128), { ...about, mechanism: longList() }),
  thousand: choice(answersOf(1000), { ...about, epsilon: 2, mechanism: longList() }),
  number: mean([0, 4], about),
  spread: distribution([0, 4], about),
};
const simulated = createCatalog([
  defineSchema({ app: 'simulated', version: 1, budget: { epsilon: 12, per: 'month' }, metrics: questions }).document,
]).metrics;
export type Name = keyof typeof questions;

/** Shares by Zipf's law. */
function zipf(size: number): readonly number[] {
  const weights = Array.from({ length: size }, (_, i) => 1 / (i + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** What may be published of a drawn fleet of so many reports, and the true values among all users: shares, or the mean. */
export function fleetOf(name: Name, reports: number, seed: number) {
  const metric = simulated.find((each) => each.metric === name) as PublishedMetric;
  const { law } = metric.document;
  const labels = answersOfMetric(metric.document);
  const shares = zipf(labels?.length ?? five.length);
  const { coins, draw } = drawsOf({ shares } as Simulation, seed);
  const question = questions[name] as DeviceQuestion<unknown>;
  const [device, sums] = [deviceOf(question, law, coins), folderOf(law)];
  for (let i = 0; i < reports; i++) {
    const at = draw();
    sums.addReport(device.randomize(question.input(labels?.[at] ?? at)));
  }
  const evidence = { tallies: sums.tallies(), reports, from: 0, to: 0, ones: [] };
  return {
    request: { metric, evidence, minimum: 20, candidates: [] },
    truths: labels ? shares : [shares.reduce((sum, share, i) => sum + i * share, 0)],
  };
}

// ε 1/80 for the count: a standard deviation of 113.
const noise = geometric({ epsilon: ratio(1n, 80n), sensitivity: 1 });

/** Rounds of published estimates: the part of the answers whose interval holds the true value, in each. */
export function coveredIn(name: Name, reports: number, rounds: number): readonly number[] {
  const random = createRandom(words(seededRng(reports)));
  const covered: number[] = [];
  for (let round = 0; covered.length < rounds; round++) {
    const released = { value: noise.release(reports, random), within: noise.accuracy(COUNT_BETA) };
    if (released.value < 20) continue;
    const { request, truths } = fleetOf(name, reports, round);
    const { answers } = publishedEstimates(request, released);
    const holds = answers.filter(({ low, high }, i) => low <= (truths[i] as number) && (truths[i] as number) <= high);
    covered.push(holds.length / truths.length);
  }
  return covered;
}
