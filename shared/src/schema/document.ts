/** The schema document: plain JSON that holds every resolved integer. The collector derives nothing. */

import type { Cadence } from '../calendar.ts';
import { canonicalJson, checksum64, type Json } from '../encoding/canonical.ts';
import type { Law } from '../mechanisms/table.ts';
import type { Answer, JointAnswer } from '../questions/answer.ts';
import type { DocumentAsk } from '../questions/kind.ts';
import type { Range } from '../questions/number.ts';
import type { Permanence, Question } from '../questions/question.ts';
import { callOf, kindOf, type QuestionFields, type QuestionType } from '../questions/table.ts';
import type { Budget } from './charges.ts';

/** What the document of every metric has. */
interface CommonDocument {
  /** ε of one report. */
  readonly epsilon: number;
  readonly every: Cadence;
  /** What is reported of a slot in which nothing was recorded: then presence tells nothing. */
  readonly otherwise?: Json;
  readonly permanent?: Permanence;
  readonly law: Law;
}

/** A metric of a schema document. */
export type MetricDocument = {
  [T in QuestionType]: CommonDocument & { readonly type: T } & QuestionFields[T];
}[QuestionType];

/** A metric whose question has a type. */
export type DocumentOf<T extends QuestionType> = Extract<MetricDocument, { readonly type: T }>;

/** What people say of a metric. None of it reaches the wire's checksum: mending a description must not orphan devices. */
export interface About {
  readonly description: string;
  readonly unit?: string;
  readonly owner?: string;
  readonly expires?: string;
}

/** A whole schema as JSON. */
export interface SchemaDocument {
  readonly format: 1;
  readonly chooser: 1;
  readonly app: string;
  readonly version: number;
  readonly devices: number;
  readonly budget: Budget;
  readonly segments?: { readonly [segment: string]: readonly string[] };
  /** Whether each device answers a random subset of the metrics that fits the budget. */
  readonly assign?: 'random';
  readonly metrics: { readonly [name: string]: MetricDocument };
  readonly about: { readonly [name: string]: About };
}

/** The canonical JSON of a document: what the fingerprint is taken of. */
export const canonicalSchema = (document: Partial<SchemaDocument>): string => canonicalJson(document as unknown as Json);

/** The schema's name on the wire, `app/version/checksum`; the checksum is of everything but `about`. */
export function wireName({ about: _about, ...rest }: SchemaDocument): string {
  return `${rest.app}/${rest.version}/${checksum64(canonicalSchema(rest))}`;
}

/** The answers of a list metric in the order of their indices; undefined for text, joint with one or not, and for numbers. */
export const answersOf = (metric: MetricDocument): readonly (Answer | JointAnswer)[] | undefined => kindOf(metric).answers(metric);

/** The range of a metric whose mean is estimated; undefined for one whose answers' shares are. */
export const rangeOf = (metric: MetricDocument): Range | undefined => kindOf(metric).range?.(metric);

/** A metric's question as its document tells it: enough to know what is an answer, for its law is known. */
export function questionOf(metric: MetricDocument): Question<unknown> {
  const ask: DocumentAsk = { epsilon: metric.epsilon, description: '' };
  return kindOf(metric).make(...callOf(metric, ask)) as Question<unknown>;
}
