/**
 * The joint fit of a string and a list, enumerated: on tiny laws every outcome of every report, and every hash of a string that is not
 * listed, are run through the shipping estimator. Its mean is the truth, and its covariance is the one that its docstring derives.
 */

import { bloomBits, hashString, MODULUS, mechanismOf, pairText, type StringLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { type CellEvidence, evidenceOf } from '#collector/decoding/association/evidence.ts';
import { amongThese, covarianceOf, fitPairs, spreadAt, variation } from '#collector/decoding/association/fit.ts';
import { type Places, placesOf } from '#collector/decoding/association/pairs.ts';
import { estimationOf } from '#collector/estimation/mechanisms/table.ts';
import type { Tallies } from '#collector/estimation/tally.ts';

const CELLS = 4;
const COHORTS = 2;
/** Reports of each cohort. */
const REPORTS = [2, 1] as const;

const laws: readonly (readonly [string, StringLaw])[] = [
  ['rappor', { mechanism: 'rappor', bits: CELLS, hashes: 1, cohorts: COHORTS, one: MODULUS / 2, zero: MODULUS / 5 }],
  ['string-hashing', { mechanism: 'string-hashing', buckets: CELLS, cohorts: COHORTS, truth: 0.6 * MODULUS }],
].map(([name, law]) => {
  const whole = Object.fromEntries(Object.entries(law as object).map(([key, x]) => [key, typeof x === 'number' ? Math.round(x) : x]));
  return [name as string, whole as unknown as StringLaw];
});

/** P(cells | the cell of the person), for each set of cells that a report may have. */
function channelOf(law: StringLaw, own: number): readonly (readonly [cells: readonly number[], chance: number])[] {
  const { p, q } = mechanismOf(law).support(law);
  const cells = Array.from({ length: CELLS }, (_, b) => b);
  if (estimationOf(law).isSingle) return cells.map((b) => [[b], b === own ? p : q]);
  return Array.from({ length: 2 ** CELLS }, (_, set) => {
    const has = (b: number): boolean => ((set >> b) & 1) === 1;
    const chance = cells.reduce((product, b) => {
      const one = b === own ? p : q;
      return product * (has(b) ? one : 1 - one);
    }, 1);
    return [cells.filter(has), chance] as const;
  });
}

interface Outcome {
  readonly tallies: Tallies;
  readonly chance: number;
}

/** Every tally of the reports, with its probability, given each cohort's shares of people by cell. */
function outcomesOf(law: StringLaw, having: readonly (readonly number[])[]): readonly Outcome[] {
  let found: readonly { readonly counts: readonly (readonly number[])[]; readonly chance: number }[] = [
    { counts: REPORTS.map(() => new Array<number>(CELLS).fill(0)), chance: 1 },
  ];
  for (const [j, reports] of REPORTS.entries()) {
    const chances = new Map<string, number>();
    (having[j] as readonly number[]).forEach((share, own) => {
      for (const [cells, chance] of channelOf(law, own)) {
        const key = cells.join();
        chances.set(key, (chances.get(key) ?? 0) + share * chance);
      }
    });
    for (let report = 0; report < reports; report++) {
      found = found.flatMap(({ counts, chance }) =>
        [...chances].map(([key, more]) => ({
          counts: counts.map((row, i) => (i === j ? row.map((count, b) => count + (key.split(',').includes(String(b)) ? 1 : 0)) : row)),
          chance: chance * more,
        })),
      );
    }
  }
  return found.map(({ counts, chance }) => ({
    tallies: new Map(counts.map((row, j) => [j, { reports: REPORTS[j] as number, cells: Float64Array.from(row) }])),
    chance,
  }));
}

const evidenceBy = (law: StringLaw, tallies: Tallies): CellEvidence =>
  evidenceOf(law, { tallies, perDevice: 1, people: 3 }) as CellEvidence;

/** Strings whose pairs with two answers are told apart by two cohorts of four cells. */
const TEXTS = ['a', 'd'].flatMap((string) => [0, 1].map((index) => hashString(pairText(string, index))));

/** The shares of people by cell, in each cohort. */
const havingOf = (shares: readonly number[], other: readonly number[]): readonly (readonly number[])[] =>
  other.map((cell, cohort) => {
    const having = new Array<number>(CELLS).fill(0);
    shares.forEach((share, c) => {
      const [own = 0] = bloomBits(TEXTS[c] as (typeof TEXTS)[number], cohort, 1, CELLS);
      having[own] = (having[own] as number) + share;
    });
    having[cell] = (having[cell] as number) + 1 - shares.reduce((sum, share) => sum + share, 0);
    return having;
  });

/** The mean and the covariance of the shares over all outcomes, and over all hashes of the string that is not listed. */
function enumerated(law: StringLaw, shares: readonly number[], others: readonly (readonly number[])[]) {
  const mean = shares.map(() => 0);
  const square = shares.map(() => shares.map(() => 0));
  let places: Places | undefined;
  let total = 0;
  for (const other of others) {
    for (const { tallies, chance } of outcomesOf(law, havingOf(shares, other))) {
      const evidence = evidenceBy(law, tallies);
      places ??= placesOf(evidence, TEXTS);
      const found = fitPairs(evidence, places).shares;
      const weight = chance / others.length;
      total += weight;
      for (const [c, share] of found.entries()) {
        mean[c] = (mean[c] as number) + weight * share;
        const row = square[c] as number[];
        for (const [d, more] of found.entries()) row[d] = (row[d] as number) + weight * share * more;
      }
    }
  }
  return { total, mean, covariance: square.map((row, c) => row.map((x, d) => x - (mean[c] as number) * (mean[d] as number))) };
}

/** The covariance that fit.ts derives, at the true shares. */
function derived(law: StringLaw, shares: readonly number[], collisions: number): number[][] {
  const [first] = outcomesOf(law, havingOf(shares, [0, 0])) as [Outcome];
  const evidence = evidenceBy(law, first.tallies);
  const places = placesOf(evidence, TEXTS);
  const truth = Float64Array.from(shares);
  const hash = evidence.byCell.map((count) => collisions * (evidence.rho - evidence.rhoTwo) * count * (count - 1));
  const spread = { ...spreadAt(evidence, places, truth), hash };
  const { solver } = fitPairs(evidence, places);
  return solver.solve(solver.solve(variation(evidence, places, spread, truth)).transpose()).to2DArray();
}

/** Expects equal matrices, up to rounding. */
function expectEqual(found: readonly (readonly number[])[], expected: readonly (readonly number[])[]): void {
  const most = Math.max(...found.flat().map(Math.abs));
  const apart = found.flatMap((row, c) => row.map((x, d) => Math.abs(x - (expected[c]?.[d] ?? Number.NaN))));
  expect(Math.max(...apart)).toBeLessThan(1e-10 * most);
}

describe.each(laws)('%s', (_, law) => {
  test('the shares of pairs are unbiased, and vary as derived, where all strings are listed', () => {
    const shares = [0.4, 0.3, 0.2, 0.1];
    const { total, mean, covariance } = enumerated(law, shares, [[0, 0]]);
    expect(total).toBeCloseTo(1, 12);
    mean.forEach((found, c) => {
      expect(found).toBeCloseTo(shares[c] as number, 10);
    });
    expectEqual(covariance, derived(law, shares, 0));
  });

  test('the same over all hashes of a string that is not listed', () => {
    const shares = [0.4, 0.2, 0.05, 0.1];
    const hashes = Array.from({ length: CELLS ** COHORTS }, (_, i) => [i % CELLS, Math.floor(i / CELLS)]);
    const { total, mean, covariance } = enumerated(law, shares, hashes);
    expect(total).toBeCloseTo(1, 12);
    mean.forEach((found, c) => {
      expect(found).toBeCloseTo(shares[c] as number, 10);
    });
    expectEqual(covariance, derived(law, shares, 0.25 ** 2));
  });
});

test('about those who reported, the sampling of people is left out', () => {
  const shares = [0.4, 0.3, 0.2, 0.1];
  const law = laws[0]?.[1] as StringLaw;
  const [first] = outcomesOf(law, havingOf(shares, [0, 0])) as [Outcome];
  const evidence = evidenceBy(law, first.tallies);
  const fit = fitPairs(evidence, placesOf(evidence, TEXTS));
  const about = covarianceOf(evidence, fit);
  const before = about.to2DArray();
  const after = amongThese(evidence, about, Float64Array.from(shares)).to2DArray();
  expect((after[0]?.[0] as number) - (before[0]?.[0] as number)).toBeCloseTo((-0.4 * 0.6) / 3, 12);
  expect((after[0]?.[1] as number) - (before[0]?.[1] as number)).toBeCloseTo((0.4 * 0.3) / 3, 12);
});
