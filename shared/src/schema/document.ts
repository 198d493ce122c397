/** The schema document: plain JSON that holds every resolved integer. The collector derives nothing. */

import type { Cadence } from '../calendar.ts';
import { canonicalJson, checksum64, type Json } from '../encoding/canonical.ts';
import type { Law } from '../mechanisms/table.ts';
import type { Budget } from './charges.ts';
import { cellLabels } from './distribution.ts';
import { bucketLabels } from './histogram.ts';
import type { Answer, Permanence } from './question.ts';

/** One list of a joint metric. */
export interface JointQuestion {
  readonly name: string;
  readonly answers: readonly Answer[];
}

/** A question of a joint metric: a list, or its one string. */
export type JointPart = JointQuestion | { readonly name: string; readonly text: true };

/** Whether it is a list. */
export const isListPart = (part: JointPart): part is JointQuestion => 'answers' in part;

/** An answer to a joint metric: one to each of its questions. */
export type JointAnswer = { readonly [question: string]: Answer };

/** A metric of a schema document. */
export type MetricDocument = {
  /** ε of one report. */
  readonly epsilon: number;
  readonly every: Cadence;
  /** What is reported of a slot in which nothing was recorded: then presence tells nothing. */
  readonly otherwise?: Json;
  readonly permanent?: Permanence;
  readonly law: Law;
} & (
  | { readonly type: 'flag' | 'text' }
  | { readonly type: 'choice'; readonly answers: readonly string[]; readonly other?: true }
  | { readonly type: 'choices'; readonly answers: readonly string[]; readonly atMost: number; readonly other?: true }
  | {
      readonly type: 'best';
      readonly inputs: readonly string[];
      readonly options: readonly string[];
      readonly utility: readonly (readonly number[])[];
    }
  | { readonly type: 'joint'; readonly questions: readonly JointPart[] }
  | { readonly type: 'histogram'; readonly edges: readonly number[] }
  | { readonly type: 'count'; readonly max: number }
  | { readonly type: 'mean'; readonly range: readonly [low: number, high: number] }
  | { readonly type: 'distribution'; readonly range: readonly [low: number, high: number]; readonly cells: number }
);

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

/** The answers of a joint metric in the order of their indices: the first question is the most significant digit. */
export const jointAnswers = (questions: readonly JointQuestion[]): readonly JointAnswer[] =>
  questions.reduce<readonly JointAnswer[]>(
    (rows, { name, answers }) => rows.flatMap((row) => answers.map((answer) => ({ ...row, [name]: answer }))),
    [{}],
  );

/** The answers of a list metric in the order of their indices; undefined for text, joint with one or not, and for numbers. */
export function answersOf(metric: MetricDocument): readonly (Answer | JointAnswer)[] | undefined {
  switch (metric.type) {
    case 'flag':
      return [false, true];
    case 'choice':
    case 'choices':
      return metric.answers;
    case 'best':
      return metric.inputs;
    case 'joint':
      return metric.questions.every(isListPart) ? jointAnswers(metric.questions) : undefined;
    case 'histogram':
      return bucketLabels(metric.edges);
    case 'distribution':
      return cellLabels(metric.range, metric.cells);
    case 'text':
    case 'mean':
    case 'count':
      return undefined;
  }
}

/** An answer as people read it: of a joint one, what says something by itself, and yes or no with its question. */
export const labelOf = (answer: Answer | JointAnswer): string =>
  typeof answer === 'object'
    ? Object.entries(answer)
        .map(([question, value]) => (typeof value === 'string' ? value : `${question}: ${value}`))
        .join(', ')
    : String(answer);
