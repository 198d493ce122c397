/** Simulates a number: the production question, randomizer, codec and estimator over seeded rounds, compared with theory. */

import { count, type DeviceQuestion, mean, permanent } from '@murmuration/client';
import { type Ask, mechanismOf, type NumberLaw, type Range } from '@murmuration/shared';
import { UsageError } from '../../base/fault.ts';
import { estimatesOf, estimationOf, scoresOf } from '../../estimation/mechanisms/table.ts';
import { clientMechanism, namesOf, simulatedAs } from './lists.ts';
import {
  coveredBy,
  type DaysErrors,
  daySumsOf,
  deviceOf,
  drawsOf,
  type Errors,
  errorsBeside,
  errorsOf,
  overDays,
  type PermanentErrors,
  permanentErrors,
  reportDays,
  roundsOf,
  type Simulation,
} from './simulation.ts';

/** The input: numbers evenly spaced over a range, one for each share. */
export interface NumberSimulation extends Simulation {
  readonly type: 'mean' | 'count';
  readonly range: Range;
}

/** How many numbers represent a range. */
export const NUMBERS = 101;

/** The mean position of numbers with these shares. */
const meanOf = (shares: readonly number[]): number => shares.reduce((sum, share, i) => sum + (share * i) / (shares.length - 1), 0);

function simulateRound(question: DeviceQuestion<number>, law: NumberLaw, simulation: NumberSimulation, seed: number): DaysErrors {
  const {
    clients,
    shares,
    range: [low, high],
  } = simulation;
  const { coins, draw } = drawsOf(simulation, seed);
  const device = deviceOf(question, law, coins);
  const sums = daySumsOf(law, simulation);
  const once = scoresOf(law);
  const { stored } = estimationOf(law);
  const kept = stored ? scoresOf(stored(law)) : once;
  const width = high - low;
  let [total, variance, keptVariance] = [0, 0, 0];
  for (let i = 0; i < clients; i++) {
    const place = draw() / (shares.length - 1);
    reportDays(sums, simulation, device, device.randomize(question.input(low + width * place)));
    total += place;
    variance += once.varianceAt(place) / clients;
    keptVariance += kept.varianceAt(place) / clients;
  }
  return overDays(sums, simulation, (tallies, perDevice) => {
    const asked = { tallies, perDevice, candidates: [] };
    const { squaredError, covered } = errorsBeside(estimatesOf(law, asked), [total / clients]);
    return {
      squaredError: width * width * squaredError,
      // Reports of one device share the stored bit: (v₁ + (T - 1) v∞) / N.
      theory: (width * width * (variance + (perDevice - 1) * keptVariance)) / (clients * perDevice),
      covered,
      coveredPopulation: coveredBy(estimatesOf(law, { ...asked, people: clients }), [meanOf(shares)]),
    };
  });
}

/** The question of each type. `mechanism` is one that the type accepts. */
const asking: {
  readonly [T in NumberSimulation['type']]: (
    range: Range,
    ask: Pick<Ask, 'epsilon' | 'description'>,
    mechanism?: string,
  ) => DeviceQuestion<number>;
} = {
  mean: (range, ask, mechanism) =>
    mean(range, mechanism === undefined ? ask : { ...ask, mechanism: clientMechanism('mean', simulatedAs('mean', mechanism).client) }),
  count: ([, max], ask, mechanism) =>
    count(max, mechanism === undefined ? ask : { ...ask, mechanism: clientMechanism('count', simulatedAs('count', mechanism).client) }),
};

function questionOf({ type, range, epsilon, mechanism, permanent: epoch }: NumberSimulation): DeviceQuestion<number> {
  const ask = { epsilon, description: 'simulated' };
  if (epoch !== undefined) {
    const kept = namesOf('kept');
    if (mechanism !== undefined && !kept.includes(mechanism))
      throw new UsageError(`--mechanism: expected ${kept.join(' or ')} where --permanent is given, got ${JSON.stringify(mechanism)}`);
    return permanent(asking[type](range, ask), { epsilon: epoch, renew: 'never' });
  }
  return asking[type](range, ask, mechanism);
}

/** The result of simulating a number. */
type NumberResult = Errors &
  Partial<PermanentErrors> & {
    readonly type: 'mean' | 'count';
    readonly mechanism: string;
    readonly parameters: NumberLaw;
    readonly epsilon: number;
    readonly range: Range;
    readonly clients: number;
    readonly rounds: number;
    readonly worstMse: number;
    readonly bytesPerReport: number;
  };

/** Runs the rounds. Errors are relative to the mean of the sample's own numbers, in the unit of the range. */
export function simulateNumber(simulation: NumberSimulation): NumberResult {
  const { type, range, epsilon, clients, rounds } = simulation;
  const question = questionOf(simulation);
  const law = question.law(question.size, epsilon, clients) as NumberLaw;
  const results = roundsOf(simulation, (seed) => simulateRound(question, law, simulation, seed));
  return {
    type,
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    range,
    clients,
    rounds,
    ...errorsOf(results),
    worstMse: ((range[1] - range[0]) ** 2 * scoresOf(law).worst) / clients,
    ...permanentErrors(simulation, results),
    bytesPerReport: mechanismOf(law).reportBytes(law),
  };
}
