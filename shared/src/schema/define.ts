/** `defineSchema` checks and resolves a schema: one const object that the app uses directly and the collector reads. */

import { assertCharges, assigned } from './charges.ts';
import { assertSpec } from './checks.ts';
import { type About, type MetricDocument, type SchemaDocument, wireName } from './document.ts';
import type { Questions, SchemaSpec, Segments } from './spec.ts';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** A schema, ready to use: its document, which is plain JSON, its questions, which turn values into indices, and what else a device needs. */
export interface Schema<M extends Questions = Questions, S extends Segments = Segments, P = unknown> {
  readonly document: SchemaDocument & { readonly segments?: S };
  readonly questions: M;
  /** Its name on the wire. */
  readonly wire: string;
  /** Code of a device that only some schemas need. */
  readonly parts: P;
}

/**
 * Checks a schema and resolves each metric's law, and whether reports are sent alone (docs/format.md, section 3).
 *
 * A schema without segments is typed as having none, so that a device that passes one does not compile.
 *
 * @throws {RangeError} that names the field; when a window's charges exceed the budget, with the table of charges. A production bundle
 * contains only the checks that a device needs in order to keep the budget (checks.ts explains why)
 */
export const defineSchema = <const M extends Questions, const S extends Segments = Record<never, never>>(
  spec: SchemaSpec<M, S>,
): Schema<M, S> => resolveSchema(spec, undefined);

/** As `defineSchema`, with the parts that a device needs. */
export function resolveSchema<M extends Questions, S extends Segments, P>(spec: SchemaSpec<M, S>, parts: P): Schema<M, S, P> {
  if (process.env.NODE_ENV !== 'production') assertSpec(spec);
  const { budget, assign, devices = 100_000, metrics: questions } = spec;
  // Without a prototype: a metric may have any name, and a lookup must not find inherited ones.
  const metrics: { [name: string]: MetricDocument } = { __proto__: null } as never;
  const about: { [name: string]: About } = { __proto__: null } as never;
  let isTraceable: unknown = assign;
  for (const [name, { type, ask, fields, size, law, traces }] of Object.entries(questions)) {
    const { description, unit, owner, expires, publish, mechanism: _mechanism, ...asked } = ask;
    about[name] = { description, unit, owner, expires, publish } as About;
    metrics[name] = { type, ...asked, every: ask.every ?? budget.per, ...fields, law: law(size, ask.epsilon, devices) } as MetricDocument;
    isTraceable ||= traces?.(metrics[name].law);
  }
  if (process.env.NODE_ENV !== 'production') assertCharges(metrics, budget, assign);
  else if (!Object.keys(metrics).every((name) => assigned([name], metrics, budget).length > 0)) throw new RangeError('budget');
  const reports = spec.reports ?? (isTraceable ? 'alone' : 'together');
  const document = { ...spec, format: 1, chooser: 1, devices, reports, metrics, about } as SchemaDocument & {
    readonly segments?: S;
  };
  return { document, questions, wire: wireName(document), parts };
}
