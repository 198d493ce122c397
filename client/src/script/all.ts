/** @module The whole script for pages without a build: every question, every mechanism and the inspector, on the global `murmuration`. */

import { calls, type QuestionType } from '@murmuration/shared';
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
import * as constructors from '../questions/index.ts';
import { permanent } from '../questions/permanent.ts';
import type { DeviceQuestion } from '../questions/question.ts';
import { randomizeRappor } from '../randomizers/rappor.ts';
import { type Held, schemaReader } from './from-json.ts';

export { historyOf, withHistory } from '../history.ts';
export * from '../index.ts';
export { openInspector } from '../inspector/index.ts';
export * from '../mechanisms/index.ts';

/** Every type's constructor. If the index of questions lacks one, this does not compile. */
const makes: { readonly [T in QuestionType]: (...call: never[]) => DeviceQuestion<never> } = constructors as {
  readonly [T in keyof typeof constructors]: never;
};

/** For each type, makes the question from a metric's document. */
const questions = Object.fromEntries(
  Object.entries(calls).map(([type, call]) => [
    type,
    (metric: never, ask: never) => makes[type as QuestionType](...(call(metric, ask) as never[])),
  ]),
) as Required<Held['questions']>;

/**
 * Reads a schema from the JSON that `murmuration schema --json` prints.
 *
 * @throws {RangeError} for a question or a mechanism of a later version
 */
export const schemaFromJson: ReturnType<typeof schemaReader> = schemaReader({
  questions,
  permanent,
  mechanisms: [
    { randomizers: { rappor: randomizeRappor } }, // of a text that is asked together with lists
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
