/** Estimators, exactly: the distribution of every tally of a small population, and the collector's estimates of each. */

import { expect } from 'vitest';
import type { Estimate } from '#collector/estimation/estimate.ts';
import { pureEstimates } from '#collector/estimation/pure.ts';
import type { Support } from '#shared/mechanisms/law.ts';
import { range } from './channel.ts';
import type { Distribution } from './enumerate.ts';
import { expectErrorBars } from './error-bars.ts';
import {
  add,
  commonDenominator,
  divide,
  multiply,
  ONE,
  type Rational,
  rational,
  relativeError,
  subtract,
  sum,
  toNumber,
} from './rational.ts';

/** P(cell supported) under each input's row. */
export const cellChances = (row: Distribution, cellsOf: (report: string) => readonly number[], size: number): readonly Rational[] =>
  range(size).map((cell) => sum([...row].filter(([report]) => cellsOf(report).includes(cell)).map(([, p]) => p)));

/** p and q of a channel: fails unless each answer's cell has one probability under it, and one under every other answer. */
export function supportOf(chances: readonly (readonly Rational[])[]): { readonly p: Rational; readonly q: Rational } {
  const [p, q] = [chances[0]?.[0] as Rational, chances[0]?.[1] as Rational];
  chances.forEach((row, answer) => {
    row.forEach((chance, cell) => {
      expect(chance).toEqual(cell === answer ? p : q);
    });
  });
  return { p, q };
}

/** Fails unless the law's doubles are the channel's p and q. */
export function expectSupport(stated: Support, { p, q }: { readonly p: Rational; readonly q: Rational }): void {
  expect(relativeError(stated.p, p)).toBeLessThan(2 ** -50);
  expect(relativeError(stated.q, q)).toBeLessThan(2 ** -50);
}

const bernoulli = (p: Rational): Rational => multiply(p, subtract(ONE, p));

/** The variance of one estimated frequency f from n reports: (f p(1-p) + (1-f) q(1-q)) / (n (p-q)²). */
export function statedVariance(p: Rational, q: Rational, f: Rational, n: Rational): Rational {
  const gain = multiply(subtract(p, q), subtract(p, q));
  const noise = add(multiply(f, bernoulli(p)), multiply(subtract(ONE, f), bernoulli(q)));
  return divide(noise, multiply(gain, n));
}

/** Probabilities that add up, numerators by denominator. */
type Mass = Map<bigint, bigint>;

const heavier = (mass: Mass, { numerator, denominator }: Rational): Mass =>
  mass.set(denominator, (mass.get(denominator) ?? 0n) + numerator);

const total = (mass: Mass): Rational => sum([...mass].map(([denominator, numerator]) => rational(numerator, denominator)));

/** Every collection of reports that a population may send, each with its probability; their order does not matter. */
export function collections(
  rows: readonly Distribution[],
  population: readonly number[],
): readonly (readonly [reports: readonly string[], p: Rational])[] {
  // Whole numbers over one denominator, for lowest terms cost more than all the rest.
  let found = new Map<string, readonly [readonly string[], bigint]>([['', [[], 1n]]]);
  let of = 1n;
  for (const input of population) {
    const row = rows[input] as Distribution;
    const denominator = commonDenominator(row.values());
    of *= denominator;
    const next = new Map<string, readonly [readonly string[], bigint]>();
    for (const [reports, weight] of found.values()) {
      for (const [report, p] of row) {
        const more = [...reports, report].sort();
        const key = more.join();
        const [, sofar = 0n] = next.get(key) ?? [];
        next.set(key, [more, sofar + weight * p.numerator * (denominator / p.denominator)]);
      }
    }
    found = next;
  }
  return [...found.values()].map(([reports, weight]) => [reports, rational(weight, of)] as const);
}

/** The shipped estimates of cells that each count the reports which support an answer. */
const fromCells =
  (size: number, cellsOf: (report: string) => readonly number[], stated: Support) =>
  (reports: readonly string[]): readonly Estimate[] => {
    const cells = Float64Array.from(range(size), (cell) => reports.filter((report) => cellsOf(report).includes(cell)).length);
    return pureEstimates({ reports: reports.length, cells }, stated, stated, 1);
  };

/** What is particular to a mechanism. */
interface Particulars {
  /** The collector's estimates from reports. */
  readonly shipped?: (reports: readonly string[]) => readonly Estimate[];
  /** Whether a report is about an input; each is about all where left out. */
  readonly isAbout?: ((report: string, input: number) => boolean) | undefined;
  /** Whether devices may have an answer in part, so that error bars are those of a binomial count. */
  readonly inPart?: boolean | undefined;
}

