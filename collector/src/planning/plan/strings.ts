/**
 * Cohorts of strings. Reports are spread over cohorts, each with its own hash. Strings that collide in one cohort do not collide in
 * another. So the number of cohorts sets a lower limit to the error, and a schema's `devices` determines that number.
 */

import { canonicalJson, isStringLaw, type Json, type MetricDocument, type StringLaw } from '@murmuration/shared';
import { estimationOf } from '../../estimation/mechanisms/table.ts';
import { leastDevices, MOST_DEVICES, marginAt } from './precision.ts';

/** The `devices` of a schema, and the resulting number of cohorts. */
export interface Cohorts {
  readonly devices: number;
  readonly cohorts: number;
}

/** Maps the number of devices to the law of a metric's strings. */
export type LawFor = (devices: number) => StringLaw;

/**
 * The law that a metric would have with another number of devices; undefined when it asks for no string, or came from an expert's
 * parameters.
 */
export function lawsFor({ law, epsilon, permanent }: MetricDocument, devices: number): LawFor | undefined {
  if (!isStringLaw(law)) return undefined;
  const { lawFor } = estimationOf(law);
  const at: LawFor = (expected) => lawFor(epsilon, expected, permanent?.epsilon);
  return canonicalJson(at(devices) as unknown as Json) === canonicalJson(law as unknown as Json) ? at : undefined;
}

/**
 * The fewest devices that reach a margin of at most `error` when the schema expects exactly that many; null when no number of cohorts is
 * enough.
 */
export function cohortsForError(at: LawFor, error: number, share: number): Cohorts | null {
  const devices = leastDevices((expected) => marginAt(at(Math.min(expected, MOST_DEVICES)), expected, share) <= error);
  return devices === null ? null : { devices, cohorts: at(devices).cohorts };
}
