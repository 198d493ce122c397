/**
 * Cohorts of strings. Reports are spread over cohorts, each with a hash of its own, and strings that look alike in one do not in
 * another: so cohorts put a floor under the error, and a schema's `devices` sets how many there are.
 */

import { canonicalJson, isStringLaw, type Json, type MetricDocument, type StringLaw } from '@murmuration/shared';
import { estimationOf } from '../estimators/table.ts';
import { leastDevices, MOST_DEVICES, marginAt } from './precision.ts';

/** What a schema would say, and the cohorts that it would have then. */
export interface Cohorts {
  readonly devices: number;
  readonly cohorts: number;
}

/** From devices to the law of a metric's strings. */
export type LawFor = (devices: number) => StringLaw;

/** The law that a metric would have with other devices; undefined where it asks for no string, or came from an expert's parameters. */
export function lawsFor({ law, epsilon, permanent }: MetricDocument, devices: number): LawFor | undefined {
  if (!isStringLaw(law)) return undefined;
  const { lawFor } = estimationOf(law);
  const at: LawFor = (expected) => lawFor(epsilon, expected, permanent?.epsilon);
  return canonicalJson(at(devices) as unknown as Json) === canonicalJson(law as unknown as Json) ? at : undefined;
}

/** The fewest devices that have a margin of at most `error` when the schema expects just them; null where no cohorts are enough. */
export function cohortsForError(at: LawFor, error: number, share: number): Cohorts | null {
  const devices = leastDevices((expected) => marginAt(at(Math.min(expected, MOST_DEVICES)), expected, share) <= error);
  return devices === null ? null : { devices, cohorts: at(devices).cohorts };
}
