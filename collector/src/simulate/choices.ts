/** Simulates sets: the shipping question, randomizer, codec and estimator over seeded rounds, beside what theory says. */

import { choices } from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type PrivSetLaw, privSet } from '@murmuration/shared';
import { UsageError } from '../commands/usage.ts';
import { estimatesOf } from '../estimators/estimator.ts';
import { normSub } from '../estimators/norm-sub.ts';
import { shrunk } from '../estimators/shrunk.ts';
import { sampler } from './distribution.ts';
import { averageOf, type Simulation } from './simulation.ts';

/** What to simulate: a client's set is `atMost` draws from the shares, equal ones once. */
interface ChoicesSimulation extends Simulation {
  readonly answers: number;
  readonly atMost: number;
}

interface Round {
  readonly unbiased: number;
  readonly shrunk: number;
  readonly normSub: number;
  /** The mean variance that the law gives the estimates, for just these sets. */
  readonly theory: number;
  readonly covered: number;
  readonly clientSeconds: number;
  readonly collectorSeconds: number;
}

const questionOf = ({ answers, atMost, epsilon }: ChoicesSimulation) =>
  choices(
    Array.from({ length: answers }, (_, i) => `${i}`),
    { atMost, epsilon, description: 'simulated' },
  );

function simulateRound(law: PrivSetLaw, simulation: ChoicesSimulation, seed: number): Round {
  const { clients, shares, answers, atMost } = simulation;
  const word = words(seededRng(seed));
  const coins = createCoins(word);
  const draw = sampler(shares, () => word() / 2 ** 32);
  const sets = Array.from({ length: clients }, () => [...new Set(Array.from({ length: atMost }, draw))]);
  const truth = new Float64Array(answers);
  for (const set of sets) for (const answer of set) truth[answer] = (truth[answer] as number) + 1 / clients;
  const randomize = questionOf(simulation).randomizers.privset as unknown as (law: PrivSetLaw, set: unknown, coins: unknown) => Uint8Array;

  const started = performance.now();
  const reports = sets.map((set) => randomize(law, set, coins));
  const randomized = performance.now();
  const cells = new Float64Array(answers + atMost);
  for (const report of reports) for (const cell of privSet.decode(law, report).cells) cells[cell] = (cells[cell] as number) + 1;
  const estimates = estimatesOf(law, { tallies: new Map([[0, { reports: clients, cells }]]), perDevice: 1, candidates: [] });
  const estimated = performance.now();

  const { p, q } = privSet.support(law);
  const mean = (of: (share: number, answer: number) => number): number => averageOf(Array.from(truth, of));
  const squaredError = (rows: readonly number[]): number => mean((share, answer) => ((rows[answer] as number) - share) ** 2);
  const unbiased = estimates.map(({ estimate }) => estimate);
  return {
    unbiased: squaredError(unbiased),
    shrunk: squaredError(shrunk(estimates, atMost)),
    normSub: squaredError(normSub(unbiased, atMost)),
    theory: mean((share) => (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (clients * (p - q) ** 2)),
    covered: mean((share, answer) => {
      const { low = 1, high = 0 } = estimates[answer] ?? {};
      return Number(low <= share && share <= high);
    }),
    clientSeconds: (randomized - started) / 1000,
    collectorSeconds: (estimated - randomized) / 1000,
  };
}

/** Runs the rounds; MSE is the mean over answers of (estimate - the sample's own frequency)², then over rounds. */
export function simulateChoices(simulation: ChoicesSimulation): object {
  const { answers, atMost, epsilon, mechanism, clients, rounds, seed } = simulation;
  if (mechanism !== undefined && mechanism !== 'privset') {
    throw new UsageError(`--mechanism: expected privset, got ${JSON.stringify(mechanism)}`);
  }
  if (atMost > answers) throw new UsageError(`--at-most: expected at most as many as there are answers, ${answers}, got ${atMost}`);
  const question = questionOf(simulation);
  const law = question.law(answers, epsilon, clients) as PrivSetLaw;
  const results = Array.from({ length: rounds }, (_, round) => simulateRound(law, simulation, seed * 1_000_003 + round));
  const average = (of: keyof Round): number => averageOf(results.map((result) => result[of]));
  const mse = { unbiased: average('unbiased'), shrunk: average('shrunk'), normSub: average('normSub') };
  const spread = results.reduce((sum, { unbiased }) => sum + (unbiased - mse.unbiased) ** 2, 0);
  return {
    type: 'choices',
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    answers,
    atMost,
    clients,
    rounds,
    mse,
    mseStandardError: rounds > 1 ? Math.sqrt(spread / (rounds - 1) / rounds) : null,
    theoryMse: average('theory'),
    coverage95: average('covered'),
    bytesPerReport: privSet.reportBytes(law),
    clientMicrosPerReport: (average('clientSeconds') / clients) * 1e6,
    collectorSeconds: average('collectorSeconds'),
  };
}
