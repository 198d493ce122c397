/**
 * Every threshold of every question, from both sides: the randomizers that the page ships run on words that the audit sets. Where they throw
 * this version's coins in its order, and answer the same on both sides of each, their channel is that of the certificate. Where they do not,
 * the channel is computed from every way in which the coins fall, if these are few, or tested by its reports.
 */

import type { MetricDocument } from '@murmuration/shared';
import { lowerShare, upperShare } from '../../../../estimation/statistics/counts.ts';
import { type MetricSpending, type Spent, spendingOf } from '../../spending.ts';
import type { Outcome, Run, Thrown } from '../agent-api.ts';
import { type Check, type Row, row } from '../check.ts';
import { enoughWords, inputsOf, questionOf, type Stage, seededWords, throwCoins, wordsAround } from '../reference.ts';
import type { Found, Visit } from '../visit.ts';

/** Inputs of a question that are tried, coins of each that are walked, and runs on random words. */
const INPUTS = 6;
const COINS = 40;
const RANDOM = 12;

/** The most ways of falling that are enumerated. */
const MOST_WAYS = 4_096;

/** Runs of each of two inputs that test a channel which cannot be computed, and the probability of a false alarm. */
const SAMPLES = 3_000;
const PROBABILITY = 1e-9;

/** Runs on the same words that tell if coins come from elsewhere. */
const REPEATS = 64;

/** One run: its input and words, what this version does with them, and what the page did. */
interface Compared {
  readonly input: unknown;
  readonly words: readonly number[];
  readonly expected: Thrown;
  readonly run: Run;
}

const isSame = (a: Thrown, b: Thrown): boolean => a.bytes === b.bytes && JSON.stringify(a.coins) === JSON.stringify(b.coins);

/** The largest ratio of an outcome's probabilities over two inputs, compared with that of the certificate. */
function exceeds(channels: readonly (readonly Outcome[])[], { odds }: Spent): boolean {
  const sums = channels.map((outcomes) => {
    const common = outcomes.reduce(
      (product, [, , denominator]) => (product % BigInt(denominator) === 0n ? product : product * BigInt(denominator)),
      1n,
    );
    const sum = new Map<string, bigint>();
    for (const [bytes, numerator, denominator] of outcomes)
      sum.set(bytes, (sum.get(bytes) ?? 0n) + BigInt(numerator) * (common / BigInt(denominator)));
    return { sum, common };
  });
  return sums.some((one) =>
    sums.some((two) =>
      [...one.sum].some(([bytes, weight]) => {
        const other = two.sum.get(bytes) ?? 0n;
        return weight * two.common * odds.denominator > other * one.common * odds.numerator;
      }),
    ),
  );
}

/** True if reports of two inputs differ more than ε allows. A false alarm has at most that probability. */
function tells(one: readonly string[], two: readonly string[], epsilon: number): boolean {
  const events = [...new Set([...one, ...two])];
  const chance = PROBABILITY / (2 * events.length);
  const count = (all: readonly string[], event: string): number => all.filter((each) => each === event).length;
  return events.some((event) => {
    const [a, b] = [count(one, event), count(two, event)];
    const bound = (high: number, low: number): number =>
      Math.log(lowerShare(high, one.length, chance) / upperShare(low, two.length, chance));
    return Math.max(bound(a, b), bound(b, a)) > epsilon;
  });
}

/** Tests a stage whose channel is not this version's. */
async function judge(
  visit: Visit,
  device: Found,
  metric: string,
  stage: Stage,
  inputs: readonly unknown[],
  spent: Spent,
): Promise<Omit<Row, 'check'>> {
  const channels = [];
  for (const input of inputs) channels.push(await visit.channel(device, metric, stage, input, MOST_WAYS));
  if (channels.every((each) => each !== undefined)) {
    return exceeds(channels, spent)
      ? { verdict: 'failed', evidence: `its exact channel spends more than the ε ${spent.epsilon} of the certificate` }
      : {
          verdict: 'passed',
          evidence: `it throws other coins than this version, and its exact channel keeps the ε ${spent.epsilon} of the certificate`,
        };
  }
  return sample(
    visit,
    device,
    metric,
    stage,
    inputs,
    spent,
    'it throws other coins than this version, and too many to compute its channel',
  );
}

async function sample(
  visit: Visit,
  device: Found,
  metric: string,
  stage: Stage,
  inputs: readonly unknown[],
  { epsilon }: Spent,
  why: string,
): Promise<Omit<Row, 'check'>> {
  const word = seededWords(3);
  const reports: (readonly string[])[] = [];
  let isStrong = false;
  for (const input of inputs.slice(0, 2)) {
    const runs = await visit.run(
      device,
      metric,
      stage,
      Array.from({ length: SAMPLES }, () => [input, [word(), word(), word(), word()]] as const),
    );
    reports.push((runs ?? []).map(({ own }) => own));
    isStrong ||= (runs ?? []).some(({ strong }) => strong > 0);
  }
  const [one = [], two = []] = reports;
  if (one.length > 0 && two.length > 0 && tells(one, two, Number(epsilon)))
    return {
      verdict: 'failed',
      evidence: `reports of two answers differ more than the ε ${epsilon} of the certificate allows (${SAMPLES} runs of each)`,
    };
  if (one.length > 0 && !isStrong)
    return { verdict: 'failed', evidence: `its coins never ask crypto.getRandomValues (${SAMPLES} runs), so somebody could foretell them` };
  return { verdict: 'not tested', evidence: `${why}. ${SAMPLES} reports of two answers do not exceed its ε` };
}

