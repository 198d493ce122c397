/** Simulates a list: the production randomizer, codec and estimator over seeded rounds, compared with theory. */

import { type ListLaw, mechanismOf, toBase64url } from '@murmuration/shared';
import type { Estimate } from '../../estimation/estimate.ts';
import { estimatesOf } from '../../estimation/estimator.ts';
import { optimum } from '../../estimation/mechanisms/subset.ts';
import { estimationOf } from '../../estimation/mechanisms/table.ts';
import type { Tallies } from '../../estimation/tally.ts';
import { biasedErrors, type ListErrors, type ListRound, listErrors } from './list-errors.ts';
import { type ChoiceSimulation, lawOf, randomizersOf } from './lists.ts';
import { daySumsOf, deviceOf, drawsOf, sharesOf } from './round.ts';
import {
  coveredBy,
  type DaysErrors,
  errorsBeside,
  type PermanentErrors,
  permanentErrors,
  type RoundErrors,
  roundsOf,
} from './simulation.ts';

/** Reports that are held at once, so that memory does not grow with the number of clients. */
const AT_ONCE = 1_000;

const errorsIn = (
  law: ListLaw,
  tallies: Tallies,
  estimates: readonly Estimate[],
  truth: readonly number[],
  perDevice: number,
  { clients, shares }: ChoiceSimulation,
): RoundErrors => ({
  ...errorsBeside(estimates, truth),
  coveredPopulation: coveredBy(estimatesOf(law, { tallies, perDevice, candidates: [], people: clients }), shares),
  theory: estimationOf(law).theory(law, tallies, truth, perDevice),
});

/** One round: draws answers, randomizes each, adds up the payloads day by day, estimates, and compares with the sample. */
function simulateRound(law: ListLaw, simulation: ChoiceSimulation, seed: number): ListRound & DaysErrors {
  const { clients, answers, permanent, days = 1 } = simulation;
  const { coins, draw } = drawsOf(simulation, seed);
  const values = Int32Array.from({ length: clients }, draw);
  const truth = sharesOf(values, answers, clients);
  const { randomize, respond } = deviceOf(randomizersOf(law), law, coins);
  const { first, all } = daySumsOf(law, simulation);
  let [clientSeconds, collectorSeconds] = [0, 0];
  for (let from = 0; from < clients; from += AT_ONCE) {
    const started = performance.now();
    const symbols = Array.from(values.subarray(from, from + AT_ONCE), randomize);
    const kept = permanent === undefined ? [] : symbols.map(toBase64url);
    clientSeconds += (performance.now() - started) / 1000;
    for (let day = 0; day < days; day++) {
      const asked = performance.now();
      const reports = permanent === undefined ? symbols : kept.map(respond);
      const randomized = performance.now();
      // Decoded from a batch's JSON, as in a collector.
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
    ...errorsIn(law, first.tallies(), estimates, truth, 1, simulation),
    ...biasedErrors(estimates, truth),
    allDays: errorsIn(law, all.tallies(), together, truth, days, simulation),
    clientSeconds,
    collectorSeconds,
  };
}

/** The result of simulating a list. */
type ChoiceResult = ListErrors &
  Partial<PermanentErrors> & {
    readonly type: 'choice';
    readonly mechanism: string;
    readonly parameters: ListLaw;
    readonly epsilon: number;
    readonly answers: number;
    readonly clients: number;
    readonly rounds: number;
    readonly optimumMse: number;
    readonly bytesPerReport: number;
  };

/** Runs the rounds. MSE is the mean over answers of (estimate - the sample's own frequency)², then over rounds. */
export function simulateChoice(simulation: ChoiceSimulation): ChoiceResult {
  const { answers, epsilon, clients, rounds, days = 1 } = simulation;
  const law = lawOf(simulation);
  const results = roundsOf(simulation, (seed) => simulateRound(law, simulation, seed));
  const { mse, mseStandardError, theoryMse, coverage95, populationCoverage95, ...costs } = listErrors(results, clients * days);
  return {
    type: 'choice',
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    answers,
    clients,
    rounds,
    mse,
    mseStandardError,
    theoryMse,
    optimumMse: optimum(answers, epsilon).variance / clients,
    coverage95,
    populationCoverage95,
    ...permanentErrors(simulation, results),
    bytesPerReport: mechanismOf(law).reportBytes(law),
    ...costs,
  };
}
