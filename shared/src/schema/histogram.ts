/** A number's distribution: buckets between edges, the first and the last open-ended, answered as a list of buckets. */

import { listLaw } from '../mechanisms/list.ts';
import type { ListAsk, Question } from './question.ts';
import { MAX_ANSWERS, type Rule, rule } from './rules.ts';

/** Edges that part the numbers into buckets. */
const isEdges: Rule = /* @__PURE__ */ rule(
  `1 to ${MAX_ANSWERS - 1} finite numbers, each above the one before`,
  (edges: readonly number[]) =>
    Array.isArray(edges) &&
    edges.length > 0 &&
    edges.length < MAX_ANSWERS &&
    edges.every((edge, i) => Number.isFinite(edge) && (i === 0 || edge > (edges[i - 1] as number))),
);

/** The buckets as people read them: below the first edge, [a, b) between two, from the last one on. */
export const bucketLabels = (edges: readonly number[]): readonly string[] => [
  `< ${edges[0]}`,
  ...edges.slice(1).map((edge, i) => `${edges[i]} – ${edge}`),
  `≥ ${edges[edges.length - 1]}`,
];

/** How is a number distributed? No number is out of range: the end buckets are open, and NaN falls in the first. */
export function histogram(edges: readonly number[], ask: ListAsk): Question<number> {
  const size = edges.length + 1;
  return {
    type: 'histogram',
    ask,
    rules: { edges: isEdges },
    fields: { edges },
    size,
    law: listLaw,
    input: (value) => {
      const below = edges.filter((edge) => edge <= value).length;
      return typeof value === 'number' ? below : undefined;
    },
    labels: () => bucketLabels(edges),
    ...ask.mechanism,
  };
}
