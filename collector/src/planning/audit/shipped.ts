/** The questions of a schema document with the randomizers that devices have. The laws are those of the document; nothing is derived. */

import * as client from '@murmuration/client';
import { callOf, type MetricDocument, type QuestionType, type SchemaDocument } from '@murmuration/shared';
import { estimationOf } from '../../estimation/mechanisms/table.ts';
import { clientMechanism } from '../simulate/lists.ts';

/** Every type's constructor. If the client lacks one, this does not compile. */
const makes: { readonly [T in QuestionType]: (...call: never[]) => client.DeviceQuestion<never> } = client;

function shippedQuestion(metric: MetricDocument): client.DeviceQuestion<never> {
  const { type, epsilon, every, law, permanent: permanence } = metric;
  const ask = { epsilon, every, description: 'tested' };
  const keep = (question: client.DeviceQuestion<never>): client.DeviceQuestion<never> =>
    permanence ? client.permanent(question, permanence) : question;
  const asked = makes[type](...callOf(metric, ask));
  const exported = estimationOf(law).simulated.flatMap((each) =>
    'client' in each && each.client !== undefined ? [clientMechanism(each.of, each.client)] : [],
  );
  // The text of a joint question has the randomizers of `text`.
  const named = [keep(asked), ...exported, client.text(ask)].find(({ randomizers = {} }) => Object.hasOwn(randomizers, law.mechanism));
  if (named?.randomizers === undefined) throw new Error(`expected a randomizer of ${law.mechanism} in @murmuration/client, got none`);
  return keep({ ...asked, randomizers: named.randomizers, ...(named.respond && { respond: named.respond }) });
}

/** The questions of a document, by metric. */
export const shippedQuestions = ({ metrics }: SchemaDocument): client.DeviceQuestions =>
  Object.fromEntries(Object.entries(metrics).map(([name, metric]) => [name, shippedQuestion(metric)]));
