/** What an app writes down as its schema. */

import type { Question } from '../questions/question.ts';
import type { Budget } from './charges.ts';

/** Metrics by name, as they are asked. */
export type Questions = { readonly [metric: string]: Question<never> };

/** Segments by name, each with its values. They are sent in clear. */
export type Segments = { readonly [segment: string]: readonly string[] };

/** What `defineSchema` takes. */
export interface SchemaSpec<M extends Questions = Questions, S extends Segments = Segments> {
  /** The app's name on the wire. */
  readonly app: string;
  /** A whole number that grows with every change of a law. */
  readonly version: number;
  /** ε that may be spent in any `per` consecutive days, over all metrics. */
  readonly budget: Budget;
  /** Sent in clear beside the reports: at most 64 combinations. */
  readonly segments?: S;
  /** How many devices are expected to answer; sets the cohorts of strings. 100,000 when left out. */
  readonly devices?: number;
  /** Each device answers a random subset of the metrics that fits the budget: better than splitting ε, where all would not fit. */
  readonly assign?: 'random';
  readonly metrics: M;
}
