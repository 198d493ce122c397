/** Parts of all simulations: input and output, the distributions of simulated answers, and rounds of seeded draws. */

import { readFile } from 'node:fs/promises';
import type { DeviceQuestion } from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type Law, mechanismOf, toBase64url } from '@murmuration/shared';
import { UsageError } from '../../base/fault.ts';
import { unreadBecause } from '../../base/usage.ts';
import type { Estimate } from '../../estimation/estimate.ts';
import type { Tallies } from '../../estimation/tally.ts';
import { Accumulator } from '../../storage/tallying/accumulator.ts';

/** Seeded rounds of clients whose true answers are drawn from shares. */
export interface Simulation {
  readonly epsilon: number;
  /** Default: the automatic choice. */
  readonly mechanism?: string;
  /** ε∞ of a permanent metric. */
  readonly permanent?: number;
  /** The number of days on which each client reports: 1 unless the metric is permanent. */
  readonly days?: number;
  readonly clients: number;
  readonly shares: readonly number[];
  readonly rounds: number;
  readonly seed: number;
}

/** Runs the rounds, each with its own seed. */
export const roundsOf = <R>({ rounds, seed }: Simulation, round: (seed: number) => R): readonly R[] =>
  Array.from({ length: rounds }, (_, i) => round(seed * 1_000_003 + i));

/** The mean over rounds. */
export const averageOf = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/** Squared errors over rounds: their mean, its standard error (null for one round), and the theoretical value. */
export interface Errors {
  readonly mse: number;
  readonly mseStandardError: number | null;
  readonly theoryMse: number;
  /** Coverage of the intervals for the clients themselves, and of those for all users, from whom clients are drawn. */
  readonly coverage95: number;
  readonly populationCoverage95: number;
}

/** The contribution of one round. */
export interface RoundErrors {
  readonly squaredError: number;
  readonly theory: number;
  /** The part of the truths covered by the intervals, among the clients and among all users. */
  readonly covered: number;
  readonly coveredPopulation: number;
}

/** The mean squared error of numbers as estimates of these truths. */
export const meanSquare = (numbers: readonly number[], truths: readonly number[]): number =>
  averageOf(truths.map((truth, i) => ((numbers[i] as number) - truth) ** 2));

/** 1 if an interval covers a truth, else 0. */
export const holds = ({ low, high }: Pick<Estimate, 'low' | 'high'>, truth: number): number => Number(low <= truth && truth <= high);

/** The part of the truths covered by the intervals. */
export const coveredBy = (estimates: readonly Estimate[], truths: readonly number[]): number =>
  averageOf(truths.map((truth, i) => holds(estimates[i] as Estimate, truth)));

/** The errors of estimates of these truths. */
export const errorsBeside = (estimates: readonly Estimate[], truths: readonly number[]): Pick<RoundErrors, 'squaredError' | 'covered'> => ({
  squaredError: meanSquare(
    estimates.map(({ estimate }) => estimate),
    truths,
  ),
  covered: coveredBy(estimates, truths),
});

/** The errors of rounds. */
export function errorsOf(rounds: readonly RoundErrors[]): Errors {
  const mse = averageOf(rounds.map(({ squaredError }) => squaredError));
  const spread = rounds.reduce((sum, { squaredError }) => sum + (squaredError - mse) ** 2, 0);
  return {
    mse,
    mseStandardError: rounds.length > 1 ? Math.sqrt(spread / (rounds.length - 1) / rounds.length) : null,
    theoryMse: averageOf(rounds.map(({ theory }) => theory)),
    coverage95: averageOf(rounds.map(({ covered }) => covered)),
    populationCoverage95: averageOf(rounds.map(({ coveredPopulation }) => coveredPopulation)),
  };
}

/** The contribution of one round of a question that may be permanent: for the first day, and for all days together. */
export interface DaysErrors extends RoundErrors {
  readonly allDays: RoundErrors;
}

/** For a permanent metric: ε∞, and the errors of the estimate from all days together. */
export interface PermanentErrors {
  readonly permanent: number;
  readonly days: number;
  readonly allDays: Errors;
}

/** These errors over rounds; empty when the metric is not permanent. */
export const permanentErrors = ({ permanent, days = 1 }: Simulation, rounds: readonly DaysErrors[]): PermanentErrors | object =>
  permanent === undefined ? {} : { permanent, days, allDays: errorsOf(rounds.map(({ allDays }) => allDays)) };

// The distributions of simulated answers: Zipf, uniform, or a CSV file of weights.

