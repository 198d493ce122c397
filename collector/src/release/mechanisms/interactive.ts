/**
 * A stream of counting queries, most of which cost nothing: a guess from what was already published answers the easy ones, and only hard
 * ones are answered with noise, at most c of them. The frame of Roth and Roughgarden 2010 and Hardt and Rothblum 2010, with the sparse
 * vector technique as Lyu, Su, Li 2017, "Understanding the Sparse Vector Technique for Differential Privacy", prove it (algorithm 7).
 *
 * Law: R is drawn once, with rate ε₁/Δ, in two-sided geometric noise as everywhere here. The guess g for a query q is a whole number that
 * follows from published numbers. With N of rate ε₂/(2cΔ), the query is hard if |q(D) - g| + N >= T + R. If not, g is the answer. If it is,
 * the answer is q(D) + Z with Z of rate ε₃/(cΔ), and the guesses learn from it. After c hard queries the session ends.
 *
 * ε: take neighbours and the same published answers, so the same guesses. |q(D) - g| differs by at most Δ. With R + Δ for R every easy
 * query stays easy, which costs e^ε₁. A hard one stays hard with N + 2Δ for N, which costs e^(ε₂/c), and its answer e^(ε₃/c). Together
 * ε₁ + ε₂ + ε₃ = ε, however many queries are asked. It is spent when the session opens.
 *
 * Utility for k queries: with probability 1 - β, |R| <= λ₁, all |N| <= λ₂ and all |Z| <= λ₃, each with β/3 in all. If T = λ₁ + λ₂ + γ, a
 * hard query's guess errs by at least γ, and an easy one's by less than
 *   T + λ₁ + λ₂ = γ + 2(λ₁ + λ₂)
 * for as long as the session lasts. The guesses may name a γ for which c hard queries suffice, or 0. With ε₁ : ε₂ = 1 : (2c)^(2/3) the
 * noise of the comparison is least (ibid.).
 */

import type { Ratio } from '@murmuration/shared';
import { geometric, MOST_PART } from './geometric.ts';
import { assertBeta, assertWhole, type NoiseMechanism, pure, type Spending, times } from './mechanism.ts';
import { assertQuery, assertTable, type CountingQuery, type Measurement, queryAnswerOf } from './queries.ts';
import type { Random } from './random.ts';

/** Source of answers to easy queries. It knows published numbers only. */
export interface Guesses {
  readonly guess: (query: CountingQuery) => number;
  /** After a hard query was answered. */
  readonly learned: (query: CountingQuery, answer: number) => Guesses;
}

/** A session between two queries. */
export interface Session {
  /** T + R. Secret: who knows it can tell how near guesses are. */
  readonly threshold: number;
  /** How many hard queries are left. */
  readonly left: number;
  readonly guesses: Guesses;
}

/** An answer. */
interface Answered {
  readonly answer: number;
  readonly hard: boolean;
}

/** An answer, and the session after it. */
interface Asked extends Answered {
  readonly session: Session;
}

/** Options of a session. */
export interface InteractiveOptions {
  readonly name: string;
  readonly epsilon: Ratio;
  readonly sensitivity: number;
  readonly cells: number;
  /** The number of queries k for which T is made. More may be asked; the bound is then no longer stated. */
  readonly queries: number;
  /** The number of hard queries c. */
  readonly hard: number;
  /** γ as a function of λ₃. */
  readonly gap: (answerError: number) => number;
  readonly guesses: Guesses;
}

/** A mechanism that answers one query after another. */
export interface Interactive extends Spending {
  readonly name: string;
  readonly sensitivity: number;
  readonly hard: number;
  /** Spends all of ε. */
  readonly open: (random: Random) => Session;
  /** A session that was stored as its secret threshold and its hard queries, in order. Spends nothing. */
  readonly resume: (threshold: number, answered: readonly Measurement[]) => Session;
  /** The session after one more hard query. Spends nothing. */
  readonly learn: (session: Session, answered: Measurement) => Session;
  /** Draws what a hard query draws for its answer, and drops it, so that an easy query can be made to do the same work. */
  readonly idle: (random: Random) => void;
  /** Answers, and leaves it to the caller to learn from a hard query. @throws {RangeError} when no hard query is left */
  readonly answer: (session: Session, query: CountingQuery, counts: readonly number[], random: Random) => Answered;
  /** Answers and learns. @throws {RangeError} when no hard query is left */
  readonly ask: (session: Session, query: CountingQuery, counts: readonly number[], random: Random) => Asked;
  /** The largest error over the k queries, as far as the session lasts. */
  readonly accuracy: (beta: number) => number;
}

/** The noise of threshold, comparison and answers: a third of ε is for the answers. */
function noisesOf(epsilon: Ratio, sensitivity: number, hard: number): readonly [NoiseMechanism, NoiseMechanism, NoiseMechanism] {
  const weight = Math.round(100 * (2 * hard) ** (2 / 3));
  const all = 3 * (100 + weight);
  return [
    geometric({ epsilon: times(epsilon, 200, all), sensitivity }),
    geometric({ epsilon: times(epsilon, 2 * weight, all * hard), sensitivity: 2 * sensitivity }),
    geometric({ epsilon: times(epsilon, 1, 3 * hard), sensitivity }),
  ];
}

