/** The schema as an app writes it. */

import type { Question } from '../questions/question.ts';
import type { Budget } from './charges.ts';
import type { Sending } from './document.ts';

/** Metrics by name, each with its question. */
export type Questions = { readonly [metric: string]: Question<never> };

/** Segments by name, each with its values. They are sent unencrypted and unrandomized. */
export type Segments = { readonly [segment: string]: readonly string[] };

/** The argument of `defineSchema`. */
export interface SchemaSpec<M extends Questions = Questions, S extends Segments = Segments> {
  /** The app's name on the wire. */
  readonly app: string;
  /** A whole number that increases with every change of a law. */
  readonly version: number;
  /** The ε that may be spent in any `per` consecutive days, over all metrics. */
  readonly budget: Budget;
  /** Sent unencrypted and unrandomized with the reports: at most 64 combinations. */
  readonly segments?: S;
  /** The expected number of answering devices, which determines the cohorts of strings. 100,000 by default. */
  readonly devices?: number;
  /**
   * Each device answers a random subset of the metrics that fits the budget. If not all metrics fit, this gives better estimates than
   * splitting ε.
   */
  readonly assign?: 'random';
  /**
   * Sending of reports: alone or together (docs/linkage.md). By default `alone` if the metrics or the cohorts of a batch could tell
   * whose it is: under `assign: 'random'`, and where a permanent metric's reports have a public part. Else `together`.
   */
  readonly reports?: Sending;
  /**
   * Collectors refuse reports that no relay has passed on (docs/relay.md). The app then passes `relayTransport`, and `reports` is
   * `'alone'`.
   */
  readonly relay?: 'required';
  /**
   * The honest devices that send reports with the same version, day and segments, at least, as the app's makers expect. With `relay` only:
   * the audit states the smaller ε of reports among so many (docs/shuffle.md).
   */
  readonly together?: number;
  readonly metrics: M;
}
