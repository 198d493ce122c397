/** Tallies that are drawn instead of simulated have the law of the shipping randomizers; and what a tally can tell of the noise of a mean. */

import { createCoins } from '@murmuration/client/testing';
import { fromBigEndian, type Law, meanLaw, type NumberLaw, oneBitLaw, piecewiseLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { randomizeExponential } from '#client/randomizers/exponential.ts';
import { randomizeGeometric } from '#client/randomizers/geometric.ts';
import { randomizeHybrid } from '#client/randomizers/hybrid.ts';
import { randomizeOneBit } from '#client/randomizers/one-bit.ts';
import { randomizePiecewise, respondAround } from '#client/randomizers/piecewise.ts';
import { randomizeScored } from '#client/randomizers/scored.ts';
import { scoresOf } from '#collector/estimation/mechanisms/table.ts';
import { squaresOf } from '#collector/estimation/number.ts';
import { basisOf, residual } from '#collector/estimation/watch/residual.ts';
import { uniforms } from '../../kit/coverage/drawing.ts';
import { drawnCases, drawTally, rowAt, rowsOf } from '../../kit/coverage/drawn.ts';
import { binomialAt } from '../../kit/coverage/multinomial.ts';
import { drawn as coverageOfDrawn, enumeratedSets, failuresOf } from '../../kit/coverage/targets.ts';
import { range } from '../../proofs/channel.ts';
import { type ChiSquared, logGamma, multinomial, pooled, upperTail } from '../../proofs/statistics.ts';
import { EFFORT } from '../../setup/effort.ts';

/** Of each statistical test below: a correct system fails it this often. */
const FALSE_ALARM = 1e-6;

const randomizers = {
  scored: randomizeScored,
  piecewise: randomizePiecewise,
  hybrid: randomizeHybrid,
  geometric: randomizeGeometric,
  'one-bit': randomizeOneBit,
  exponential: randomizeExponential,
  'square-wave': respondAround,
} as { readonly [name: string]: (law: Law, input: number, coins: ReturnType<typeof createCoins>) => Uint8Array };

/** Where outputs are rare those left over are one cell: the statistic's law is chi-squared only where each is expected often. */
function fitOf(counts: readonly number[], chances: readonly number[], reports: number): ChiSquared {
  const often = chances.map((chance) => chance * reports >= 10);
  const kept = (of: readonly number[]): number[] => of.filter((_, i) => often[i]);
  const rest = (of: readonly number[]): number => of.reduce((sum, x, i) => sum + (often[i] ? 0 : x), 0);
  const few = rest(chances) * reports < 10;
  return few
    ? multinomial(kept(counts), kept(chances), reports)
    : multinomial([...kept(counts), rest(counts)], [...kept(chances), rest(chances)], reports);
}

test('a uniform number becomes each count in just the part that its probability is', () => {
  const [trials, chance, parts] = [30, 0.3, 200_000];
  const found = new Float64Array(trials + 1);
  for (let i = 0; i < parts; i++) {
    const count = binomialAt(trials, chance, (i + 0.5) / parts);
    found[count] = (found[count] as number) + 1 / parts;
  }
  for (const k of range(trials + 1)) {
    const ways = logGamma(trials + 1) - logGamma(k + 1) - logGamma(trials - k + 1);
    const exact = Math.exp(ways + k * Math.log(chance) + (trials - k) * Math.log1p(-chance));
    expect(Math.abs((found[k] as number) - exact)).toBeLessThan(1.01 / parts + 1e-12);
  }
});

test('reports of the shipping randomizers, and drawn tallies, have the law of the matrix, and not one that is 2 % off', () => {
  const uniform = uniforms(11);
  const coins = createCoins(() => Math.floor(uniform() * 2 ** 32));
  const reports = 20_000;
  const fits = drawnCases.map((each) => {
    const { law, rows, shares } = each;
    const isPlace = !['exponential', 'square-wave'].includes(law.mechanism);
    const answer = Math.floor(shares.length / 3);
    const row = rows[answer] as readonly number[];
    const counts = row.map(() => 0);
    const randomize = randomizers[law.mechanism] as (typeof randomizers)[string];
    for (let i = 0; i < reports; i++) {
      const output = fromBigEndian(randomize(law, isPlace ? answer / (shares.length - 1) : answer, coins));
      counts[output] = (counts[output] as number) + 1;
    }
    const { tallies, among } = drawTally(each, reports, uniform);
    const mixed = row.map((_, output) => rows.reduce((sum, chances, i) => sum + (among[i] as number) * (chances[output] as number), 0));
    // 2 % of the likeliest output's probability, taken from it.
    const top = row.indexOf(Math.max(...row));
    const wrong = row.map((chance, output) => (output === top ? 0.98 * chance : chance + (0.02 * (row[top] as number)) / (row.length - 1)));
    return {
      shipped: fitOf(counts, row, reports),
      drawn: fitOf([...(tallies.get(0)?.cells ?? [])], mixed, reports),
      wrong: fitOf(counts, wrong, reports),
    };
  });
  expect(upperTail(pooled(fits.map(({ shipped }) => shipped)))).toBeGreaterThan(FALSE_ALARM);
  // Given what devices have, counts vary a little less than those of a multinomial draw, so this test fails less often.
  expect(upperTail(pooled(fits.map(({ drawn }) => drawn)))).toBeGreaterThan(FALSE_ALARM);
  expect(upperTail(pooled(fits.map(({ wrong }) => wrong)))).toBeLessThan(FALSE_ALARM);
});

/** Each law and target misses its gate by chance with a probability below 3e-7 (kit/coverage/targets.ts). */
test.each([100, 1_000_000])('drawn tallies of %d devices: of both targets 93 to 97 in a hundred are covered', (devices) => {
  expect(failuresOf([...enumeratedSets(devices), ...coverageOfDrawn(devices, 10 * EFFORT, 1, drawnCases)])).toEqual([]);
});

describe('scores of x²', () => {
  /** E[g | x] - x² over a step is largest at its ends and its middle. */
  const errorsOf = (law: NumberLaw): readonly number[] => {
    const found = squaresOf(rowsOf(law), scoresOf(law));
    if (found === undefined) return [];
    return range(2001).map((i) => {
      const place = i / 2000;
      return rowAt(law, place).reduce((sum, chance, output) => sum + chance * (found[output] as number), 0) - (place - 0.5) ** 2;
    });
  };

  test.each([0.25, 0.5, 1, 1.5, 2, 3, 4, 6].map((epsilon) => [epsilon, meanLaw(epsilon)] as const))(
    'have x² as their mean, within 3 %% of the noise, at ε = %d',
    (_epsilon, law) => {
      const { varianceAt } = scoresOf(law);
      const noise = Math.min(...range(101).map((i) => varianceAt(i / 100)));
      const errors = errorsOf(law);
      expect(errors).toHaveLength(2001);
      expect(Math.max(...errors.map(Math.abs)) / noise).toBeLessThan(0.04);
    },
  );

  test('are none where numbers are rounded to the ends: a line misses x² by 1/8, and half of all noise could be meant', () => {
    for (const law of [piecewiseLaw(1, 1, 4), oneBitLaw(4, 5)]) expect(squaresOf(rowsOf(law), scoresOf(law))).toBeUndefined();
    const chord = range(1001).map((i) => 0.25 - (i / 1000 - 0.5) ** 2);
    expect((Math.max(...chord) - Math.min(...chord)) / 2).toBeCloseTo(1 / 8, 6);
  });
});

test('no sum of counts has w² as its mean where sets over the limit count in part: least squares leave 0.09', () => {
  const [answers, atMost] = [4, 2];
  const sets = range(2 ** answers).map((bits) => range(answers).filter((i) => (bits >> i) & 1));
  const parts = sets.map((set) => range(answers).map((i) => (set.includes(i) ? Math.min(1, atMost / set.length) : 0)));
  const dummies = sets.map(({ length }) => range(atMost).map((j) => Number(length < atMost - j)));
  // Each count's mean is linear in the part that a device has of its answer or dummy.
  const columns = [
    sets.map(() => 1),
    ...range(answers).map((i) => parts.map((w) => w[i] as number)),
    ...range(atMost).map((j) => dummies.map((d) => d[j] as number)),
  ];
  const ones = sets.map(() => 1);
  const { statistic } = residual(
    parts.map((w) => (w[0] as number) ** 2),
    basisOf(columns, ones),
  );
  expect(Math.sqrt(statistic / sets.length)).toBeCloseTo(0.09, 3);
  // Without sets over the limit w² is w, and nothing is left.
  const whole = sets.flatMap((set, i) => (set.length <= atMost ? [i] : []));
  const among = residual(
    whole.map((i) => (parts[i]?.[0] as number) ** 2),
    basisOf(
      columns.map((column) => whole.map((i) => column[i] as number)),
      whole.map(() => 1),
    ),
  );
  expect(among.statistic).toBeLessThan(1e-12);
});
