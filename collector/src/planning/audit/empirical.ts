/**
 * Lower confidence bounds on ε, from runs of the randomizers that devices have: a test of the program, where the audit computes. As in Ding
 * et al. 2018, "Detecting Violations of Differential Privacy", and Jagielski, Ullman, Oprea 2020, "Auditing Differentially Private Machine
 * Learning"; for local randomizers Arcolezi and Gambs 2023, "Revealing the True Cost of Locally Differentially Private Protocols".
 *
 * Half of the runs choose an event that tells two values apart; the other half count how often each value causes it. ln(p / q) is then at
 * least ln(lower end of p / upper end of q) (Clopper and Pearson 1934). Every end is so far out that over all metrics, stages, orders of the
 * values and ends together, a program that keeps its claims is said to break one with a probability of at most 1e-6 (Bonferroni). A bound
 * below the claim proves nothing: another event or two other values may tell more. Which two of the values that are tried (values.ts) tell
 * most is chosen by the first half of the runs too, so trying many costs no confidence.
 */

import type { ResolvedQuestion, ResolvedQuestions } from '@murmuration/client/resolved';
import { createCoins, words } from '@murmuration/client/testing';
import { type Law, type MetricDocument, mechanismOf, type Report, type SchemaDocument, toBase64url } from '@murmuration/shared';
import { lowerShare, upperShare } from '../../estimation/statistics/counts.ts';
import type { Tallies } from '../../estimation/tally.ts';
import { deviceOf, folderOf } from '../simulate/simulation.ts';
import { bestEvent, type Event, isIn, type Scored, type Scores, scoresOf } from './events.ts';
import { shippedQuestions } from './shipped.ts';
import { triedOf } from './values.ts';

/** The probability with which a program that keeps all claims is said to break one. */
const PROBABILITY = 1e-6;

/** The most scores of a value that are kept to choose an event, so that memory does not grow with the runs. */
const MOST_KEPT = 100_000;

/** Runs of a cohort from which its weights can be learned. */
const PER_COHORT = 1_000;

/** Runs with each value that choose two of them: so many to learn scores, and so many to choose events. */
const SCREENED = { learned: 20_000, kept: 5_000 } as const;

/** Two values that an app could record. */
type Pair = readonly [unknown, unknown];

type Coins = ReturnType<typeof createCoins>;

/** Subject of a test: the report, or the symbol that a permanent metric stores for an epoch. */
interface Stage {
  readonly metric: string;
  readonly of: 'report' | 'epoch';
  readonly claim: number;
  readonly question: ResolvedQuestion<never>;
  readonly document: MetricDocument;
}

/** The test of a stage. The event is likelier for the first of the values. */
interface Tested {
  readonly metric: string;
  readonly of: Stage['of'];
  /** The two values that are told apart best. */
  readonly values: Pair;
  /** How many values were tried, all with each other, and out of how many; null if there is no end of them. */
  readonly tried: { readonly values: number; readonly of: number | null };
  /** ε at the event: ln(p / q) of the shares of runs; null if one of the values was never in it. */
  readonly estimate: number | null;
  readonly lowerBound: number;
  readonly claim: number;
  readonly holds: boolean;
}

/** The test of a schema. */
export interface Empirical {
  /** Runs with each of the two values that are told apart best. */
  readonly runs: number;
  readonly probability: number;
  readonly metrics: readonly Tested[];
  readonly holds: boolean;
}

const stagesOf = ({ metrics }: SchemaDocument, questions: ResolvedQuestions): readonly Stage[] =>
  Object.entries(metrics).flatMap(([metric, document]) => {
    const question = questions[metric] as ResolvedQuestion<never>;
    const report: Stage = { metric, of: 'report', claim: document.epsilon, question, document };
    return document.permanent ? [{ ...report, of: 'epoch' as const, claim: document.permanent.epsilon }, report] : [report];
  });

/** Runs a stage's randomizer on a value. */
type Run = (value: unknown) => Uint8Array;

/**
 * The randomizer of a stage. With few runs, only the first cohorts are drawn, so that each has enough of them. Randomizers draw the cohort
 * before anything else, and every report tells it, so no cohort may spend more than the claim.
 */
function runOf({ of, question, document: { law, permanent } }: Stage, { flip, uniform }: Coins, training: number): Run {
  const { cohorts } = mechanismOf(law).shape(law);
  const few = Math.max(1, Math.min(cohorts, Math.floor(training / PER_COHORT)));
  let isFirst = true;
  const coins: Coins = {
    flip,
    uniform: (n) => {
      const sides = isFirst && n === cohorts ? few : n;
      isFirst = false;
      return uniform(sides);
    },
  };
  const { randomize, respond } = deviceOf(question, law, coins);
  return (value) => {
    isFirst = true;
    const symbol = randomize(question.input(value as never));
    return of === 'report' && permanent ? respond(toBase64url(symbol)) : symbol;
  };
}

/** The sums of the reports of so many runs. */
function talliesOf(law: Law, run: () => Uint8Array, runs: number): Tallies {
  const sums = folderOf(law);
  for (let i = 0; i < runs; i++) sums.addReport(run());
  return sums.tallies();
}

