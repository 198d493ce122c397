/** Simulates lists and sets: the production randomizer, codec and estimator over seeded rounds, compared with theory. */

import { choices, type DeviceQuestion } from '@murmuration/client';
import { type ListLaw, mechanismOf, type PrivSetLaw, privSet, toBase64url } from '@murmuration/shared';
import { UsageError } from '../../base/fault.ts';
import type { Estimate } from '../../estimation/estimate.ts';
import { optimum } from '../../estimation/mechanisms/subset.ts';
import { estimatesOf, estimationOf } from '../../estimation/mechanisms/table.ts';
import { normSub, shrunk } from '../../estimation/shrunk.ts';
import type { Tallies } from '../../estimation/tally.ts';
import { type ChoiceSimulation, lawOf, randomizersOf, simulatedAs } from './lists.ts';
import {
  averageOf,
  coveredBy,
  type DaysErrors,
  daySumsOf,
  deviceOf,
  drawsOf,
  type Errors,
  errorsBeside,
  errorsOf,
  folderOf,
  meanSquare,
  type PermanentErrors,
  permanentErrors,
  type RoundErrors,
  roundsOf,
  type Simulation,
  sharesOf,
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
function answerRound(law: ListLaw, simulation: ChoiceSimulation, seed: number): ListRound & DaysErrors {
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
  const results = roundsOf(simulation, (seed) => answerRound(law, simulation, seed));
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

// Simulates sets: the production question, randomizer, codec and estimator over seeded rounds, compared with theory.

/** The input: a client's set is `atMost` draws from the shares, without duplicates. */
interface ChoicesSimulation extends Simulation {
  readonly answers: number;
  readonly atMost: number;
}

function questionOf({ answers, atMost, epsilon, mechanism = 'privset' }: ChoicesSimulation): DeviceQuestion<readonly string[]> {
  simulatedAs('choices', mechanism);
  if (atMost > answers) throw new UsageError(`--at-most: expected at most as many as there are answers, ${answers}, got ${atMost}`);
  return choices(
    Array.from({ length: answers }, (_, i) => `${i}`),
    { atMost, epsilon, description: 'simulated' },
  );
}

function setRound(question: DeviceQuestion<readonly string[]>, law: PrivSetLaw, simulation: ChoicesSimulation, seed: number): ListRound {
  const { clients, answers, atMost } = simulation;
  const { coins, draw } = drawsOf(simulation, seed);
  const sets = Array.from({ length: clients }, () => [...new Set(Array.from({ length: atMost }, draw))]);
  const truth = sharesOf(sets.flat(), answers, clients);
  const { randomize } = deviceOf(question, law, coins);
  const folder = folderOf(law);

  const started = performance.now();
  const reports = sets.map(randomize);
  const randomized = performance.now();
  for (const report of reports) folder.addReport(report);
  const asked = { tallies: folder.tallies(), perDevice: 1, candidates: [] };
  const estimates = estimatesOf(law, asked);
  const estimated = performance.now();

  const { p, q } = privSet.support(law);
  return {
    ...errorsBeside(estimates, truth),
    coveredPopulation: coveredBy(
      estimatesOf(law, { ...asked, people: clients }),
      simulation.shares.map((share) => 1 - (1 - share) ** atMost), // the share of sets that hold the answer
    ),
    ...biasedErrors(estimates, truth, atMost),
    // The mean variance of the estimates under the law, given exactly these sets.
    theory: averageOf(truth.map((share) => (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (clients * (p - q) ** 2))),
    clientSeconds: (randomized - started) / 1000,
    collectorSeconds: (estimated - randomized) / 1000,
  };
}

/** Runs the rounds. MSE is the mean over answers of (estimate - the sample's own frequency)², then over rounds. */
export function simulateChoices(simulation: ChoicesSimulation): object {
  const { answers, atMost, epsilon, clients, rounds } = simulation;
  const question = questionOf(simulation);
  const law = question.law(answers, epsilon, clients) as PrivSetLaw;
  const results = roundsOf(simulation, (seed) => setRound(question, law, simulation, seed));
  const { clientMicrosPerReport, collectorSeconds, ...errors } = listErrors(results, clients);
  return {
    type: 'choices',
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    answers,
    atMost,
    clients,
    rounds,
    ...errors,
    bytesPerReport: privSet.reportBytes(law),
    clientMicrosPerReport,
    collectorSeconds,
  };
}

// Errors of lists and sets: of the unbiased estimates and of the collector's biased ones; and the costs for client and collector.

/** Squared errors of the biased estimates. */
interface Biased {
  readonly shrunk: number;
  readonly normSub: number;
}

/** The contribution of one round. */
interface ListRound extends RoundErrors, Biased {
  readonly clientSeconds: number;
  readonly collectorSeconds: number;
}

/** The results of a simulation's rounds. */
interface ListErrors extends Omit<Errors, 'mse'> {
  readonly mse: Biased & { readonly unbiased: number };
  readonly clientMicrosPerReport: number;
  readonly collectorSeconds: number;
}

/** The squared errors of the biased estimates. `total` is the sum of the shares. */
const biasedErrors = (estimates: readonly Estimate[], truths: readonly number[], total?: number): Biased => ({
  shrunk: meanSquare(shrunk(estimates, total), truths),
  normSub: meanSquare(
    normSub(
      estimates.map(({ estimate }) => estimate),
      total,
    ),
    truths,
  ),
});

/** The errors of the rounds, in each of which clients made this many reports. */
function listErrors(rounds: readonly ListRound[], reports: number): ListErrors {
  const { mse: unbiased, ...errors } = errorsOf(rounds);
  const average = (of: keyof ListRound): number => averageOf(rounds.map((round) => round[of]));
  return {
    mse: { unbiased, shrunk: average('shrunk'), normSub: average('normSub') },
    ...errors,
    clientMicrosPerReport: (average('clientSeconds') / reports) * 1e6,
    collectorSeconds: average('collectorSeconds'),
  };
}
