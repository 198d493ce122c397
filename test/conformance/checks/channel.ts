/** The requirements for every mechanism, whatever it estimates: its law, randomizer, codec, and tallies that add up. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type Law, publicParts, type Report } from '@murmuration/shared';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Tallies, Tally } from '#collector/estimation/tally.ts';
import { compose, largestRatio, range } from '../../proofs/channel.ts';
import { type Distribution, exactDistribution, hex, ways } from '../../proofs/enumerate.ts';
import { ONE, rational, sum } from '../../proofs/rational.ts';
import { leavesOf, withLeaf } from '../leaves.ts';
import { isPermanent } from '../specimens.ts';
import type { Subject } from '../subject.ts';
import type { Check } from './check.ts';

type Coins = ReturnType<typeof createCoins>;

/** The content of a report, from its digits. */
export const said = <L extends Law>({ mechanism }: Subject<L>, law: L, report: string) =>
  mechanism.decode(law, Uint8Array.from(Buffer.from(report, 'hex')));

/** The distribution of the first stage's symbols, for each input. */
export const symbolRows = <L extends Law>({ specimen, inputs }: Subject<L>, law: L, T: number): readonly Distribution[] =>
  range(inputs(law)).map((input) => specimen.row(law, input, T));

/** The distribution of reports, for each input. */
export function reportRows<L extends Law>(subject: Subject<L>, law: L, T: number): readonly Distribution[] {
  const { again } = subject.specimen;
  const rows = symbolRows(subject, law, T);
  return isPermanent(law) && again ? rows.map((row) => compose(row, (symbol) => again(law, said(subject, law, symbol), T))) : rows;
}

/** A device's report, through both stages if there are two. */
export function reportOf<L extends Law>({ specimen }: Subject<L>, law: L, input: number, coins: Coins, T: number): Uint8Array {
  const symbol = specimen.randomize(law, input, coins, T);
  return isPermanent(law) && specimen.respond ? specimen.respond(law, symbol, coins) : symbol;
}

/** The tally of one cohort's reports, each given by its cells. */
export function tallyOf<L extends Law>({ mechanism }: Subject<L>, law: L, reports: readonly (readonly number[])[]): Tally {
  const cells = new Float64Array(mechanism.shape(law).cells);
  for (const cell of reports.flat()) cells[cell] = (cells[cell] as number) + 1;
  return { reports: reports.length, cells };
}

/** The tallies of reports, given by their digits. */
export function talliesOf<L extends Law>(subject: Subject<L>, law: L, reports: readonly string[]): Tallies {
  const byCohort = Map.groupBy(
    reports.map((report) => said(subject, law, report)),
    ({ cohort }) => cohort,
  );
  const cellsOf = (all: readonly Report[]): readonly (readonly number[])[] => all.map(({ cells }) => cells);
  return new Map([...byCohort].map(([cohort, all]) => [cohort, tallyOf(subject, law, cellsOf(all))]));
}

export const law: Check<Subject> = {
  name: 'is a law, and with any one of its integers spoilt is none',
  of: ['laws', 'large'],
  run: ({ mechanism }, law) => {
    mechanism.validate(law);
    for (const [path, value] of leavesOf(law)) {
      for (const spoilt of [Number.NaN, value + 0.5, -1, 2 ** 53, String(value), null]) {
        expect(() => mechanism.validate(withLeaf(law, path, spoilt)), `${path.join('.')} = ${spoilt}`).toThrow(RangeError);
      }
    }
  },
};

export const odds: Check<Subject> = {
  name: 'has rows that sum to 1, and the stated odds as their largest ratio',
  of: ['laws'],
  run: (subject, law, T) => {
    const { mechanism } = subject;
    const [symbols, reports] = [symbolRows(subject, law, T), reportRows(subject, law, T)];
    for (const each of [...symbols, ...reports]) expect(sum(each.values())).toEqual(ONE);
    const { report: stated, permanent = stated } = mechanism.odds(law);
    expect(stated).toEqual(largestRatio(reports));
    expect(permanent).toEqual(largestRatio(symbols));
    for (const report of reports.flatMap((each) => [...each.keys()])) expect(report.length).toBe(2 * mechanism.reportBytes(law));
  },
};

