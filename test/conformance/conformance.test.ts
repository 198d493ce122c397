/** What every mechanism owes, asked of each in turn. The proofs beside it go further where a mechanism has more to it. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { MODULUS, mechanismOf, type ShareLaw } from '@murmuration/shared';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pureEstimates } from '../../collector/src/estimators/pure.ts';
import type { Tallies, Tally } from '../../collector/src/store/store.ts';
import { compose, largestRatio, range } from '../proofs/channel.ts';
import { type Distribution, exactDistribution, hex } from '../proofs/enumerate.ts';
import { cellChances, expectSupport, expectUnbiased, supportOf } from '../proofs/estimator.ts';
import { ONE, sum } from '../proofs/rational.ts';
import { binomial, upperTail } from '../proofs/statistics.ts';
import type { Specimen } from './specimens/specimen.ts';
import { addSupportsIn, inputsOf, isPermanent, specimens, supportsIn } from './specimens.ts';

const FALSE_ALARM = 1e-6;
const bytesOf = (report: string): Uint8Array => Uint8Array.from(Buffer.from(report, 'hex'));

/** A cohort's tally of reports, each given by its cells. */
function tallyOf(law: ShareLaw, reports: readonly (readonly number[])[]): Tally {
  const cells = new Float64Array(mechanismOf(law).shape(law).cells);
  for (const cell of reports.flat()) cells[cell] = (cells[cell] as number) + 1;
  return { reports: reports.length, cells };
}

describe.each(Object.keys(specimens) as ShareLaw['mechanism'][])('%s', (name) => {
  const { randomize, row, respond, again, encode, thresholds, laws, small, large } = specimens[name] as Specimen<ShareLaw>;
  const said = (law: ShareLaw, report: string) => mechanismOf(law).decode(law, bytesOf(report));
  /** The inputs that a report supports. */
  const supportedBy = (law: ShareLaw) => (report: string) => {
    const { cohort, cells } = said(law, report);
    const supports = addSupportsIn(law, new Map([[cohort, tallyOf(law, [cells])]]));
    return range(inputsOf(law)).filter((input) => supports[input] === 1);
  };

  const symbolRows = (law: ShareLaw, T: number): readonly Distribution[] => range(inputsOf(law)).map((input) => row(law, input, T));
  const reportRows = (law: ShareLaw, T: number): readonly Distribution[] =>
    symbolRows(law, T).map((symbols) =>
      isPermanent(law) && again ? compose(symbols, (symbol) => again(law, said(law, symbol), T)) : symbols,
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
    const chances = (rows: readonly Distribution[]) => supportOf(rows.map((each) => cellChances(each, supportedBy(law), inputsOf(law))));
    expectSupport(mechanism.support(law), chances(reports));
    expectSupport(mechanism.support(law, 'permanent'), chances(symbols));
    expect(mechanism.reportBytes(law) * 2).toBe([...reports.flatMap((each) => [...each.keys()])][0]?.length);
  });

  test.each(laws)('has an estimator without bias, of the stated variance: %o', (law) => {
    expectUnbiased(reportRows(law, MODULUS), supportedBy(law), [1, 0, 1], mechanismOf(law).support(law));
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
    const { cohorts, cells: size } = mechanismOf(law).shape(law);
    /** Refused, or in the one form of what it says. */
    const expectCanonical = (bytes: Uint8Array): void => {
      let found: ReturnType<typeof decode>;
      try {
        found = decode(law, bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        return;
      }
      expect(encode(law, found)).toBe(hex(bytes));
      expect(found.cells).toEqual([...new Set(found.cells)].sort((a, b) => a - b));
      expect(Math.max(-1, ...found.cells)).toBeLessThan(size);
      expect(found.cohort).toBeLessThan(cohorts);
    };
    fc.assert(fc.property(fc.uint8Array({ minLength: 0, maxLength: length + 2 }), expectCanonical), { numRuns: 500, seed: 1 });
    const good = report(law, 0, coins);
    for (const bytes of [good.slice(1), Uint8Array.of(...good, 0), new Uint8Array()]) expect(() => decode(law, bytes)).toThrow(RangeError);
    good.forEach((_, at) => {
      for (const flip of [1, 2, 4, 8, 16, 32, 64, 128]) expectCanonical(good.map((byte, i) => (i === at ? byte ^ flip : byte)));
    });
  });

  test.each(large)('has estimates of two tallies together that are the mean of theirs, by reports: %o', (law) => {
    const { support, shape } = mechanismOf(law);
    const { cohorts, cells: size } = shape(law);
    const estimates = (tallies: Tallies): readonly number[] =>
      pureEstimates(supportsIn(law, tallies), support(law), support(law), 1).map(({ estimate }) => estimate);
    const cohortTally = fc.integer({ min: 1, max: 1e6 }).chain((reports) =>
      fc.record({
        reports: fc.constant(reports),
        cells: fc.array(fc.nat(reports), { minLength: size, maxLength: size }).map((cells) => Float64Array.from(cells)),
      }),
    );
    const cohortsUsed = Math.min(cohorts, 3);
    const tally = fc.array(cohortTally, { minLength: cohortsUsed, maxLength: cohortsUsed }).map((all) => new Map(all.entries()));
    fc.assert(
      fc.property(tally, tally, (a, b) => {
        const both = new Map(
          [...a].map(([cohort, { reports, cells }]) => {
            const other = b.get(cohort) as Tally;
            return [cohort, { reports: reports + other.reports, cells: cells.map((count, cell) => count + (other.cells[cell] as number)) }];
          }),
        );
        const [ofA, ofB, ofBoth] = [estimates(a), estimates(b), estimates(both)];
        const [inA, inB] = [supportsIn(law, a).reports, supportsIn(law, b).reports];
        ofBoth.forEach((estimate, input) => {
          const mean = (inA * (ofA[input] as number) + inB * (ofB[input] as number)) / (inA + inB);
          expect(Math.abs(estimate - mean)).toBeLessThan(1e-9 * (1 + Math.abs(mean)));
        });
        expect([...supportsIn(law, a).cells]).toEqual([...addSupportsIn(law, a)]);
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
      const cohorts = new Map<number, (readonly number[])[]>();
      for (let i = 0; i < reports; i++) {
        const input = i < share * reports ? answer : (answer + 1 + (i % (inputsOf(law) - 1))) % inputsOf(law);
        const { cohort, cells } = decode(law, report(law, input, coins));
        cohorts.set(cohort, [...(cohorts.get(cohort) ?? []), cells]);
      }
      const tallies = new Map([...cohorts].map(([cohort, cells]) => [cohort, tallyOf(law, cells)]));
      const found = pureEstimates(supportsIn(law, tallies), support(law), support(law), 1)[answer];
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
