/** Makes the measurements of a question: each with its mechanism and the error to expect, and then, from rows, its answer. */

import { parseDay } from '@murmuration/shared';
import type { ExpectedError, Made, Making } from '../measures/measure.ts';
import { dayOf, spentOf } from '../measures/measure.ts';
import { kindOf, type Measure } from '../measures/table.ts';
import type { Random } from '../mechanisms/random.ts';
import { type Column, DAY } from '../table/columns.ts';
import type { ReportCount } from '../table/participation.ts';
import { allMeasures, type Resolved } from './resolve.ts';

/** A measurement and the error to expect. */
export interface Expected {
  /** The value of the partition's column. */
  readonly part?: string;
  readonly measure: Measure;
  readonly error: ExpectedError;
}

/** A measurement that was made. */
export interface Measured extends Expected, Made {}

/** A measurement with its mechanism. It holds no rows. */
interface Prepared extends Expected, Making {}

/** The measurements of a question with their mechanisms. @throws {RangeError} when a mechanism does not take its parameters */
export function prepare(resolved: Resolved): readonly Prepared[] {
  return allMeasures(resolved.question).map(({ part, measure }) => {
    const made = kindOf(measure.kind).making(measure, resolved, spentOf(measure));
    return { ...made, measure, ...(part !== undefined && { part }) };
  });
}

/** The rows that are meant. */
function rowsOf({ table, where, from, to, question }: Resolved, rows: readonly ReportCount[]): readonly ReportCount[] {
  const allowed = [...where].map(([name, values]) => ({ of: (table.columns.get(name) as Column).of, values: new Set(values) }));
  const excluded = new Set(question.exclude?.map(parseDay));
  return rows.filter(
    (row) => from <= row.day && row.day <= to && !excluded.has(row.day) && allowed.every(({ of, values }) => values.has(of(row))),
  );
}

/** Makes the measurements. Each draws its noise once. */
export function measureAll(
  resolved: Resolved,
  prepared: readonly Prepared[],
  rows: readonly ReportCount[],
  random: Random,
): readonly Measured[] {
  const meant = rowsOf(resolved, rows);
  const by = resolved.question.partition?.by;
  const read = by === undefined || by === DAY ? dayOf : (resolved.table.columns.get(by) as Column).of;
  return prepared.map(({ part, measure, error, answer }) => ({
    ...(part !== undefined && { part }),
    measure,
    error,
    ...answer(part === undefined ? meant : meant.filter((row) => read(row) === part), random),
  }));
}

/** Makes measurements: in this thread (`measuringBy`), or in one of their own (measuring/thread.ts). The answers are the same. */
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
