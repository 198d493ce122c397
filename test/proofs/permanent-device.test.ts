/**
 * ε∞ of the device itself: over histories of values of a permanent metric of each law, the exact transcripts that the client's own
 * parts make, with the integers that ship. Devices that are broken on purpose fail it.
 */

import { choice, count, defineSchema, flag, mean, permanent, text } from '@murmuration/client';
import { countMeanSketch, dBitFlip, localHashing, stringHashing, unary } from '@murmuration/client/mechanisms';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { bloomBit, bloomBits, fromBase64url, hashString, MODULUS, mechanismOf, type RapporLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import type { DeviceQuestion } from '#client/questions/question.ts';
import { isPermanent, numberSpecimens, specimens } from '../conformance/specimens.ts';
import { EFFORT } from '../setup/effort.ts';
import { largestRatio, range } from './channel.ts';
import type { Distribution } from './enumerate.ts';
import { type Device, type History, historiesOf, lossOf, transcriptsOf, transcriptsOfAll } from './histories.ts';
import { type Asked, deviceOf, memoizing, metricOf, withoutEpochs } from './permanent-device.ts';
import { add, less, multiply, ONE, type Rational, rational, subtract, sum, toNumber } from './rational.ts';
import { multinomial, pooled, upperTail } from './statistics.ts';

/** Two reports from symbols of their own would spend 2. */
const EPOCH = { epsilon: 1.5, renew: 'year' } as const;
const ask = { epsilon: 1, every: 'day', description: 'a question' } as const;

const askedOf = (question: DeviceQuestion<never>): Asked =>
  defineSchema({ app: 'notes', version: 1, budget: { epsilon: 1.5, per: 'month' }, devices: 1, metrics: { asked: question } }) as Asked;

interface Case {
  readonly name: string;
  readonly asked: Asked;
  readonly values: readonly unknown[];
  /** How long its histories are. */
  readonly slots: number;
}

const caseOf = (name: string, question: unknown, values: readonly unknown[], slots: number): Case => ({
  name,
  asked: askedOf(permanent(question as DeviceQuestion<never>, EPOCH)),
  values,
  slots,
});

const LIST = ['a', 'b', 'c'] as const;

/** RAPPOR with so few bits that all its reports can be written down. */
const fewBits = (asked: Asked): Asked => {
  const metric = metricOf(asked);
  const law = { ...metric.law, bits: 2 } as RapporLaw;
  return { ...asked, document: { ...asked.document, metrics: { asked: { ...metric, law } } } };
};

/** Strings that fall on the first two of so many bits, or buckets, in cohort 0. */
const stringsOn = (size: number): readonly string[] =>
  [0, 1].map((place) => {
    let i = 0;
    while (bloomBit(hashString(`${i}`), 0, 0, size) !== place) i++;
    return `${i}`;
  });

/** Three reports of every law in the deep tier. */
const MOST = EFFORT > 1 ? 3 : 2;

const CASES: readonly Case[] = [
  caseOf('a flag', flag(ask), [false, true], 3),
  caseOf('k-ary response', choice(LIST, ask), LIST, MOST),
  caseOf('unary encoding', choice(['a', 'b'], { ...ask, mechanism: unary() }), ['a', 'b'], MOST),
  caseOf('symmetric unary encoding', choice(LIST, { ...ask, mechanism: unary({ symmetric: true }) }), LIST, 2),
  caseOf('dBitFlip of one bit', choice(LIST, { ...ask, mechanism: dBitFlip({ bits: 1 }) }), LIST, MOST),
  caseOf('dBitFlip of two bits', choice(LIST, { ...ask, mechanism: dBitFlip({ bits: 2 }) }), LIST, 2),
  caseOf('one bit of a mean', mean([0, 60], ask), [0, 12.5, 60], 3),
  caseOf('one bit of a count', count(4, ask), [0, 1, 4], 3),
  caseOf('local hashing to two buckets', choice(LIST, { ...ask, mechanism: localHashing({ buckets: 2 }) }), LIST, MOST),
  caseOf('local hashing to three buckets', choice(LIST, { ...ask, mechanism: localHashing({ buckets: 3 }) }), LIST, 2),
  caseOf('a count mean sketch', choice(LIST, { ...ask, mechanism: countMeanSketch({ bits: 2 }) }), LIST, 2),
  { ...caseOf('RAPPOR', text(ask), stringsOn(2), 3), asked: fewBits(askedOf(permanent(text(ask), EPOCH))) },
  caseOf('hashing of strings', text({ ...ask, mechanism: stringHashing() }), stringsOn(3), 2),
];

const oddsOf = ({ asked }: Case): { readonly report: Rational; readonly permanent: Rational } => {
  const { law } = metricOf(asked);
  const { report, permanent: whole } = mechanismOf(law).odds(law);
  return { report, permanent: whole as Rational };
};

const lossIn = ({ values }: Case, slots: number, device: Device): Promise<Rational> =>
  lossOf(device, historiesOf(values.length, slots), MODULUS);

/** Histories that begin alike, each with one that never changes. */
async function expectFirstAlone(device: Device, histories: readonly History[]): Promise<void> {
  const frozen = new Map<number, Distribution>();
  for (const history of histories) {
    const first = history[0] as number;
    const constant = history.map(() => first);
    const expected = frozen.get(first) ?? (await transcriptsOf(device, constant, MODULUS));
    frozen.set(first, expected);
    if (history.some((value) => value !== first)) expect(await transcriptsOf(device, history, MODULUS)).toEqual(expected);
  }
}

test('each law that can be permanent is among the devices', () => {
  const able = Object.entries({ ...specimens, ...numberSpecimens }).filter(([, { laws }]) => laws.some(isPermanent));
  expect([...new Set(CASES.map(({ asked }) => metricOf(asked).law.mechanism))].sort()).toEqual(able.map(([name]) => name).sort());
});

describe.each(CASES)('over all pairs of histories, $slots reports of $name', (of) => {
  const { asked, values, slots } = of;
  const { report, permanent: epoch } = oddsOf(of);
  const device = deviceOf(asked, values);

  test('lose more than fewer do, one the stated ε₁, and all at most the stated ε∞', async () => {
    const losses = await Promise.all(range(slots).map((fewer) => lossIn(of, fewer + 1, device)));
    expect(losses[0]).toEqual(report);
    losses.slice(1).forEach((loss, i) => {
      expect(less(losses[i] as Rational, loss)).toBe(true);
      expect(less(epoch, loss)).toBe(false);
    });
  });

  test('have probabilities that sum to 1, and depend on the first value alone', async () => {
    for (const row of await transcriptsOfAll(device, historiesOf(values.length, 1), MODULUS)) {
      expect(sum(row.values())).toEqual(ONE);
    }
    await expectFirstAlone(device, historiesOf(values.length, 2));
  });

  test('lose more than ε∞ where each comes from a symbol of its own', async () => {
    const mutant = deviceOf(withoutEpochs(asked), values);
    expect(less(epoch, await lossIn(of, 2, mutant))).toBe(true);
    await expect(expectFirstAlone(mutant, historiesOf(values.length, 2))).rejects.toThrow('to deeply equal');
  });

  test('depend on later values too where each value has a symbol of its own', async () => {
    await expect(expectFirstAlone(memoizing(asked, values), historiesOf(values.length, 2))).rejects.toThrow('to deeply equal');
  });
});

describe('with `otherwise`', () => {
  const values = [false, true];
  const asked = askedOf(permanent(flag({ ...ask, otherwise: false }), EPOCH) as DeviceQuestion<never>);
  /** With -1 for a slot in which nothing is recorded. */
  const histories = historiesOf(3, 2).map((history) => history.map((value) => value - 1));
  const epoch = mechanismOf(metricOf(asked).law).odds(metricOf(asked).law).permanent as Rational;

  test('two slots, in each of which an answer may be recorded or not, lose at most ε∞', async () => {
    const rows = await transcriptsOfAll(deviceOf(asked, values), histories, MODULUS);
    const loss = largestRatio(rows);
    expect(less(epoch, loss)).toBe(false);
    expect(less(mechanismOf(metricOf(asked).law).odds(metricOf(asked).law).report, loss)).toBe(true);
  });

  test('no answer is the answer of `otherwise`', async () => {
    for (const history of histories) {
      const said = history.map((value) => Math.max(0, value));
      const device = deviceOf(asked, values);
      expect(await transcriptsOf(device, history, MODULUS)).toEqual(await transcriptsOf(device, said, MODULUS));
    }
  });

  test('slots lose more than ε∞ where each report comes from a symbol of its own', async () => {
    expect(less(epoch, await lossOf(deviceOf(withoutEpochs(asked), values), histories, MODULUS))).toBe(true);
  });
});

describe('RAPPOR of 128 bits, too many to write all reports down', () => {
  const asked = askedOf(permanent(text(ask), EPOCH));
  const law = metricOf(asked).law as Required<RapporLaw>;
  const values = ['first', 'second'];
  const own = bloomBits(hashString('first'), 0, law.hashes, law.bits);
  const DEVICES = 4000;

  /** The four chances of a bit in two reports of one symbol, 00 first. */
  const pairs = (one: number): readonly number[] => {
    const stored = rational(one, MODULUS);
    const heads = [law.irr.zero, law.irr.one].map((threshold) => rational(threshold, MODULUS)) as [Rational, Rational];
    const said = (bit: number, symbol: 0 | 1): Rational => (bit === 1 ? heads[symbol] : subtract(ONE, heads[symbol]));
    return range(4).map((pair) => {
      const given = (symbol: 0 | 1): Rational => multiply(said(pair >> 1, symbol), said(pair & 1, symbol));
      return toNumber(add(multiply(stored, given(1)), multiply(subtract(ONE, stored), given(0))));
    });
  };

  /** P(a statistic as large), of two reports each of many devices whose value changes, against the law of one that keeps its first. */
  const pValue = (device: Device): number => {
    const coins = createCoins(words(seededRng(11)));
    const counts = [false, true].map(() => [0, 0, 0, 0]) as [number[], number[]];
    for (let i = 0; i < DEVICES; i++) {
      const [a, b] = (device([0, 1], coins) as string).split('\n').map((body) => fromBase64url(JSON.parse(body).reports[0][1]));
      for (const bit of range(law.bits)) {
        const [first, second] = [a, b].map((bytes) => ((bytes?.[bit >> 3] as number) >> (bit & 7)) & 1) as [number, number];
        const of = counts[own.includes(bit) ? 1 : 0];
        of[2 * first + second] = (of[2 * first + second] as number) + 1;
      }
    }
    const parts = counts.map((of, isOwn) =>
      multinomial(
        of,
        pairs(isOwn ? law.one : law.zero),
        of.reduce((x, y) => x + y),
      ),
    );
    return upperTail(pooled(parts));
  };

  test('has pairs of reports that fit one symbol of the first value', () => {
    expect(pValue(deviceOf(asked, values))).toBeGreaterThan(1e-6);
  });

  test('has none that fit where each report comes from a symbol of its own, or of its value', () => {
    for (const mutant of [deviceOf(withoutEpochs(asked), values), memoizing(asked, values)]) expect(pValue(mutant)).toBeLessThan(1e-6);
  });
});
