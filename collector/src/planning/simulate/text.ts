/** Simulates a string: the production question, randomizer, codec and estimator of candidates over seeded rounds, compared with theory. */

import { type DeviceQuestion, permanent, text } from '@murmuration/client';
import { CLEAR, mechanismOf, type StringLaw } from '@murmuration/shared';
import { estimatesOf } from '../../estimation/estimator.ts';
import { estimationOf } from '../../estimation/mechanisms/table.ts';
import { isFitting } from '../../estimation/string-fit.ts';
import { stringVariance } from '../../estimation/strings.ts';
import { clientMechanism, simulatedAs } from './named.ts';
import { addDays, daySumsOf, deviceOf, drawsOf, overDays, sharesOf } from './round.ts';
import { averageOf, coveredBy, type DaysErrors, errorsBeside, errorsOf, permanentErrors, roundsOf, type Simulation } from './simulation.ts';

/** The input: this many strings, all of them candidates. */
export interface TextSimulation extends Simulation {
  readonly answers: number;
}

function questionOf({ epsilon, mechanism = 'rappor', permanent: epoch }: TextSimulation): DeviceQuestion<string> {
  const { client } = simulatedAs('text', mechanism);
  const question = text({ epsilon, description: 'simulated', ...(client !== undefined && { mechanism: clientMechanism('text', client) }) });
  return epoch === undefined ? question : permanent(question, { epsilon: epoch, renew: 'never' });
}

/** One round with its own strings. Theory is therefore a mean over the hash as well. */
function simulateRound(question: DeviceQuestion<string>, law: StringLaw, simulation: TextSimulation, seed: number): DaysErrors {
  const { clients, answers } = simulation;
  const { coins, draw } = drawsOf(simulation, seed);
  const device = deviceOf(question, law, coins);
  const sums = daySumsOf(law, simulation);
  const { decode } = mechanismOf(law);
  const candidates = Array.from({ length: answers }, (_, i) => `${seed}/${i}`);
  const drawn = new Int32Array(clients);
  const together = candidates.map(() => new Map<number, number>()); // for each string, the number of its devices by cohort
  for (let i = 0; i < clients; i++) {
    const own = draw();
    drawn[i] = own;
    const symbol = device.randomize(question.input(candidates[own] as string));
    addDays(sums, simulation, device, symbol);
    const { cohort } = decode(law, symbol);
    const cohorts = together[own] as Map<number, number>;
    cohorts.set(cohort, (cohorts.get(cohort) ?? 0) + 1);
  }
  const truth = sharesOf(drawn, answers, clients);
  // Σ_j (n_jw / n)² of each string w: its contribution to the errors of the other strings.
  const masses = together.map((cohorts) => [...cohorts.values()].reduce((sum, count) => sum + (count / clients) ** 2, 0));
  const bloom = estimationOf(law).bloom(law);
  return overDays(sums, simulation, (tallies, perDevice) => {
    const variance = stringVariance(law, bloom, clients * perDevice, perDevice);
    // Clear strings are fitted: only the chance that spreads their devices over cohorts is left of them.
    const clear = isFitting(bloom) ? CLEAR * Math.sqrt(variance(0, 0)) : 1;
    const left = masses.map((each, i) => ((truth[i] as number) > clear ? (truth[i] as number) / clients : each));
    const mass = left.reduce((sum, each) => sum + each, 0);
    return {
      ...errorsBeside(estimatesOf(law, { tallies, perDevice, candidates }), truth),
      coveredPopulation: coveredBy(estimatesOf(law, { tallies, perDevice, candidates, people: clients }), simulation.shares),
      theory: averageOf(truth.map((share, i) => variance(share, mass - (left[i] as number)))),
    };
  });
}

/** Runs the rounds. MSE is the mean over strings of (estimate - the sample's own frequency)², then over rounds. */
export function simulateText(simulation: TextSimulation): object {
  const { answers, epsilon, clients, rounds } = simulation;
  const question = questionOf(simulation);
  const law = question.law(question.size, epsilon, clients) as StringLaw;
  const results = roundsOf(simulation, (seed) => simulateRound(question, law, simulation, seed));
  return {
    type: 'text',
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    answers,
    clients,
    rounds,
    ...errorsOf(results),
    ...permanentErrors(simulation, results),
    bytesPerReport: mechanismOf(law).reportBytes(law),
  };
}
