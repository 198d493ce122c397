/** What measurements cost together, and which questions are the same. */

import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '@murmuration/shared';
import type { Cost } from '../budget/accounting.ts';
import { add, most, parseAmount, ZERO } from '../budget/amount.ts';
import { pure } from '../mechanisms/spending.ts';
import type { Measure, Question } from './question.ts';

/** What a measurement costs each device-day. */
export function costOf({ epsilon }: Measure): Cost {
  return pure(parseAmount(epsilon, 'epsilon'));
}

const NOTHING: Cost = { epsilon: ZERO, rho: ZERO };

/** Sequential composition: the sum (McSherry 2009, theorem 3). */
export const inSequence = (costs: readonly Cost[]): Cost =>
  costs.reduce((sum, { epsilon, rho }) => ({ epsilon: add(sum.epsilon, epsilon), rho: add(sum.rho, rho) }), NOTHING);

/** Parallel composition: the largest (theorem 4). */
export const inParallel = (costs: readonly Cost[]): Cost =>
  costs.reduce((sum, { epsilon, rho }) => ({ epsilon: most(sum.epsilon, epsilon), rho: most(sum.rho, rho) }), NOTHING);

/** What is measured, without what it costs and what the analyst expects. */
function withoutEpsilon(measure: Measure): Json {
  const { epsilon: _epsilon, about: _about, ...rest } = { about: 0, ...measure };
  return rest as unknown as Json;
}

/** Sorts measurements by what they measure, and equal ones by their ε as text. */
export const sortMeasures = (measures: readonly Measure[]): readonly Measure[] =>
  measures
    .map((measure) => ({ measure, text: `${canonicalJson(withoutEpsilon(measure))} ${measure.epsilon}` }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ measure }) => measure);

/** All measurements of a question, by part where it has parts. */
export const allMeasures = ({ measures, partition }: Question): readonly { readonly part?: string; readonly measure: Measure }[] =>
  measures?.map((measure) => ({ measure })) ??
  Object.entries(partition?.parts ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([part, asked]) => asked.map((measure) => ({ part, measure })));

/** The hash of a canonical question without its epsilons. */
export function keyOf(question: Question): string {
  const { measures: _measures, partition, ...rest } = question;
  const asked = allMeasures(question).map(({ part, measure }) => [part ?? null, withoutEpsilon(measure)]);
  const json = { ...rest, by: partition?.by ?? null, asked } as unknown as Json;
  return createHash('sha256').update(canonicalJson(json)).digest('hex');
}