/** The scores of so many runs. */
function scoredIn(runs: number, scores: () => ReturnType<Scores>): Scored {
  const scored: Scored = [new Float64Array(runs), new Float64Array(runs)];
  for (let i = 0; i < runs; i++) [scored[0][i], scored[1][i]] = scores();
  return scored;
}

/** How many of so many runs are in each event. */
function hitsOf(events: readonly Event[], runs: number, scores: () => ReturnType<Scores>): readonly number[] {
  const hits = events.map(() => 0);
  for (let i = 0; i < runs; i++) {
    const scored = scores();
    for (const [at, event] of events.entries()) if (isIn(event, scored)) hits[at] = (hits[at] as number) + 1;
  }
  return hits;
}

/** The runs with each value, by what they are for: learning scores, choosing events, and counting them. */
function splitOf(runs: number): { readonly learned: number; readonly kept: number; readonly counted: number } {
  const half = Math.floor(runs / 2);
  const kept = Math.min(MOST_KEPT, Math.floor(half / 2));
  return { learned: half - kept, kept, counted: runs - half };
}

/** The two values of a stage whose reports differ most. */
function apart(stage: Stage, values: readonly unknown[], learned: number, kept: number, coins: Coins): Pair {
  const run = runOf(stage, coins, learned);
  const { law } = stage.document;
  const { decode } = mechanismOf(law);
  const seen = values.map((value) => ({
    value,
    tallies: talliesOf(law, () => run(value), learned),
    reports: Array.from({ length: kept }, () => decode(law, run(value))),
  }));
  let best: { readonly pair: Pair; readonly bound: number } = { pair: [values[0], values[1]], bound: 0 };
  for (const [i, one] of seen.entries()) {
    for (const two of seen.slice(i + 1)) {
      const scores = scoresOf(law, one.tallies, two.tallies);
      const [first, second] = [one, two].map(({ reports }) => {
        let at = 0;
        return scoredIn(kept, () => scores(reports[at++] as Report));
      }) as [Scored, Scored];
      const bound = Math.max(bestEvent(first, second).bound, bestEvent(second, first).bound);
      if (bound > best.bound) best = { pair: [one.value, two.value], bound };
    }
  }
  return best.pair;
}

/** The test of a stage, with that order of its values which has the larger bound. Each end of a share is wrong with this probability. */
function testStage(stage: Stage, runs: number, coins: Coins, probability: number): Tested {
  const { metric, of, claim, document } = stage;
  const { learned, kept, counted } = splitOf(runs);
  const run = runOf(stage, coins, learned);
  const { decode } = mechanismOf(document.law);
  const { values: all, of: most } = triedOf(document);
  const [one, two] =
    all.length > 2 ? apart(stage, all, Math.min(SCREENED.learned, learned), Math.min(SCREENED.kept, kept), coins) : [all[0], all[1]];
  const tried = { values: all.length, of: most };
  const learn = (value: unknown): Tallies => talliesOf(document.law, () => run(value), learned);
  const scores = scoresOf(document.law, learn(one), learn(two));
  const scoresFor = (value: unknown) => (): ReturnType<Scores> => scores(decode(document.law, run(value)));
  const [first, second] = [scoredIn(kept, scoresFor(one)), scoredIn(kept, scoresFor(two))];
  const events = [bestEvent(first, second), bestEvent(second, first)];
  const [ofOne, ofTwo] = [hitsOf(events, counted, scoresFor(one)), hitsOf(events, counted, scoresFor(two))];

  const tested = (values: Pair, likely: number, other: number): Tested => {
    const bound = Math.log(lowerShare(likely, counted, probability) / upperShare(other, counted, probability));
    const lowerBound = Math.max(0, bound);
    const estimate = likely > 0 && other > 0 ? Math.log(likely / other) : null;
    return { metric, of, values, tried, estimate, lowerBound, claim, holds: lowerBound <= claim };
  };
  const forth = tested([one, two], ofOne[0] as number, ofTwo[0] as number);
  const back = tested([two, one], ofTwo[1] as number, ofOne[1] as number);
  return back.lowerBound > forth.lowerBound ? back : forth;
}

/** The system's source of randomness, as on a device. */
const systemCoins = (): Coins => createCoins(words((bytes) => crypto.getRandomValues(bytes)));

/**
 * Tests the randomizers of a schema.
 *
 * @param runs the runs with each of the two values of a metric that are told apart best
 * @param questions the questions whose randomizers are run
 */
export function empiricalOf(
  document: SchemaDocument,
  runs: number,
  questions: ResolvedQuestions = shippedQuestions(document),
  coins: Coins = systemCoins(),
): Empirical {
  const stages = stagesOf(document, questions);
  const each = PROBABILITY / (4 * stages.length); // two orders, and two ends in each
  const metrics = stages.map((stage) => testStage(stage, runs, coins, each));
  return { runs, probability: PROBABILITY, metrics, holds: metrics.every(({ holds }) => holds) };
}