/** Shares of `size` answers that sum to 1. */
export async function parseDistribution(text: string, size: number): Promise<readonly number[]> {
  const weights = await weightsOf(text, size);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

async function weightsOf(text: string, size: number): Promise<readonly number[]> {
  const zipf = /^zipf:(\d+(?:\.\d+)?)$/.exec(text)?.[1];
  if (zipf !== undefined) return Array.from({ length: size }, (_, i) => (i + 1) ** -Number(zipf));
  if (text === 'uniform') return Array.from({ length: size }, () => 1);
  if (!text.endsWith('.csv')) throw new UsageError(`--distribution: expected zipf:S, uniform or FILE.csv, got ${JSON.stringify(text)}`);
  const lines = await readFile(text, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--distribution ${text}: ${unreadBecause(error)}`);
  });
  const weights = lines
    .trim()
    .split(/\r?\n/)
    .map((line) => Number(line.split(',').at(-1)));
  const bad = weights.findIndex((weight) => !(weight >= 0 && Number.isFinite(weight)));
  if (bad >= 0 || weights.length !== size) {
    throw new UsageError(
      `--distribution ${text}: expected ${size} lines that end in a weight, got ${bad >= 0 ? `no weight in line ${bad + 1}` : weights.length}`,
    );
  }
  return weights;
}

/** Draws from shares by the alias method (Walker 1977, Vose 1991), with two uniforms per draw. */
export function sampler(shares: readonly number[], uniform: () => number): () => number {
  const size = shares.length;
  const cut = shares.map((share) => share * size);
  const alias = shares.map((_, i) => i);
  const small: number[] = [];
  const large: number[] = [];
  cut.forEach((weight, i) => {
    (weight < 1 ? small : large).push(i);
  });
  while (small.length > 0 && large.length > 0) {
    const [low, high] = [small.pop() as number, large.at(-1) as number];
    alias[low] = high;
    cut[high] = (cut[high] as number) - (1 - (cut[low] as number));
    if ((cut[high] as number) < 1) small.push(large.pop() as number);
  }
  return () => {
    const i = Math.floor(uniform() * size);
    return uniform() < (cut[i] as number) || alias[i] === i ? i : (alias[i] as number);
  };
}

/** The parts of a round: seeded draws, the production randomizers, and the collector's sums of the reports. */
type Coins = ReturnType<typeof createCoins>;

/** The sources of randomness of a round, in the order in which they are used. */
interface Draws {
  readonly coins: Coins;
  /** Draws the index of an answer, by its share. */
  readonly draw: () => number;
}

export function drawsOf({ shares }: Pick<Simulation, 'shares'>, seed: number): Draws {
  const word = words(seededRng(seed));
  return { coins: createCoins(word), draw: sampler(shares, () => word() / 2 ** 32) };
}

/** The share of each answer among those drawn for the clients. */
export function sharesOf(drawn: Iterable<number>, answers: number, clients: number): readonly number[] {
  const counts = Array<number>(answers).fill(0);
  for (const answer of drawn) counts[answer] = (counts[answer] as number) + 1;
  return counts.map((count) => count / clients);
}

/** A device's reactions to an input, and to the symbol that it stores for a permanent metric. */
export interface Device {
  readonly randomize: (input: unknown) => Uint8Array;
  readonly respond: (symbol: string) => Uint8Array;
}

/** The randomizers of a question. */
export type Randomizing = Pick<DeviceQuestion<never>, 'randomizers' | 'respondStored'>;

/** A device that answers by a law. */
export function deviceOf({ randomizers, respondStored }: Randomizing, law: Law, coins: Coins): Device {
  const randomize = randomizers[law.mechanism] as unknown as (law: Law, input: unknown, coins: Coins) => Uint8Array;
  return {
    randomize: (input) => randomize(law, input, coins),
    respond: (symbol) => (respondStored as NonNullable<typeof respondStored>)(law, symbol, coins),
  };
}

/** An empty sum of reports. */
export const folderOf = (law: Law): Accumulator => new Accumulator(mechanismOf(law).shape(law));

/** Sums of the first day's reports and of all days' reports; the same object when there is only one day. */
interface DaySums {
  readonly first: Accumulator;
  readonly all: Accumulator;
}

export function daySumsOf(law: Law, { days = 1 }: Simulation): DaySums {
  const first = folderOf(law);
  return { first, all: days > 1 ? folderOf(law) : first };
}

/** Adds a device's reports of its symbol, day by day. */
export function reportDays({ first, all }: DaySums, { permanent, days = 1 }: Simulation, { respond }: Device, symbol: Uint8Array): void {
  for (let day = 0; day < days; day++) {
    const report = permanent === undefined ? symbol : respond(toBase64url(symbol));
    all.addReport(report);
    if (day === 0 && all !== first) first.addReport(report);
  }
}

/** The errors of estimates from both sums, given the number of reports of each device. */
export const overDays = (
  { first, all }: DaySums,
  { days = 1 }: Simulation,
  errors: (tallies: Tallies, perDevice: number) => RoundErrors,
): DaysErrors => ({ ...errors(first.tallies(), 1), allDays: errors(all.tallies(), days) });
