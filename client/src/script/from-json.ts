/**
 * Reads a schema from the JSON of `murmuration schema --json`, for pages without a build. The laws are those of the document; nothing is
 * derived. Each script states which questions and mechanisms it contains.
 */

import { type Answering, type MetricDocument, type QuestionType, type SchemaDocument, wireName } from '@murmuration/shared';
import type { storing } from '../questions/permanent.ts';
import type { DeviceQuestion, Randomizing, ResolvedQuestion, Schema } from '../questions/question.ts';
import { parts } from '../schema.ts';

/** Contents of a script. */
export interface Held {
  /** The values and answers of each type of question, from a metric's document. */
  readonly answerings: { readonly [T in QuestionType]?: (metric: never) => Answering<never> };
  readonly mechanisms: readonly Randomizing[];
  /** The second stage of permanent questions. */
  readonly storing?: typeof storing;
}

/** The part of the output of `murmuration schema --json` that is needed here. */
interface Printed {
  /** The name on the wire. */
  readonly schema: string;
  readonly document: SchemaDocument;
}

/** A schema whose metrics are known only from its JSON. */
type AnySchema = Schema<{ readonly [metric: string]: DeviceQuestion<unknown> }>;

function assertThat(good: unknown, where: string, expected: string, got: string): asserts good {
  if (!good) throw new RangeError(`${where}: expected ${expected}, got ${got}`);
}

/** Makes the function that reads schemas for a script. */
export const schemaReader =
  ({ answerings, mechanisms, storing }: Held) =>
  (json: string | SchemaDocument | Printed): AnySchema => {
    const read = typeof json === 'string' ? (JSON.parse(json) as SchemaDocument | Printed) : json;
    const document = 'document' in read ? read.document : read;
    assertThat(document.format === 1, 'schema.format', '1', `${document.format}`);
    const wire = wireName(document);
    if ('document' in read) assertThat(read.schema === wire, 'schema', `the document of ${read.schema}`, wire);

    const questionOf = ([name, metric]: [string, MetricDocument]): [string, ResolvedQuestion<never>] => {
      const { type, law, permanent } = metric;
      const answering = Object.hasOwn(answerings, type) && answerings[type];
      assertThat(answering, name, `a question that this script holds (${Object.keys(answerings).join(', ')})`, type);
      assertThat(storing || !permanent, name, 'no permanent question, for this script holds none', 'one');
      const held = mechanisms.find(({ randomizers }) => Object.hasOwn(randomizers, law.mechanism));
      assertThat(held, name, 'a mechanism that this script holds', law.mechanism);
      return [name, { ...answering(metric as never), ...held, ...(permanent && storing?.(held)) }];
    };
    const questions: unknown = Object.fromEntries(Object.entries(document.metrics).map(questionOf));
    return { document, wire, questions: questions as AnySchema['questions'], parts };
  };