const publicPart: Check<Subject> = {
  name: 'draws its public part with the same chance for every input, and has no other part that stays for an epoch',
  of: ['laws'],
  run: (subject, law, T) => {
    const shape = subject.mechanism.shape(law);
    const { runs = 1, cells } = shape;
    const partOf = (report: string): number => {
      const { cohort, cells: found } = said(subject, law, report);
      return cohort * runs + (runs > 1 ? Math.floor(((found[0] as number) * runs) / cells) : 0);
    };
    const rows = symbolRows(subject, law, T);
    for (const row of rows) {
      const chances = Map.groupBy(row, ([symbol]) => partOf(symbol));
      const each = range(publicParts(shape)).map((part) => sum((chances.get(part) ?? []).map(([, chance]) => chance)));
      expect(each).toEqual(each.map(() => rational(1, publicParts(shape))));
    }
    const { again } = subject.specimen;
    if (!(isPermanent(law) && again)) return;
    // Reports that one symbol can lead to may be of one epoch: those of a part, and all of them.
    const epochs = rows.flatMap((row) => [...row.keys()]).map((symbol) => [...again(law, said(subject, law, symbol), T).keys()]);
    for (const epoch of epochs) expect(new Set(epoch.map(partOf)).size).toBe(1);
    const found = Map.groupBy(epochs, (epoch) => partOf(epoch[0] as string));
    for (const part of found.values()) expect(new Set(part.map((epoch) => epoch.sort().join())).size).toBe(1);
    expect(found.size).toBe(publicParts(shape));
  },
};

export const thresholds: Check<Subject> = {
  name: 'decides differently at each threshold, and nowhere else',
  of: ['laws', 'large'],
  run: ({ specimen }, law, T) => {
    const all = specimen.thresholds(law);
    for (const before of new Map(all.map(([, words]) => [words.join(), words])).values()) {
      const at = (word: number): string => {
        const script = [...before, word];
        const coins = createCoins(() => script.shift() ?? 1);
        return hex(specimen.randomize(law, 0, coins, T));
      };
      const decisions = all.filter(([, words]) => words.join() === before.join());
      const ascending = decisions.map(([threshold]) => threshold).sort((a, b) => a - b);
      for (const threshold of ascending) expect(at(threshold - 1)).not.toBe(at(threshold));
      const ends = [0, ...ascending, T];
      ends.slice(1).forEach((end, i) => {
        expect(at(end - 1)).toBe(at(ends[i] as number));
      });
    }
  },
};

export const exhaustion: Check<Subject> = {
  name: 'has, over all strings of words below a small modulus, exactly its channel',
  of: ['small'],
  run: (subject, law, T) => {
    reportRows(subject, law, T).forEach((expected, input) => {
      const found = exactDistribution((coins) => {
        const report = reportOf(subject, law, input, coins, T);
        if (!expected.has(hex(report))) throw new Error(`expected no report ${hex(report)} of input ${input}`);
        return report;
      }, T);
      expect(found).toEqual(expected);
    });
  },
};

export const draws: Check<Subject> = {
  name: 'draws the same coins and dice in the same order, whatever the input and however they fall',
  of: ['small'],
  run: (subject, law, T) => {
    let all: string | undefined;
    for (const input of range(subject.inputs(law))) {
      for (const { coins, branch } of ways(T)) {
        const report = reportOf(subject, law, input, coins, T);
        const drawn = branch().draws.join();
        all ??= drawn;
        if (drawn !== all) throw new Error(`expected ${all}, got ${drawn} where input ${input} reports ${hex(report)}`);
      }
    }
    expect(all).not.toBe('');
  },
};

