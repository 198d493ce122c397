/**
 * Proofs of permanent metrics: whatever a device's history of values, the transcript of an epoch loses at most ε∞,
 * because only the first value is ever randomized. Memoizing each value's symbol would lose more.
 */

import {
  familyOf,
  kAry,
  localHashing,
  localHashingLaw,
  MODULUS,
  permanentKAryLaw,
  type RapporLaw,
  rappor,
  rapporLaw,
} from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { bitsRow, kAryRow, largestRatio, range, subsetsOf } from './channel.ts';
import type { Distribution } from './enumerate.ts';
import { bucketRow, localHashingRow } from './hashed.ts';
import { type History, historiesOf } from './histories.ts';
import { add, divide, less, multiply, ONE, power, type Rational, rational, subtract, sum, toNumber } from './rational.ts';
import { memoized, type Stages, transcripts as transcriptsOf } from './transcripts.ts';

/** Transcripts of each history, which several tests ask for. */
const known = new Map<Stages, Map<string, Distribution>>();
function transcripts(stages: Stages, history: History): Distribution {
  const ofStages = known.get(stages) ?? new Map<string, Distribution>();
  const found = ofStages.get(history.join()) ?? transcriptsOf(stages, history);
  known.set(stages, ofStages.set(history.join(), found));
  return found;
}

interface Case {
  readonly name: string;
  readonly values: number;
  readonly stages: Stages;
  readonly report: Rational;
  readonly permanent: Rational;
}

function kAryCase(size: number, epsilon: number, permanent: number): Case {
  const law = permanentKAryLaw(size, epsilon, permanent);
  const odds = kAry.odds(law);
  return {
    name: `k-ary response over ${size} answers at ε₁ = ${epsilon}, ε∞ = ${permanent}`,
    values: size,
    stages: {
      symbols: range(size).map((value) => kAryRow(size, law.truth, MODULUS, value)),
      reports: (symbol) => kAryRow(size, law.irr?.truth ?? 0, MODULUS, Number.parseInt(symbol, 16)),
    },
    report: odds.report,
    permanent: odds.permanent as Rational,
  };
}

/** Strings whose filter is one of `bits` bits: a value for each bit. */
function rapporCase(bits: number, epsilon: number, permanent: number): Case {
  const law: RapporLaw = { ...rapporLaw(epsilon, 1, permanent), bits, cohorts: 1 };
  const odds = rappor.odds(law);
  const of = (threshold = 0): Rational => rational(threshold, MODULUS);
  const rows = new Map(
    range(bits + 1)
      .flatMap((count) => subsetsOf(bits, count))
      .map((set) => [set.reduce((byte, bit) => byte | (1 << bit), 0), bitsRow(bits, of(law.irr?.one), of(law.irr?.zero), set)]),
  );
  return {
    name: `RAPPOR of ${bits} bits at ε₁ = ${epsilon}, ε∞ = ${permanent}`,
    values: bits,
    stages: {
      symbols: range(bits).map((bit) => bitsRow(bits, of(law.one), of(law.zero), [bit])),
      reports: (symbol) => rows.get(Number.parseInt(symbol, 16)) ?? new Map(),
    },
    report: odds.report,
    permanent: odds.permanent as Rational,
  };
}

function localHashingCase(size: number, buckets: number, epsilon: number, permanent: number): Case {
  const law = localHashingLaw(size, epsilon, permanent, buckets);
  const odds = localHashing.odds(law);
  const { cohorts } = familyOf(size, buckets);
  return {
    name: `local hashing of ${size} answers in ${buckets} buckets at ε₁ = ${epsilon}, ε∞ = ${permanent}`,
    values: size,
    stages: {
      symbols: range(size).map((value) => localHashingRow(size, buckets, law.truth, MODULUS, value)),
      reports: (symbol) => {
        const cell = localHashing.decode(law, Uint8Array.from(Buffer.from(symbol, 'hex'))).cells[0] as number;
        return bucketRow(cohorts, [[Math.floor(cell / buckets), cell % buckets]], buckets, law.irr?.truth as number, MODULUS);
      },
    },
    report: odds.report,
    permanent: odds.permanent as Rational,
  };
}

const CASES = [kAryCase(2, 1, 4), kAryCase(2, 0.9, 1), kAryCase(3, 1, 2), rapporCase(2, 1, 4), rapporCase(2, 0.9, 1)];
const HASHED = localHashingCase(3, 2, 1, 4);
const SHORT = [HASHED, ...CASES, kAryCase(4, 2, 8), rapporCase(3, 1, 2)];

const losses = ({ stages, values }: Case, days: number, device: typeof transcripts): Rational =>
  largestRatio(historiesOf(values, days).map((history) => device(stages, history)));

