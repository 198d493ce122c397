/**
 * How often intervals cover, for laws whose channel is a matrix: the tally of any number of devices is drawn from its exact law, one
 * multinomial draw for each true answer, and goes through the collector's estimator. test/collector/estimation/drawn.test.ts holds the matrix
 * and the draws to the shipping randomizers.
 */

import {
  countLaw,
  type ExponentialLaw,
  exponentialLaw,
  geometricLaw,
  hybridMeanLaw,
  meanLaw,
  type NumberLaw,
  oneBitLaw,
  piecewiseLaw,
  type SquareWaveLaw,
  squareWaveLaw,
  steppedLaw,
} from '@murmuration/shared';
import { interval, shareOf } from '#collector/estimation/distribution.ts';
import type { Rows } from '#collector/estimation/matrices.ts';
import { distributionOf, estimatesOf, estimations, scoresOf } from '#collector/estimation/mechanisms/table.ts';
import type { Tallies } from '#collector/estimation/tally.ts';
import { belowEdges, type Drawing, ends, evenly, falling, type Uniform } from './drawing.ts';
import { multinomialOf } from './multinomial.ts';

/** A drawing of a law with a matrix. */
export interface Drawn extends Drawing {
  readonly law: NumberLaw | ExponentialLaw | SquareWaveLaw;
  /** P(output | true answer), a row for each share. */
  readonly rows: readonly (readonly number[])[];
}

/** P(output | true answer), a row for each. */
export const rowsOf = <L extends Drawn['law']>(law: L): Rows => (estimations[law.mechanism].rows as (law: L) => Rows)(law);

/** The row of a number in [0, 1]: between two points of the grid, of both in the parts that rounding has. */
export function rowAt(law: NumberLaw, place: number): readonly number[] {
  const rows = rowsOf(law);
  const { values } = scoresOf(law);
  const points = rows.map((row) => row.reduce((sum, chance, output) => sum + chance * (values[output] as number), 0));
  const above = points.findIndex((point, i) => i > 0 && (point >= place || i === points.length - 1));
  const [from, to] = [points[above - 1] as number, points[above] as number];
  const part = Math.min(1, Math.max(0, (place - from) / (to - from)));
  const low = rows[above - 1] as readonly number[];
  return (rows[above] as readonly number[]).map((chance, output) => part * chance + (1 - part) * (low[output] as number));
}

/** The tally of so many devices, and the shares that they have. */
export function drawTally({ shares, rows }: Pick<Drawn, 'shares' | 'rows'>, devices: number, uniform: Uniform) {
  const having = multinomialOf(devices, shares, uniform);
  const cells = new Float64Array((rows[0] as readonly number[]).length);
  having.forEach((count, answer) => {
    if (count === 0) return;
    multinomialOf(count, rows[answer] as readonly number[], uniform).forEach((reports, output) => {
      cells[output] = (cells[output] as number) + reports;
    });
  });
  return { tallies: new Map([[0, { reports: devices, cells }]]), among: having.map((count) => count / devices) };
}

type Estimates = (tallies: Tallies, people?: number) => ReturnType<typeof estimatesOf>;

/** Draws by the rows, and estimates. */
const drawing = (parts: Omit<Drawn, 'round'>, estimates: Estimates): Drawn => ({
  ...parts,
  round: (devices, uniform) => {
    const { tallies, among } = drawTally(parts, devices, uniform);
    return { among, estimates: (people) => estimates(tallies, people) };
  },
});

const asked =
  (law: Drawn['law']): Estimates =>
  (tallies, people) =>
    estimatesOf(law, { tallies, perDevice: 1, candidates: [], ...(people && { people }) });

const numbers = (name: string, law: NumberLaw, shares: readonly number[]): Drawn =>
  drawing(
    {
      name,
      law,
      shares,
      rows: shares.map((_, i) => rowAt(law, i / (shares.length - 1))),
      truths: (found) => [found.reduce((sum, share, i) => sum + (share * i) / (found.length - 1), 0)],
    },
    asked(law),
  );
const cautious = (drawn: Drawn): Drawn => ({ ...drawn, cautious: true });

const wave = (name: string, law: SquareWaveLaw, shares: readonly number[]): Drawn =>
  drawing({ name, law, shares, rows: rowsOf(law), truths: belowEdges }, (tallies, people) => {
    const found = distributionOf(law, tallies, people);
    return found === undefined ? [] : shares.slice(1).map((_, i) => interval(shareOf(found, 0, i + 1)));
  });

export const NEAR: Rows = Array.from({ length: 4 }, (_, i) => Array.from({ length: 6 }, (__, j) => -Math.abs(i - j)));

function best(name: string, epsilon: number): Drawn {
  const law = exponentialLaw(NEAR, epsilon);
  return drawing({ name, law, shares: falling(4), rows: rowsOf(law), truths: (found) => found }, asked(law));
}

/** Every law with a matrix. */
export const drawnCases: readonly Drawn[] = [
  ...[0.5, 1, 2, 4, 6].flatMap((epsilon) => [
    numbers(`mean, even, ε ${epsilon}`, meanLaw(epsilon), evenly(33)),
    numbers(`mean, ends, ε ${epsilon}`, meanLaw(epsilon), ends(33)),
    numbers(`count to 20, ε ${epsilon}`, countLaw(20, epsilon), falling(21)),
  ]),
  ...[1, 4].flatMap((epsilon) => [
    numbers(`count to 5, ε ${epsilon}`, countLaw(5, epsilon), falling(6)),
    numbers(`count to 20, geometric, ε ${epsilon}`, geometricLaw(20, epsilon), falling(21)),
    numbers(`mean, hybrid, ε ${epsilon}`, hybridMeanLaw(epsilon), evenly(33)),
    cautious(numbers(`mean, piecewise, ε ${epsilon}`, steppedLaw(epsilon), evenly(33))),
    cautious(numbers(`mean, Duchi, ε ${epsilon}`, piecewiseLaw(1, 1, epsilon), evenly(33))),
    cautious(numbers(`mean, one bit, ε ${epsilon}`, oneBitLaw(epsilon, epsilon + 1), evenly(33))),
    best(`best of 6, ε ${epsilon}`, epsilon),
    wave(`distribution, square-wave, ε ${epsilon}`, squareWaveLaw(16, epsilon), falling(16)),
  ]),
];
