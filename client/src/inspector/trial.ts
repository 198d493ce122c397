/**
 * A report that would be sent for an answer, without a record: the device's own randomizer on fresh coins. It is told no telemetry and no
 * storage, so it can spend no ε, take no slot, and leave nothing to be sent.
 */

import { type MetricDocument, type Schema, systemRng, words } from '@murmuration/shared';
import type { DeviceQuestions } from '../questions/question.ts';
import { createCoins } from '../random/coins.ts';
import { randomize, reportOf } from '../record.ts';
import { saidBy } from '../view.ts';
import { chanceOf } from './chance.ts';

/** The outcome of a trial. */
export interface Trial {
  /** The labels that the report names. */
  readonly said: readonly string[];
  /** True if the answer is not among them; undefined if reports do not name answers. */
  readonly differs: boolean | undefined;
}

/**
 * Randomizes an answer as a record of it would, with both stages where a question is permanent and nothing is stored yet.
 *
 * @returns undefined if the value has the wrong type, or if there is no source of randomness
 */
export function tryAnswer(schema: Schema<DeviceQuestions>, metric: string, value: unknown): Trial | undefined {
  const { questions, document } = schema;
  const { metrics, budget } = document;
  const path = { questions, metrics, budget, wire: schema.wire, ...createCoins(words(systemRng)), newId: () => '' };
  const claim = randomize(path, metric, value);
  if (typeof claim === 'string') return undefined;
  const [, report] = reportOf(path, claim, claim.symbol, undefined);
  const said = saidBy(schema, metric, report);
  const { law } = metrics[metric] as MetricDocument;
  const question = questions[metric] as DeviceQuestions[string];
  const own = question.labels(law)[question.input(value as never) as number] as string;
  return { said, differs: chanceOf(law) && !said.includes(own) };
}
