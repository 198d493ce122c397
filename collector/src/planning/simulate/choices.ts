/** Simulates sets: the production question, randomizer, codec and estimator over seeded rounds, compared with theory. */

import { choices, type DeviceQuestion } from '@murmuration/client';
import { type PrivSetLaw, privSet } from '@murmuration/shared';
import { UsageError } from '../../base/usage.ts';
import { estimatesOf } from '../../estimation/estimator.ts';
import { biasedErrors, type ListRound, listErrors } from './list-errors.ts';
import { simulatedAs } from './named.ts';
import { deviceOf, drawsOf, folderOf, sharesOf } from './round.ts';
import { averageOf, coveredBy, errorsBeside, roundsOf, type Simulation } from './simulation.ts';

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

function simulateRound(
  question: DeviceQuestion<readonly string[]>,
  law: PrivSetLaw,
  simulation: ChoicesSimulation,
  seed: number,
): ListRound {
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
  const results = roundsOf(simulation, (seed) => simulateRound(question, law, simulation, seed));
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
