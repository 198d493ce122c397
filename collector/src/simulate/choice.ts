/** Simulates a list: the shipping randomizer, codec and estimator over seeded rounds, beside what theory says. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type ListLaw, mechanismOf, toBase64url } from '@murmuration/shared';
import { drawnIn, drawnVariance } from '../estimators/d-bit-flip.ts';
import type { Estimate } from '../estimators/estimate.ts';
import { estimatesOf } from '../estimators/estimator.ts';
import { normSub } from '../estimators/norm-sub.ts';
import { rangeVariance } from '../estimators/pure.ts';
import { shrunk } from '../estimators/shrunk.ts';
import { Folder } from '../fold/folder.ts';
import type { Tallies } from '../store/store.ts';
import { sampler } from './distribution.ts';
import { type ChoiceSimulation, deviceOf, lawOf, optimum } from './lists.ts';
import { averageOf, errorsOf, type PermanentErrors, permanentErrors, type RoundErrors } from './simulation.ts';

interface Round extends RoundErrors {
  readonly shrunk: number;
  readonly normSub: number;
  /** Of all days together. */
  readonly allDays: RoundErrors;
  readonly clientSeconds: number;
  readonly collectorSeconds: number;
}

/** The mean over answers of the variance that the law gives estimates: of all reports, so many of each device. */
function theoryOf(law: ListLaw, tallies: Tallies, truth: readonly number[], perDevice: number): number {
  const reports = [...tallies.values()].reduce((sum, tally) => sum + tally.reports, 0);
  if (law.mechanism === 'd-bit-flip') {
    return averageOf(
      truth.map((share, bucket) => {
        const { constant, slope, curve } = drawnVariance(law, Math.max(1, drawnIn(law, tallies, bucket)), reports, perDevice);
        return constant + slope * share - curve * share * share;
      }),
    );
  }
  const { support } = mechanismOf(law);
  const { constant, slope } = rangeVariance(support(law), support(law, 'permanent'), perDevice);
  return (constant + slope * averageOf(truth)) / reports;
}

const meanSquare = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, i) => sum + (x - (b[i] as number)) ** 2, 0) / a.length;

/** So many reports are held at once: memory does not grow with the number of clients. */
const AT_ONCE = 1_000;

const errorsIn = (
  law: ListLaw,
  tallies: Tallies,
  estimates: readonly Estimate[],
  truth: readonly number[],
  perDevice: number,
): RoundErrors => ({
  squaredError: meanSquare(
    estimates.map(({ estimate }) => estimate),
    truth,
  ),
  theory: theoryOf(law, tallies, truth, perDevice),
  covered: averageOf(estimates.map(({ low, high }, i) => Number(low <= (truth[i] as number) && (truth[i] as number) <= high))),
});

/** One round: draws answers, randomizes each, folds the payloads day by day, estimates, compares with the sample. */
function simulateRound(law: ListLaw, { clients, shares, answers, permanent, days = 1 }: ChoiceSimulation, seed: number): Round {
  const word = words(seededRng(seed));
  const coins = createCoins(word);
  const draw = sampler(shares, () => word() / 2 ** 32);
  const values = Int32Array.from({ length: clients }, draw);
  const { randomize, respond } = deviceOf(law);
  const truth = Array<number>(answers).fill(0);
  for (const value of values) truth[value] = (truth[value] as number) + 1 / clients;

  const first = new Folder(mechanismOf(law).shape(law));
  const all = days > 1 ? new Folder(mechanismOf(law).shape(law)) : first;
  let [clientSeconds, collectorSeconds] = [0, 0];
  for (let from = 0; from < clients; from += AT_ONCE) {
    const started = performance.now();
    const symbols = Array.from(values.subarray(from, from + AT_ONCE), (value) => randomize(law, value, coins));
    const kept = permanent === undefined ? [] : symbols.map(toBase64url);
    clientSeconds += (performance.now() - started) / 1000;
    for (let day = 0; day < days; day++) {
      const asked = performance.now();
      const reports = permanent === undefined ? symbols : kept.map((symbol) => respond(law, symbol, coins));
      const randomized = performance.now();
      // As a collector has them: out of a batch's JSON.
      const payloads = JSON.parse(JSON.stringify(reports.map(toBase64url))) as readonly string[];
      const sent = performance.now();
      all.addPayloads(payloads);
      clientSeconds += (randomized - asked) / 1000;
      collectorSeconds += (performance.now() - sent) / 1000;
      if (day === 0 && all !== first) first.addPayloads(payloads);
    }
  }
  const folded = performance.now();
  const estimates = estimatesOf(law, { tallies: first.tallies(), perDevice: 1, candidates: [] });
  collectorSeconds += (performance.now() - folded) / 1000;
  const together = estimatesOf(law, { tallies: all.tallies(), perDevice: days, candidates: [] });
  return {
    ...errorsIn(law, first.tallies(), estimates, truth, 1),
    shrunk: meanSquare(shrunk(estimates), truth),
    normSub: meanSquare(normSub(estimates.map(({ estimate }) => estimate)), truth),
    allDays: errorsIn(law, all.tallies(), together, truth, days),
    clientSeconds,
    collectorSeconds,
  };
}

/** What a simulation of a list says. */
type ChoiceResult = Partial<PermanentErrors> & {
  readonly type: 'choice';
  readonly mechanism: string;
  readonly parameters: ListLaw;
  readonly epsilon: number;
  readonly answers: number;
  readonly clients: number;
  readonly rounds: number;
  readonly mse: { readonly unbiased: number; readonly shrunk: number; readonly normSub: number };
  readonly mseStandardError: number | null;
  readonly theoryMse: number;
  readonly optimumMse: number;
  readonly coverage95: number;
  readonly bytesPerReport: number;
  readonly clientMicrosPerReport: number;
  readonly collectorSeconds: number;
};

/** Runs the rounds; MSE is the mean over answers of (estimate - the sample's own frequency)², then over rounds. */
export function simulateChoice(simulation: ChoiceSimulation): ChoiceResult {
  const { answers, epsilon, clients, rounds, seed, days = 1 } = simulation;
  const law = lawOf(simulation);
  const results = Array.from({ length: rounds }, (_, round) => simulateRound(law, simulation, seed * 1_000_003 + round));
  const { mse, mseStandardError, theoryMse, coverage95 } = errorsOf(results);
  return {
    type: 'choice',
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    answers,
    clients,
    rounds,
    mse: {
      unbiased: mse,
      shrunk: averageOf(results.map((result) => result.shrunk)),
      normSub: averageOf(results.map((result) => result.normSub)),
    },
    mseStandardError,
    theoryMse,
    optimumMse: optimum(answers, epsilon).variance / clients,
    coverage95,
    ...permanentErrors(
      simulation,
      results.map(({ allDays }) => allDays),
    ),
    bytesPerReport: mechanismOf(law).reportBytes(law),
    clientMicrosPerReport: (averageOf(results.map(({ clientSeconds }) => clientSeconds)) / (clients * days)) * 1e6,
    collectorSeconds: averageOf(results.map(({ collectorSeconds }) => collectorSeconds)),
  };
}
