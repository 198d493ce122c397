/**
 * Reads a schema from the JSON of `murmuration schema --json`, for pages without a build. The laws are those of the document; nothing is
 * derived. Each script states which questions and mechanisms it contains.
 */

import { type Ask, type MetricDocument, type Permanence, type Schema, type SchemaDocument, wireName } from '@murmuration/shared';
import type { DeviceQuestion, Randomizing } from '../questions/question.ts';

/** Contents of a script. */
export interface Held {
  /** For each type, makes the question from a metric's document. */
  readonly questions: {
    readonly [T in MetricDocument['type']]?: (
      metric: Extract<MetricDocument, { readonly type: T }>,
      ask: Pick<Ask, 'epsilon' | 'description' | 'every'>,
    ) => DeviceQuestion<never>;
  };
  /** The mechanisms that a metric can name. */
  readonly mechanisms?: readonly Partial<Randomizing>[];
  readonly permanent?: (question: DeviceQuestion<never>, permanence: Permanence) => DeviceQuestion<never>;
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
  ({ questions, mechanisms = [], permanent }: Held) =>
  (json: string | SchemaDocument | Printed): AnySchema => {
    const read = typeof json === 'string' ? (JSON.parse(json) as SchemaDocument | Printed) : json;
    const document = 'document' in read ? read.document : read;
    assertThat(document.format === 1, 'schema.format', '1', `${document.format}`);
    const wire = wireName(document);
    if ('document' in read) assertThat(read.schema === wire, 'schema', `the document of ${read.schema}`, wire);

    const questionOf = ([name, metric]: [string, MetricDocument]): [string, DeviceQuestion<never>] => {
      const { type, law, epsilon, every, permanent: permanence } = metric;
      const make = Object.hasOwn(questions, type) && questions[type];
      assertThat(make, name, `a question that this script holds (${Object.keys(questions).join(', ')})`, type);
      assertThat(permanent || !permanence, name, 'no permanent question, for this script holds none', 'one');
      const asked = make(metric as never, { description: document.about[name]?.description ?? '', epsilon, every });
      const kept = permanence && permanent ? permanent(asked, permanence) : asked;
      const named = [kept, ...mechanisms].find(({ randomizers = {} }) => Object.hasOwn(randomizers, law.mechanism));
      assertThat(named, name, 'a mechanism that this script holds', law.mechanism);
      const { randomizers = {}, respond, says } = named;
      const question = { ...asked, law: () => law, randomizers, ...(respond && { respond }), ...(says && { says }) };
      return [name, permanence && permanent ? permanent(question, permanence) : question];
    };
    return { document, wire, questions: Object.fromEntries(Object.entries(document.metrics).map(questionOf)) as AnySchema['questions'] };
  };