/** Checks that bytes are refused, or are the canonical form of what they say. */
function expectCanonical({ specimen, mechanism }: Subject, law: Law, bytes: Uint8Array): void {
  let found: ReturnType<typeof mechanism.decode>;
  try {
    found = mechanism.decode(law, bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    return;
  }
  const { cohorts, cells: size } = mechanism.shape(law);
  expect(specimen.encode(law, found)).toBe(hex(bytes));
  expect(found.cells).toEqual([...new Set(found.cells)].sort((a, b) => a - b));
  expect(Math.max(-1, ...found.cells)).toBeLessThan(size);
  expect(found.cohort).toBeLessThan(cohorts);
}

export const codec: Check<Subject> = {
  name: 'takes reports in their one form and no other bytes',
  of: ['laws', 'large'],
  run: (subject, law, T, effort) => {
    const { specimen, mechanism, inputs } = subject;
    const coins = createCoins(words(seededRng(5)));
    for (let i = 0; i < 200; i++) {
      const bytes = reportOf(subject, law, i % inputs(law), coins, T);
      expect(specimen.encode(law, mechanism.decode(law, bytes))).toBe(hex(bytes));
      for (const short of [bytes.slice(1), bytes.slice(0, -1)]) expect(() => mechanism.decode(law, short)).toThrow(RangeError);
    }
    const good = reportOf(subject, law, 0, coins, T);
    expect(mechanism.reportBytes(law)).toBe(good.length);
    for (const bytes of [Uint8Array.of(...good, 0), Uint8Array.of(0, ...good), new Uint8Array()]) {
      expect(() => mechanism.decode(law, bytes)).toThrow(RangeError);
    }
    good.forEach((_, at) => {
      for (const flip of [1, 2, 4, 8, 16, 32, 64, 128]) {
        const flipped = good.map((byte, i) => (i === at ? byte ^ flip : byte));
        expectCanonical(subject, law, flipped);
      }
    });
    const anyBytes = fc.uint8Array({ minLength: 0, maxLength: good.length + 2 });
    fc.assert(
      fc.property(anyBytes, (bytes) => expectCanonical(subject, law, bytes)),
      { numRuns: 200 * effort, seed: 1 },
    );
  },
};

/** Tallies of up to three cohorts, with any counts that reports could produce. */
function anyTallies({ mechanism, evenly }: Subject, law: Law): fc.Arbitrary<Tallies> {
  const { cohorts, cells: size } = mechanism.shape(law);
  const cohortOf = (reports: number): fc.Arbitrary<Tally> =>
    fc.record({
      reports: fc.constant(reports),
      cells: fc.array(fc.nat(reports), { minLength: size, maxLength: size }).map((cells) => Float64Array.from(cells)),
    });
  const used = Math.min(cohorts, 3);
  const some = fc.integer({ min: 1, max: 1e6 });
  const numbers = evenly ? some.map((reports) => Array<number>(used).fill(reports)) : fc.array(some, { minLength: used, maxLength: used });
  return numbers.chain((all) => fc.tuple(...all.map(cohortOf))).map((all) => new Map(all.entries()));
}

const together = (a: Tallies, b: Tallies): Tallies =>
  new Map(
    [...a].map(([cohort, { reports, cells }]) => {
      const other = b.get(cohort) as Tally;
      return [cohort, { reports: reports + other.reports, cells: cells.map((count, cell) => count + (other.cells[cell] as number)) }];
    }),
  );

/** The number of reports about an input. */
export const reportsAbout = <L extends Law>({ specimen }: Subject<L>, law: L, tallies: Tallies, input: number): number =>
  [...tallies].reduce((total, [cohort, { reports }]) => total + (specimen.isAbout?.(law, cohort, input) === false ? 0 : reports), 0);

const additivity: Check<Subject> = {
  name: 'has estimates of two tallies together that are the mean of theirs, by reports',
  of: ['large'],
  run: (subject, law, _T, effort) => {
    const estimates = (tallies: Tallies): readonly number[] => subject.estimates(law, tallies).map(({ estimate }) => estimate);
    const tallies = anyTallies(subject, law);
    fc.assert(
      fc.property(tallies, tallies, (a, b) => {
        const [ofA, ofB] = [estimates(a), estimates(b)];
        estimates(together(a, b)).forEach((estimate, row) => {
          const [inA, inB] = [reportsAbout(subject, law, a, row), reportsAbout(subject, law, b, row)];
          if (inA + inB === 0) return;
          const mean = (inA * (ofA[row] as number) + inB * (ofB[row] as number)) / (inA + inB);
          expect(Math.abs(estimate - mean)).toBeLessThan(1e-9 * (1 + Math.abs(mean)));
        });
      }),
      { numRuns: 30 * effort, seed: 2 },
    );
  },
};

/** The requirements for every mechanism, whatever its laws. */
export const channelChecks = <L extends Law>(): readonly Check<Subject<L>, L>[] =>
  [law, odds, publicPart, thresholds, codec, exhaustion, draws, additivity] as unknown as readonly Check<Subject<L>, L>[];