/** λ₁, λ₂ and λ₃. */
function errorsOf(of: Pick<InteractiveOptions, 'epsilon' | 'sensitivity' | 'hard' | 'queries'>, beta: number) {
  assertBeta(beta);
  const [threshold, comparison, answer] = noisesOf(of.epsilon, of.sensitivity, of.hard);
  return {
    comparing: threshold.accuracy(beta / 3) + comparison.accuracy(beta / (3 * of.queries)),
    answering: answer.accuracy(beta / (3 * of.hard)),
  };
}

/** T is made for this β. */
const BETA = 0.05;

/** The error that the theorem states for that β. */
export function interactiveBound(of: Omit<InteractiveOptions, 'name' | 'cells' | 'guesses'>): number {
  const { comparing, answering } = errorsOf(of, BETA);
  return Math.max(of.gap(answering) + 2 * comparing, answering);
}

/** The most hard queries, up to a limit, for which all noise can be drawn exactly. At least 1, which may be refused later. */
export function mostHard(epsilon: Ratio, sensitivity: number, limit: number): number {
  const isExact = (hard: number): boolean => {
    const weight = Math.round(100 * (2 * hard) ** (2 / 3));
    return epsilon.denominator * BigInt(3 * (100 + weight)) * BigInt(2 * hard * sensitivity) <= MOST_PART;
  };
  let most = limit;
  while (most > 1 && !isExact(most)) most = Math.floor(most * 0.9);
  return Math.max(1, most);
}

/** A mechanism for a stream of queries. */
export function interactive(of: InteractiveOptions): Interactive {
  const { name, epsilon, sensitivity, cells, queries, hard, gap, guesses } = of;
  assertWhole(queries, `${name}: the number of queries`);
  assertWhole(hard, `${name}: the number of hard queries`);
  const [thresholdNoise, comparisonNoise, answerNoise] = noisesOf(epsilon, sensitivity, hard);
  const designed = errorsOf(of, BETA);
  const threshold = designed.comparing + gap(designed.answering);
  const learn = (session: Session, { query, value }: Measurement): Session => ({
    ...session,
    left: session.left - 1,
    guesses: session.guesses.learned(query, value),
  });
  const answer: Interactive['answer'] = (session, query, counts, random) => {
    assertQuery(query, cells);
    assertTable(counts, cells);
    if (session.left < 1) throw new RangeError(`${name}: expected a session with hard queries left, got one that has answered all ${hard}`);
    const truth = queryAnswerOf(query, counts);
    const guess = Math.round(session.guesses.guess(query));
    if (Math.abs(truth - guess) + comparisonNoise.sample(random) < session.threshold) return { answer: guess, hard: false };
    return { answer: answerNoise.release(truth, random), hard: true };
  };
  return {
    name,
    ...pure(epsilon),
    sensitivity,
    hard,
    open: (random) => ({ threshold: threshold + thresholdNoise.sample(random), left: hard, guesses }),
    resume: (stored, answered) => answered.reduce<Session>(learn, { threshold: stored, left: hard, guesses }),
    learn,
    idle: (random) => void answerNoise.sample(random),
    answer,
    ask: (session, query, counts, random) => {
      const answered = answer(session, query, counts, random);
      return { ...answered, session: answered.hard ? learn(session, { query, value: answered.answer }) : session };
    },
    accuracy: (beta) => {
      if (!(beta >= BETA)) throw new RangeError(`${name}: expected a probability of at least ${BETA}, for which it is made, got ${beta}`);
      const { comparing } = errorsOf(of, beta);
      return Math.max(threshold + comparing, designed.answering);
    },
  };
}

// Parts that the mechanisms for a stream of counting queries share: their parameters, and the refusal of designs that promise nothing.

/** The parameters of mechanisms for a stream of queries. */
export interface StreamOptions {
  readonly epsilon: Ratio;
  readonly sensitivity: number;
  readonly cells: number;
  /** The number of records for which the error is stated. */
  readonly total: number;
  /**
   * The published number of records, which guesses add up to. It is `total` by default. With fewer the promise holds, too: what is left to
   * learn grows with it.
   */
  readonly released?: number;
  /** How far the published number is from the true one at most. γ grows by it, as the mechanisms' files derive. By default it is exact. */
  readonly off?: number;
  /** The number of queries for which the error is stated. */
  readonly queries: number;
}

/** All but the name and the guesses. */
export type Design = StreamOptions & Omit<InteractiveOptions, 'name' | 'guesses'>;

/** Throws a RangeError unless the numbers of records are whole numbers from 1, and none is above a limit. */
export function assertTotals(name: string, { total, released = total, off = 0 }: StreamOptions, most: number): void {
  assertWhole(total, `${name}: the number of records`, 1, most);
  assertWhole(released, `${name}: the published number of records`, 1, most);
  assertWhole(off, `${name}: how far the published number is off`, 0, most);
}

/** Throws a RangeError if the stated error is not below the number of records: an answer without data would have it too. */
export function assertUseful(name: string, design: Design): void {
  const bound = interactiveBound(design);
  if (bound < design.total) return;
  throw new RangeError(
    `${name}: expected more records or a larger ε, got a stated error of ${Math.ceil(bound)} for ${design.total} records; ` +
      'or name `hard`, the number of hard queries, to go without the promise that the session lasts',
  );
}