/** True if a coin decides by a threshold of its word: all words below it one way, all others the other way. */
async function stepOf(
  visit: Visit,
  device: Found,
  metric: string,
  stage: Stage,
  { input, words, run }: Compared,
  at: number,
): Promise<boolean> {
  const grid = Array.from({ length: 257 }, (_, i) => Math.min(2 ** 32 - 1, i * 2 ** 24));
  const runs = await visit.run(
    device,
    metric,
    stage,
    grid.map((word) => [input, words.map((each, i) => (i === at ? word : each))] as const),
  );
  const changes = (runs ?? []).filter(({ own }, i) => i > 0 && own !== runs?.[i - 1]?.own).length;
  return run.isHeard && changes <= 1;
}

async function testStage(
  visit: Visit,
  device: Found,
  name: string,
  metric: MetricDocument,
  stage: Stage,
  spent: Spent,
): Promise<Omit<Row, 'check'> & { readonly isReference: boolean }> {
  const question = questionOf(metric);
  const word = seededWords(2);
  if (question === undefined) return { verdict: 'not tested', evidence: `this version has no ${metric.law.mechanism}`, isReference: false };
  const inputs = inputsOf(question, metric, stage, INPUTS, word);
  const asked = inputs.flatMap((input) => {
    const words = enoughWords(question, metric.law, stage, input, word);
    const { coins } = throwCoins(question, metric.law, stage, input, words);
    const random = Array.from({ length: RANDOM }, () => enoughWords(question, metric.law, stage, input, word));
    return [words, ...wordsAround(coins, words, COINS), ...random].map((each) => [input, each] as const);
  });
  const runs = await visit.run(device, name, stage, asked);
  if (runs === undefined) return { verdict: 'not tested', evidence: 'its randomizer could not be run', isReference: false };
  const compared = asked.map(
    ([input, words], i): Compared => ({
      input,
      words,
      expected: throwCoins(question, metric.law, stage, input, [...words, ...Array.from({ length: 64 }, () => 0)]),
      run: runs[i] as Run,
    }),
  );
  if (runs.some(({ weak }) => weak > 0)) return { verdict: 'failed', evidence: 'its coins come from Math.random', isReference: false };
  if (!compared.every(({ expected, run }) => isSame(expected, run.by)))
    return { ...(await judge(visit, device, name, stage, inputs, spent)), isReference: false };
  if (runs.some(({ isHeard }) => !isHeard))
    return {
      ...(await sample(visit, device, name, stage, inputs, spent, 'its coins take no words from crypto.getRandomValues')),
      isReference: false,
    };
  const wrong = compared.find(({ expected, run }) => run.own !== expected.bytes);
  if (wrong) {
    const flips = wrong.expected.coins.filter(({ of }) => of === 'flip');
    for (const { at, n } of flips.slice(0, 8))
      if (await stepOf(visit, device, name, stage, wrong, at))
        return {
          verdict: 'failed',
          evidence: `on the word ${wrong.words[at]}, where the threshold is ${n}, the device's own coins give ${wrong.run.own}, and the law ${wrong.expected.bytes}`,
          isReference: false,
        };
    const same = await visit.run(device, name, stage, Array(REPEATS).fill([wrong.input, wrong.words]));
    if (new Set(same?.map(({ own }) => own)).size > 1)
      return {
        verdict: 'failed',
        evidence: `on the same words of crypto.getRandomValues its coins fall in several ways (${REPEATS} runs), so they come from elsewhere`,
        isReference: false,
      };
    return {
      ...(await sample(visit, device, name, stage, inputs, spent, "the device's coins change the words that they get")),
      isReference: false,
    };
  }
  const coins = new Set(compared.flatMap(({ expected }) => expected.coins.map(({ of, n }) => `${of} ${n}`))).size;
  return {
    verdict: 'passed',
    evidence: `${compared.length} runs on ${inputs.length} inputs, on both sides of each of its ${coins} kinds of coin: e^ε is ${ratio(spent)} as in the certificate, ε ${spent.epsilon}`,
    isReference: true,
  };
}

function ratio({ odds: { numerator, denominator } }: Spent): string {
  const text = `${numerator} / ${denominator}`;
  return text.length > 60 ? `a ratio of ${`${numerator}`.length} and ${`${denominator}`.length} digits` : text;
}

const stagesOf = ({ report, epoch }: MetricSpending): readonly (readonly [Stage, Spent, string])[] =>
  epoch ? [['value', epoch, 'an epoch of '] as const, ['report', report, 'a report of '] as const] : [['value', report, ''] as const];

export const thresholds: Check = {
  name: 'thresholds',
  run: async (investigation) => {
    const { devices, visit } = await investigation.known();
    if (devices.length === 0) return [row('thresholds', 'not tested', 'no telemetry was found')];
    const rows: Row[] = [];
    for (const device of devices) {
      for (const spending of spendingOf(device.document).metrics) {
        for (const [stage, spent, of] of stagesOf(spending)) {
          const metric = device.document.metrics[spending.metric] as MetricDocument;
          const { isReference, verdict, evidence } = await testStage(visit, device, spending.metric, metric, stage, spent);
          if (!isReference) investigation.others.add(spending.metric);
          rows.push(row(`thresholds of ${of}${spending.metric}`, verdict, evidence));
        }
      }
    }
    return [...new Map(rows.map((each) => [JSON.stringify(each), each])).values()];
  },
};
