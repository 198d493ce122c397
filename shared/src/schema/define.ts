/** `defineSchema`: one const object that the app uses as it is and the collector reads. Checked and resolved here. */

import { PERIOD_DAYS } from '../calendar.ts';
import { type Budget, chargesOf, chargeTable, fits } from './charges.ts';
import { type About, type MetricDocument, type SchemaDocument, wireName } from './document.ts';
import type { Question } from './question.ts';
import { conform, isDay, isList, isName, isOneOf, isPositive, isText, isWhole, optional, type Rules, refuse } from './rules.ts';

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
  readonly metrics: M;
}

/** A schema, ready to use: its document, which is plain JSON, and the questions, which turn values into indices. */
export interface Schema<M extends Questions = Questions, S extends Segments = Segments> {
  readonly document: SchemaDocument & { readonly segments?: S };
  readonly questions: M;
  /** Its name on the wire. */
  readonly wire: string;
}

const MAX_SEGMENTS = 64;
const anything = (): string => '';
const isPeriod = isOneOf(Object.keys(PERIOD_DAYS));

/** Of every metric. */
const common: Rules = {
  epsilon: isPositive,
  description: isText,
  every: isOneOf([...Object.keys(PERIOD_DAYS), 'once']),
  owner: optional(isText),
  expires: optional(isDay),
};

/**
 * Checks a schema and resolves each metric's law.
 *
 * @throws {RangeError} that names the field; when a window's charges exceed the budget, with the table of charges
 */
export function defineSchema<const M extends Questions, const S extends Segments = Segments>(spec: SchemaSpec<M, S>): Schema<M, S> {
  conform('schema', spec, {
    app: isName,
    version: isWhole,
    budget: anything,
    segments: anything,
    devices: optional(isWhole),
    metrics: (metrics) => (Object.keys(metrics ?? {}).length > 0 ? '' : 'at least one metric'),
  });
  const { app, version, budget, segments, devices = 100_000 } = spec;
  conform('budget', budget ?? {}, { epsilon: isPositive, per: isPeriod });
  for (const [name, values] of Object.entries(segments ?? {})) refuse(`segments.${name}`, isName(name) || isList('string')(values), values);
  const combinations = Object.values(segments ?? {}).reduce((product, { length }) => product * length, 1);
  refuse('segments', combinations > MAX_SEGMENTS ? `at most ${MAX_SEGMENTS} combinations` : '', combinations);

  const metrics: { [name: string]: MetricDocument } = {};
  const about: { [name: string]: About } = {};
  for (const [name, { type, ask, fields, rules, law }] of Object.entries(spec.metrics)) {
    const field = `metrics.${name}`;
    refuse(field, isName(name), name);
    const asked = { every: budget.per, ...ask, ...fields };
    conform(field, asked, { ...common, ...rules });
    const { description, owner, expires, mechanism: _mechanism, ...rest } = asked as typeof asked & { readonly mechanism?: unknown };
    about[name] = { description, owner, expires } as About;
    try {
      metrics[name] = { type, ...rest, law: law(ask.epsilon, devices) } as MetricDocument;
    } catch (error) {
      throw new RangeError(`${field}: ${(error as Error).message}`);
    }
  }
  const charges = chargesOf(metrics, budget.per);
  if (
    !fits(
      charges.map(({ charge }) => charge),
      budget.epsilon,
    )
  ) {
    throw new RangeError(`budget: expected charges of at most ${budget.epsilon} per ${budget.per}, got\n${chargeTable(charges)}`);
  }
  const document = { format: 1, chooser: 1, app, version, devices, budget, segments, metrics, about } as SchemaDocument;
  return { document: document as SchemaDocument & { readonly segments?: S }, questions: spec.metrics, wire: wireName(document) };
}