describe('over all pairs of histories of values', () => {
  test.each(SHORT)('two reports of $name lose more than one does, and at most the stated ε∞', (of) => {
    for (const history of historiesOf(of.values, 2)) expect(sum(transcripts(of.stages, history).values())).toEqual(ONE);
    const loss = losses(of, 2, transcripts);
    expect(less(of.report, loss)).toBe(true);
    expect(less(of.permanent, loss)).toBe(false);
  });

  test.each(CASES)('three reports of $name lose more than two do, and at most the stated ε∞', (of) => {
    const loss = losses(of, 3, transcripts);
    expect(less(losses(of, 2, transcripts), loss)).toBe(true);
    expect(less(of.permanent, loss)).toBe(false);
  });

  test.each(SHORT)('one report of $name loses the stated ε₁', (of) => {
    expect(losses(of, 1, transcripts)).toEqual(of.report);
  });

  test.each([...CASES, HASHED])('a transcript of $name depends on the first value alone', (of) => {
    for (const history of historiesOf(of.values, 3)) {
      const frozen = history.map(() => history[0] as number);
      expect(transcripts(of.stages, history)).toEqual(transcripts(of.stages, frozen));
    }
  });

  test.each(CASES.filter(({ name }) => name.includes('ε₁ = 0.9')))('memoizing per value instead, $name would lose more than ε∞', (of) => {
    const [there, back] = [memoized(of.stages, [0, 1]), memoized(of.stages, [1, 0])];
    expect(less(of.permanent, largestRatio([there, back]))).toBe(true);
    expect(less(of.permanent, losses(of, 3, memoized))).toBe(true);
  });
});

test('memoizing per value, thirty reports of two values in turn against one value kept would lose 15.6 at ε₁ = 1, ε∞ = 4', () => {
  const { stages, permanent } = kAryCase(2, 1, 4);
  /** Fifteen reports of each of these from the symbol of one value. */
  const likelihood = (value: number, ...said: readonly string[]): Rational =>
    sum(
      [...(stages.symbols[value] ?? [])].map(([symbol, p]) =>
        said.reduce((all, report) => multiply(all, power(stages.reports(symbol).get(report) as Rational, 15)), p),
      ),
    );
  const inTurn = multiply(likelihood(0, '00'), likelihood(1, '01'));
  const loss = divide(inTurn, likelihood(0, '00', '01'));
  expect(Math.log(toNumber(loss))).toBeCloseTo(15.628, 3);
  expect(less(power(permanent, 3), loss)).toBe(true);
});

describe('a long epoch', () => {
  /** Of `days` equal reports, by what is stored: the likelihood ratio of the values that say it and another. */
  const loss = ({ stages }: Case, days: number): Rational => {
    const [own, other] = [stages.symbols[0], stages.symbols[1]].map((symbols) =>
      sum([...(symbols ?? [])].map(([symbol, p]) => multiply(p, power(stages.reports(symbol).get(of(stages)) as Rational, days)))),
    );
    return divide(own as Rational, other as Rational);
  };
  /** The report that speaks for value 0 the loudest. */
  const of = ({ symbols }: Stages): string =>
    [...(symbols[0] ?? [])].reduce(
      (best, [symbol, p]) => {
        const odds = divide(p, symbols[1]?.get(symbol) as Rational);
        return best === undefined || less(best[1], odds) ? ([symbol, odds] as const) : best;
      },
      undefined as readonly [string, Rational] | undefined,
    )?.[0] as string;

  test.each(CASES)('of equal reports of $name comes as near to ε∞ as one likes, and never reaches it', (measured) => {
    let before = ONE;
    for (const days of [1, 2, 4, 8, 16, 32, 64]) {
      const now = loss(measured, days);
      expect(less(before, now)).toBe(true);
      expect(less(now, measured.permanent)).toBe(true);
      before = now;
    }
    expect(Math.log(toNumber(before)) / Math.log(toNumber(measured.permanent))).toBeGreaterThan(0.999);
  });

  test('of one symbol has reports that share its noise: N of them have variance (v₁ + (T - 1) v∞) / N', () => {
    const law = permanentKAryLaw(3, 1, 2);
    const { stages } = kAryCase(3, 1, 2);
    const T = 3;
    const gainOf = (chances: readonly Rational[]): Rational => subtract(chances[0] as Rational, chances[1] as Rational);
    const variance = (chances: readonly Rational[], value: number): Rational => {
      const p = chances[value] as Rational;
      return divide(multiply(p, subtract(ONE, p)), multiply(gainOf(chances), gainOf(chances)));
    };
    const stored = range(3).map((value) => stages.symbols[value]?.get('00') as Rational);
    const said = range(3).map((value) => transcripts(stages, [value]).get(' 00') as Rational);
    for (const value of range(3)) {
      const counts = [
        ...transcripts(
          stages,
          range(T).map(() => value),
        ),
      ].map(([transcript, p]) => [rational(transcript.split(' 00').length - 1), p] as const);
      const mean = sum(counts.map(([count, p]) => multiply(count, p)));
      const square = sum(counts.map(([count, p]) => multiply(multiply(count, count), p)));
      const exact = divide(subtract(square, multiply(mean, mean)), multiply(rational(T * T), multiply(gainOf(said), gainOf(said))));
      const stated = divide(add(variance(said, value), multiply(rational(T - 1), variance(stored, value))), rational(T));
      expect(exact).toEqual(stated);
    }
    expect(kAry.support(law).p).toBeCloseTo(toNumber(said[0] as Rational), 12);
  });
});
