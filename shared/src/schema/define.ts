/** `defineSchema`: one const object that the app uses as it is and the collector reads. Checked and resolved here. */

import { assertCharges, type Budget, isChargeable } from './charges.ts';
import { assertSpec } from './checks.ts';
import { type About, type MetricDocument, type SchemaDocument, wireName } from './document.ts';
import type { Question } from './question.ts';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

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

/** A schema, ready to use: its document, which is plain JSON, and the questions, which turn values into indices. */
export interface Schema<M extends Questions = Questions, S extends Segments = Segments> {
  readonly document: SchemaDocument & { readonly segments?: S };
  readonly questions: M;
  /** Its name on the wire. */
  readonly wire: string;
}

/**
 * Checks a schema and resolves each metric's law.
 *
 * @throws {RangeError} that names the field; when a window's charges exceed the budget, with the table of charges. A
 * production bundle holds only the checks without which a device could not keep the budget (checks.ts says why)
 */
export function defineSchema<const M extends Questions, const S extends Segments = Segments>(spec: SchemaSpec<M, S>): Schema<M, S> {
  if (process.env.NODE_ENV !== 'production') assertSpec(spec);
  const { app, version, budget, segments, assign, devices = 100_000, metrics: questions } = spec;
  // Without a prototype: a metric may have any name, and one that nobody declared is never found.
  const metrics: { [name: string]: MetricDocument } = Object.create(null);
  const about: { [name: string]: About } = Object.create(null);
  for (const [name, { type, ask, fields, size, law }] of Object.entries(questions)) {
    const { description, unit, owner, expires, mechanism: _mechanism, ...asked } = ask;
    about[name] = { description, unit, owner, expires } as About;
    metrics[name] = { type, ...asked, every: ask.every ?? budget.per, ...fields, law: law(size, ask.epsilon, devices) } as MetricDocument;
  }
  if (process.env.NODE_ENV !== 'production') assertCharges(metrics, budget, assign);
  else if (!Object.values(metrics).every((metric) => isChargeable(metric, budget))) throw new RangeError('budget');
  const document = { format: 1, chooser: 1, app, version, devices, budget, segments, assign, metrics, about } as SchemaDocument & {
    readonly segments?: S;
  };
  return { document, questions, wire: wireName(document) };
}