/** The chance of each of n reports to support an answer whose share is so large. */
const chancesOf =
  (n: number, { p, q }: Support, inPart: boolean) =>
  (share: number) =>
    range(n).map((i) => q + (p - q) * (inPart ? share : Math.min(1, Math.max(0, share * n - i))));

/**
 * Fails unless, over every collection of reports, estimates have the population's frequencies as mean and the stated
 * variance, and error bars of just that variance. Where reports are about some inputs alone, so for each number D > 0 of
 * reports about an input: the D of n devices were drawn without replacement, which adds f (1-f) (n-D) / (D (n-1)).
 */
export function expectUnbiased(
  rows: readonly Distribution[],
  cellsOf: (report: string) => readonly number[],
  population: readonly number[],
  stated: Support,
  { shipped = fromCells(rows.length, cellsOf, stated), isAbout, inPart = false }: Particulars = {},
): void {
  const size = rows.length;
  const support = supportOf(rows.map((row) => cellChances(row, cellsOf, size)));
  const about = sum([...(rows[0] as Distribution)].filter(([report]) => isAbout?.(report, 0) ?? true).map(([, p]) => p));
  const [p, q] = [divide(support.p, about), divide(support.q, about)];
  const n = population.length;
  const varianceOf = (f: Rational, drawn: number): Rational =>
    add(statedVariance(p, q, f, rational(drawn)), multiply(multiply(f, subtract(ONE, f)), rational(n - drawn, drawn * Math.max(1, n - 1))));
  const estimateOf = (count: number, drawn: number): Rational => divide(subtract(rational(count, drawn), q), subtract(p, q));
  const bars = new Map<string, Rational>(); // asked for the same few shares again and again
  const barsOf = (f: Rational, drawn: number): Rational => {
    const key = `${f.numerator}/${f.denominator} of ${drawn}`;
    const variance = bars.get(key) ?? (inPart ? add(varianceOf(f, drawn), divide(bernoulli(f), rational(n))) : varianceOf(f, drawn));
    bars.set(key, variance);
    return variance;
  };
  // The probability of each cell, by how many reports were drawn and how many of them counted.
  const chances = range(size).map(() => new Map<number, Map<number, Mass>>());
  const judged = new Set<string>(); // the same few estimates come from many collections
  const expectEstimate = (row: Estimate, count: number, drawn: number): void => {
    const key = [row.estimate, row.standardError, row.low, row.high, count, drawn].join();
    if (judged.has(key)) return;
    judged.add(key);
    const estimate = toNumber(estimateOf(count, drawn));
    expect(Math.abs(row.estimate - estimate)).toBeLessThan(1e-9 * (1 + Math.abs(estimate)));
    expectErrorBars(row, (f) => barsOf(f, drawn), isAbout ? undefined : { count, chances: chancesOf(n, stated, inPart) });
  };
  const supported = new Map<string, readonly number[]>();
  const cellsIn = (report: string): readonly number[] => {
    const known = supported.get(report) ?? cellsOf(report);
    supported.set(report, known);
    return known;
  };
  for (const [reports, weight] of collections(rows, population)) {
    const estimates = shipped(reports);
    expect(estimates.length).toBe(size);
    estimates.forEach((row, cell) => {
      const asked = reports.filter((report) => isAbout?.(report, cell) ?? true);
      const drawn = asked.length;
      if (drawn === 0) return;
      const count = asked.filter((report) => cellsIn(report).includes(cell)).length;
      expectEstimate(row, count, drawn);
      const byDrawn = chances[cell] as Map<number, Map<number, Mass>>;
      const byCount = byDrawn.get(drawn) ?? new Map<number, Mass>();
      byDrawn.set(drawn, byCount.set(count, heavier(byCount.get(count) ?? new Map(), weight)));
    });
  }
  chances.forEach((byDrawn, cell) => {
    const f = rational(population.filter((answer) => answer === cell).length, n);
    for (const [drawn, masses] of byDrawn) {
      const byCount = [...masses].map(([count, mass]) => [count, total(mass)] as const);
      const mass = sum(byCount.map(([, chance]) => chance));
      const means = byCount.map(([count, chance]) => [multiply(chance, estimateOf(count, drawn)), estimateOf(count, drawn)] as const);
      const first = divide(sum(means.map(([mean]) => mean)), mass);
      const second = divide(sum(means.map(([mean, estimate]) => multiply(mean, estimate))), mass);
      expect(first).toEqual(f);
      expect(subtract(second, multiply(first, first))).toEqual(varianceOf(f, drawn));
    }
  });
}
