/** @module The whole script for pages without a build: every question, every mechanism and the inspector, on the global `murmuration`. */

import { best } from '../best.ts';
import { choices } from '../choices.ts';
import { distribution } from '../distribution.ts';
import {
  countMeanSketch,
  dBitFlip,
  geometric,
  hadamard,
  hadamardCountMeanSketch,
  hybrid,
  laplace,
  localHashing,
  piecewise,
  projective,
  stringHashing,
  unary,
} from '../mechanisms/index.ts';
import { count, histogram, mean } from '../numbers.ts';
import { joint, permanent, text } from '../questions.ts';

import { type Held, schemaReader } from './from-json.ts';
import { lists } from './lists.ts';

export { historyOf, withHistory } from '../history.ts';
export * from '../index.ts';
export { openInspector } from '../inspector/index.ts';
export * from '../mechanisms/index.ts';

const questions: Required<Held['questions']> = {
  ...lists,
  choices: ({ answers, atMost, other }, ask) =>
    choices(other ? answers.slice(0, -1) : answers, { ...ask, atMost, ...(other && { other }) }),
  best: ({ inputs, options, utility }, ask) =>
    best(options, { ...ask, utility: Object.fromEntries(inputs.map((input, i) => [input, utility[i] ?? []])) }),
  joint: ({ questions: parts }, ask) =>
    joint(Object.fromEntries(parts.map((part) => [part.name, 'answers' in part ? part.answers : text])), ask),
  text: (_metric, ask) => text(ask),
  histogram: ({ edges }, ask) => histogram(edges, ask),
  mean: ({ range }, ask) => mean(range, ask),
  count: ({ max }, ask) => count(max, ask),
  distribution: ({ range, cells }, ask) => distribution(range, { ...ask, cells }),
};

/**
 * A schema from the JSON that `murmuration schema --json` prints.
 *
 * @throws {RangeError} for a question or a mechanism that a later version brought
 */
export const schemaFromJson: ReturnType<typeof schemaReader> = schemaReader({
  questions,
  permanent,
  mechanisms: [
    unary(),
    dBitFlip({ bits: 1 }),
    localHashing(),
    stringHashing(),
    hadamard(),
    projective(),
    countMeanSketch(),
    hadamardCountMeanSketch(),
    geometric(),
    laplace(),
    piecewise(),
    hybrid(),
  ],
});
