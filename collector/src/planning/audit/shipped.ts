/** The questions of a schema document with the randomizers that devices have. The laws are those of the document; nothing is derived. */

import * as resolved from '@murmuration/client/resolved';
import { answeringOf, type MetricDocument, type SchemaDocument } from '@murmuration/shared';

/** The randomizers of every mechanism. */
const shipped = Object.values(resolved).filter((each): each is resolved.Randomizing => typeof each === 'object');

function shippedQuestion(metric: MetricDocument): resolved.ResolvedQuestion<never> {
  const { law, permanent } = metric;
  const held = shipped.find(({ randomizers }) => Object.hasOwn(randomizers, law.mechanism));
  if (held === undefined) throw new Error(`expected a randomizer of ${law.mechanism} in @murmuration/client, got none`);
  return { ...answeringOf(metric), ...held, ...(permanent && resolved.storing(held)) };
}

/** The questions of a document, by metric. */
export const shippedQuestions = ({ metrics }: SchemaDocument): resolved.ResolvedQuestions =>
  Object.fromEntries(Object.entries(metrics).map(([name, metric]) => [name, shippedQuestion(metric)]));
