/** The distribution of a number in buckets between edges, answered as a list of buckets. The first and the last bucket are open-ended. */

import { listLaw } from '../mechanisms/list.ts';
import { assertAsk } from '../schema/asks.ts';
import { isEdges } from '../schema/rules.ts';
import { type QuestionKind, same } from './kind.ts';
import type { Answering, ListAsk, Question } from './question.ts';

/** The labels of the buckets: below the first edge, [a, b) between two edges, and from the last edge on. */
export const bucketLabels = (edges: readonly number[]): readonly string[] => [
  `< ${edges[0]}`,
  ...edges.slice(1).map((edge, i) => `${edges[i]} – ${edge}`),
  `≥ ${edges[edges.length - 1]}`,
];

/** Its fields in a document. */
export interface HistogramFields {
  readonly edges: readonly number[];
}

/** The values and answers of a histogram. */
export const histogramAnswering = ({ edges }: HistogramFields): Answering<number> => ({
  size: edges.length + 1,
  isScale: true,
  input: (value) => {
    const below = edges.filter((edge) => edge <= value).length;
    return typeof value === 'number' ? below : undefined;
  },
  labels: () => bucketLabels(edges),
});

/** Asks how a number is distributed over buckets. No number is out of range: the end buckets are open, and NaN falls into the first. */
export function histogram(edges: readonly number[], ask: ListAsk): Question<number> {
  assertAsk('histogram(edges, ask)', ask);
  const fields = { edges };
  return { ...histogramAnswering(fields), type: 'histogram', ask, fields, law: listLaw, ...ask.mechanism };
}

export const histogramKind: QuestionKind<HistogramFields> = {
  rules: () => ({ edges: isEdges }),
  answers: ({ edges }) => bucketLabels(edges),
  takes: () => 'a number',
  keeps: (before, after) => same(before.edges, after.edges),
  estimates: 'shares',
};
