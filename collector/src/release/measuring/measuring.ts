/** Where measurements are made: in this thread (here), or in one of their own (thread.ts). What is made is the same. */

import type { Random } from '../mechanisms/random.ts';
import { measureAll, prepare } from '../query/measure.ts';
import type { ExpectedError, Measured } from '../query/measured.ts';
import type { Measure } from '../query/question.ts';
import type { Resolved } from '../query/resolve.ts';
import type { ReportCount } from '../table/participation.ts';

/** A measurement and the error to expect. */
export interface Expected {
  readonly part?: string;
  readonly measure: Measure;
  readonly error: ExpectedError;
}

/** Makes measurements. */
export interface Measuring {
  /** The error of each measurement, before rows are read. @throws {RangeError} when a mechanism does not take its parameters */
  readonly expect: (resolved: Resolved) => Promise<readonly Expected[]>;
  /** Makes the measurements. Each draws its noise once. */
  readonly measure: (resolved: Resolved, rows: readonly ReportCount[]) => Promise<readonly Measured[]>;
}

/** Measurements in this thread. */
export const measuringBy = (random: Random): Measuring => ({
  expect: async (resolved) => prepare(resolved).map(({ answer: _answer, ...rest }) => rest),
  measure: async (resolved, rows) => measureAll(resolved, prepare(resolved), rows, random),
});
