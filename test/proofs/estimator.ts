/** Estimators, exactly: the distribution of every tally of a small population, and the collector's estimates of each. */

import { expect } from 'vitest';
import { pureEstimates } from '../../collector/src/estimators/pure.ts';
import type { Support } from '../../shared/src/mechanisms/law.ts';
import { range } from './channel.ts';
import type { Distribution } from './enumerate.ts';
import { add, divide, multiply, ONE, type Rational, rational, relativeError, subtract, sum, toNumber, ZERO } from './rational.ts';

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

/** The distribution of the counts of cells, by their text, of a population that reports through a channel. */
function tallies(
  rows: readonly Distribution[],
  cellsOf: (report: string) => readonly number[],
  size: number,
  population: readonly number[],
) {
  let found = new Map<string, Rational>([
    [
      range(size)
        .map(() => 0)
        .join(),
      ONE,
    ],
  ]);
  for (const answer of population) {
    const next = new Map<string, Rational>();
    for (const [counts, weight] of found) {
      for (const [report, p] of rows[answer] as Distribution) {
        const cells = counts.split(',').map((count, cell) => Number(count) + Number(cellsOf(report).includes(cell)));
        next.set(cells.join(), add(next.get(cells.join()) ?? ZERO, multiply(weight, p)));
      }
    }
    found = next;
  }
  return found;
}

/** Fails unless, over every tally, estimates have the population's frequencies as mean and the stated variance. */
export function expectUnbiased(
  rows: readonly Distribution[],
  cellsOf: (report: string) => readonly number[],
  population: readonly number[],
  stated: Support,
): void {
  const size = rows.length;
  const { p, q } = supportOf(rows.map((row) => cellChances(row, cellsOf, size)));
  const n = population.length;
  const mean = range(size).map(() => ZERO);
  const square = [...mean];
  for (const [text, weight] of tallies(rows, cellsOf, size, population)) {
    const counts = text.split(',').map(Number);
    const shipped = pureEstimates({ reports: n, cells: Float64Array.from(counts) }, stated, stated, 1);
    counts.forEach((count, cell) => {
      const estimate = divide(subtract(rational(count, n), q), subtract(p, q));
      expect(Math.abs((shipped[cell]?.estimate as number) - toNumber(estimate))).toBeLessThan(1e-9 * (1 + Math.abs(toNumber(estimate))));
      mean[cell] = add(mean[cell] as Rational, multiply(weight, estimate));
      square[cell] = add(square[cell] as Rational, multiply(weight, multiply(estimate, estimate)));
    });
  }
  range(size).forEach((cell) => {
    const f = rational(population.filter((answer) => answer === cell).length, n);
    const [first, second] = [mean[cell] as Rational, square[cell] as Rational];
    expect(first).toEqual(f);
    expect(subtract(second, multiply(first, first))).toEqual(statedVariance(p, q, f, rational(n)));
  });
}
