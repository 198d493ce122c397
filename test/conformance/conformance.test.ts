/** What every mechanism owes, asked of each in turn. The proofs beside it go further where a mechanism has more to it. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { MODULUS, mechanismOf, type ShareLaw } from '@murmuration/shared';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pureEstimates } from '../../collector/src/estimators/pure.ts';
import { compose, largestRatio, range } from '../proofs/channel.ts';
import { type Distribution, exactDistribution, hex } from '../proofs/enumerate.ts';
import { cellChances, expectSupport, expectUnbiased, supportOf } from '../proofs/estimator.ts';
import { ONE, sum } from '../proofs/rational.ts';
import { binomial, upperTail } from '../proofs/statistics.ts';
import { inputsOf, isPermanent, type Specimen, specimens } from './specimens.ts';

const FALSE_ALARM = 1e-6;
const bytesOf = (report: string): Uint8Array => Uint8Array.from(Buffer.from(report, 'hex'));

describe.each(Object.keys(specimens) as ShareLaw['mechanism'][])('%s', (name) => {
  const { randomize, row, respond, again, encode, thresholds, laws, small, large } = specimens[name] as Specimen<ShareLaw>;
  const cellsOf = (law: ShareLaw) => (report: string) => mechanismOf(law).decode(law, bytesOf(report)).cells;

  const symbolRows = (law: ShareLaw, T: number): readonly Distribution[] => range(inputsOf(law)).map((input) => row(law, input, T));
  const reportRows = (law: ShareLaw, T: number): readonly Distribution[] =>
    symbolRows(law, T).map((symbols) =>
      isPermanent(law) && again ? compose(symbols, (symbol) => again(law, cellsOf(law)(symbol), T)) : symbols,
    );
  const report = (law: ShareLaw, input: number, coins: ReturnType<typeof createCoins>): Uint8Array => {
    const symbol = randomize(law, input, coins);
    return isPermanent(law) && respond ? respond(law, symbol, coins) : symbol;
  };

  test.each(laws)('has rows that sum to 1, the stated odds as their largest ratio, and the stated support: %o', (law) => {
    const mechanism = mechanismOf(law);
    mechanism.validate(law);
    const [symbols, reports] = [symbolRows(law, MODULUS), reportRows(law, MODULUS)];
    for (const each of [...symbols, ...reports]) expect(sum(each.values())).toEqual(ONE);
    const { report: odds, permanent = odds } = mechanism.odds(law);
    expect(odds).toEqual(largestRatio(reports));
    expect(permanent).toEqual(largestRatio(symbols));
    const chances = (rows: readonly Distribution[]) => supportOf(rows.map((each) => cellChances(each, cellsOf(law), inputsOf(law))));
    expectSupport(mechanism.support(law), chances(reports));
    expectSupport(mechanism.support(law, 'permanent'), chances(symbols));
    expect(mechanism.reportBytes(law) * 2).toBe([...reports.flatMap((each) => [...each.keys()])][0]?.length);
  });

  test.each(laws)('has an estimator without bias, of the stated variance: %o', (law) => {
    expectUnbiased(reportRows(law, MODULUS), cellsOf(law), [1, 0, 1], mechanismOf(law).support(law));
  });

  test.each([...laws, ...large])('decides differently at each threshold: %o', (law) => {
    for (const [threshold, before] of thresholds(law)) {
      const at = (word: number): string => {
        const script = [...before, word];
        return hex(
          randomize(
            law,
            0,
            createCoins(() => script.shift() ?? 1),
          ),
        );
      };
      expect(at(threshold - 1)).not.toBe(at(threshold));
      expect([at(0), at(MODULUS - 1)]).toEqual([at(threshold - 1), at(threshold)]);
    }
  });

  test.each(small)('has, over all strings of words, exactly its channel: %o, words below %i', (law, T) => {
    const rows = reportRows(law, T);
    rows.forEach((expected, input) => {
      expect(exactDistribution((coins) => report(law, input, coins), T)).toEqual(expected);
    });
  });

  test.each([...laws, ...large])('takes reports in their one form and no other bytes: %o', (law) => {
    const { decode, reportBytes } = mechanismOf(law);
    const length = reportBytes(law);
    const coins = createCoins(words(seededRng(5)));
    for (let i = 0; i < 200; i++) {
      const bytes = report(law, i % inputsOf(law), coins);
      expect(encode(law, decode(law, bytes))).toBe(hex(bytes));
    }
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: length + 2 }), (bytes) => {
        let said: ReturnType<typeof decode>;
        try {
          said = decode(law, bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          return;
        }
        expect(encode(law, said)).toBe(hex(bytes));
        expect(said.cells).toEqual([...new Set(said.cells)].sort((a, b) => a - b));
        expect(Math.max(-1, ...said.cells)).toBeLessThan(inputsOf(law));
      }),
      { numRuns: 500, seed: 1 },
    );
    const good = report(law, 0, coins);
    for (const bytes of [good.slice(1), Uint8Array.of(...good, 0), new Uint8Array()]) expect(() => decode(law, bytes)).toThrow(RangeError);
    const last = Uint8Array.from(good, (byte, i) => (i === good.length - 1 ? byte | 0x80 : byte));
    if (inputsOf(law) % 8 !== 0) expect(() => decode(law, last)).toThrow(RangeError);
  });

  test.each(large)('has estimates of two tallies together that are the mean of theirs, by reports: %o', (law) => {
    const support = mechanismOf(law).support(law);
    const estimates = (tally: { readonly reports: number; readonly cells: Float64Array }): readonly number[] =>
      pureEstimates(tally, support, support, 1).map(({ estimate }) => estimate);
    const tally = fc.integer({ min: 1, max: 1e6 }).chain((reports) =>
      fc.record({
        reports: fc.constant(reports),
        cells: fc.array(fc.nat(reports), { minLength: inputsOf(law), maxLength: inputsOf(law) }).map((cells) => Float64Array.from(cells)),
      }),
    );
    fc.assert(
      fc.property(tally, tally, (a, b) => {
        const reports = a.reports + b.reports;
        const both = estimates({ reports, cells: a.cells.map((count, cell) => count + (b.cells[cell] as number)) });
        const [ofA, ofB] = [estimates(a), estimates(b)];
        both.forEach((estimate, cell) => {
          const mean = (a.reports * (ofA[cell] as number) + b.reports * (ofB[cell] as number)) / reports;
          expect(Math.abs(estimate - mean)).toBeLessThan(1e-9 * (1 + Math.abs(mean)));
        });
      }),
      { numRuns: 100, seed: 2 },
    );
  });

  // One answer a round, so that rounds are independent: the squared error over its variance adds up to chi squared.
  test.each(large)('errs as its variance says, and its intervals cover: %o', (law) => {
    const [rounds, reports] = [400, 500];
    const coins = createCoins(words(seededRng(31)));
    const { decode, support } = mechanismOf(law);
    const { p, q } = support(law);
    const share = 0.2;
    let [statistic, covered] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const answer = round % inputsOf(law);
      const cells = new Float64Array(inputsOf(law));
      for (let i = 0; i < reports; i++) {
        const input = i < share * reports ? answer : (answer + 1 + (i % (inputsOf(law) - 1))) % inputsOf(law);
        for (const cell of decode(law, report(law, input, coins)).cells) cells[cell] = (cells[cell] as number) + 1;
      }
      const found = pureEstimates({ reports, cells }, support(law), support(law), 1)[answer];
      const variance = (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (reports * (p - q) ** 2);
      statistic += ((found?.estimate as number) - share) ** 2 / variance;
      if (found && found.low <= share && share <= found.high) covered++;
    }
    const tail = upperTail({ statistic, degrees: rounds });
    expect(tail).toBeGreaterThan(FALSE_ALARM);
    expect(1 - tail).toBeGreaterThan(FALSE_ALARM);
    expect(upperTail(binomial(covered, 0.95, rounds))).toBeGreaterThan(FALSE_ALARM);
  });
});
