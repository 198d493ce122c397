/** The schema document: plain JSON that holds every resolved integer. The collector derives nothing. */

import type { Cadence } from '../calendar.ts';
import { canonicalJson, checksum64, type Json } from '../encoding/canonical.ts';
import type { Law } from '../mechanisms/table.ts';
import type { Answer, JointAnswer } from '../questions/answer.ts';
import type { Range } from '../questions/number.ts';
import type { Permanence } from '../questions/question.ts';
import { kindOf, type QuestionFields, type QuestionType } from '../questions/table.ts';
import type { Budget } from './charges.ts';

/** The fields that the document of every metric has. */
interface CommonDocument {
  /** ε of one report. */
  readonly epsilon: number;
  readonly every: Cadence;
  /** The answer reported for a slot in which nothing was recorded, so that the presence of a report reveals nothing. */
  readonly otherwise?: Json;
  readonly permanent?: Permanence;
  readonly law: Law;
}

/** A metric of a schema document. */
export type MetricDocument = {
  [T in QuestionType]: CommonDocument & { readonly type: T } & QuestionFields[T];
}[QuestionType];

/** A metric whose question has the given type. */
export type DocumentOf<T extends QuestionType> = Extract<MetricDocument, { readonly type: T }>;

/**
 * The descriptive fields of a metric. They are not part of the wire's checksum, because correcting a description must not orphan devices.
 */
export interface About {
  readonly description: string;
  readonly unit?: string;
  readonly owner?: string;
  readonly expires?: string;
  readonly publish?: boolean;
}

/**
 * How reports leave a device: each `alone` in a batch of its own, at a time of its own, or several `together`. Anyone who gets a batch knows
 * that its reports are of one device.
 */
export type Sending = 'alone' | 'together';

/** A whole schema as JSON. */
export interface SchemaDocument {
  readonly format: 1;
  readonly chooser: 1;
  readonly app: string;
  readonly version: number;
  readonly devices: number;
  readonly budget: Budget;
  readonly segments?: { readonly [segment: string]: readonly string[] };
  /** Set if each device answers a random subset of the metrics that fits the budget. */
  readonly assign?: 'random';
  readonly reports: Sending;
  /** Set if a collector takes reports only from a relay, which hides whose they are (docs/relay.md). */
  readonly relay?: 'required';
  /** The honest devices among whose reports one hides, as expected. Nothing but statements depends on it. */
  readonly together?: number;
  readonly metrics: { readonly [name: string]: MetricDocument };
  readonly about: { readonly [name: string]: About };
}

/** The canonical JSON of a document, from which the fingerprint is computed. */
export const canonicalSchema = (document: Partial<SchemaDocument>): string => canonicalJson(document as unknown as Json);

/** The schema's name on the wire, `app/version/checksum`. The checksum covers everything except `about`. */
export function wireName({ about: _about, ...rest }: SchemaDocument): string {
  return `${rest.app}/${rest.version}/${checksum64(canonicalSchema(rest))}`;
}

/** The answers of a list metric in the order of their indices; undefined for texts (also within a joint metric) and for numbers. */
export const answersOf = (metric: MetricDocument): readonly (Answer | JointAnswer)[] | undefined => kindOf(metric).answers(metric);

/** The range of a metric whose mean is estimated; undefined if shares are estimated. */
export const rangeOf = (metric: MetricDocument): Range | undefined => kindOf(metric).range?.(metric);
