/** The whole distribution of a number over equal cells of a range. Numbers outside the range count as its ends. */

import { distributionLaw } from '../mechanisms/distribution.ts';
import { MOST_CELLS } from '../mechanisms/square-wave.ts';
import type { Law } from '../mechanisms/table.ts';
import { assertAsk } from '../schema/asks.ts';
import { isRange, optional, type Rule, rule } from '../schema/rules.ts';
import { type QuestionKind, same } from './kind.ts';
import { placeOf, type Range } from './number.ts';
import type { Answering, Ask, NamedDistribution, Question } from './question.ts';

/**
 * The default number of cells: each is 1.6 % of the range. With fewer than a million reports, finer detail is mostly noise. More cells
 * increase the error of the unbiased shares of cells, but not that of ranges.
 */
export const DEFAULT_CELLS = 64;

/** The label of a place in a range, `steps` of `parts` equal steps from its low end. */
const edgeLabel = ([low, high]: Range, steps: number, parts: number): string =>
  String(Number((low + ((high - low) * steps) / parts).toPrecision(4)));

/** The labels of the cells. */
export const cellLabels = (range: Range, cells: number): readonly string[] =>
  Array.from({ length: cells }, (_, i) => `${edgeLabel(range, i, cells)} – ${edgeLabel(range, i + 1, cells)}`);

/** The labels of a square wave's outputs: the middle of each output's window. Reports of other laws are noisy bits and have no labels. */
export const windowLabels = (range: Range, cells: number, law?: Law): readonly string[] =>
  law?.mechanism === 'square-wave'
    ? Array.from({ length: law.grid + law.window }, (_, j) => edgeLabel(range, 2 * j - law.window + 2, 2 * cells))
    : [];

/** The settings of a `distribution` question. */
type DistributionAsk = Ask<NamedDistribution> & { readonly cells?: number };

/** Its fields in a document. */
export interface DistributionFields {
  readonly range: Range;
  readonly cells: number;
}

/** The values of a number whose whole distribution is estimated, and the labels of its reports. */
export const distributionAnswering = ({ range, cells }: DistributionFields): Answering<number> => ({
  size: cells,
  isScale: true,
  input: (value) => {
    const place = placeOf(range, value);
    return place === undefined ? undefined : Math.min(cells - 1, Math.floor(place * cells));
  },
  labels: (law) => windowLabels(range, cells, law),
});

/** Asks how numbers are distributed over a range, in `cells` equal cells; 64 by default. */
export function distribution(range: Range, ask: DistributionAsk): Question<number> {
  assertAsk('distribution([low, high], ask)', ask);
  const { cells = DEFAULT_CELLS } = ask;
  const fields = { range, cells };
  return { ...distributionAnswering(fields), type: 'distribution', ask, fields, law: distributionLaw, ...ask.mechanism };
}

const isCells = (): Rule =>
  rule(`a whole number of cells from 2 to ${MOST_CELLS}`, (cells: number) => Number.isInteger(cells) && cells > 1 && cells <= MOST_CELLS);

export const distributionKind: QuestionKind<DistributionFields> = {
  rules: () => ({
    range: isRange,
    cells: isCells(),
    // A number's whole distribution has no second stage.
    permanent: optional(rule('a mean, a count or a histogram to be permanent', () => false)),
  }),
  answers: ({ range, cells }) => cellLabels(range, cells),
  takes: () => 'a number',
  keeps: (before, after) => same([before.range, before.cells], [after.range, after.cells]),
  estimates: 'distribution',
};
