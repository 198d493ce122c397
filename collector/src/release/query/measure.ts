/**
 * Measurements: each with the mechanism that answers it, the error to expect, and the answer itself. The error follows from the law alone, so
 * it can be told before anything is spent, and reveals nothing.
 */

import { type Ratio, ratio } from '@murmuration/shared';
import { parseAmount } from '../budget/amount.ts';
import { cells } from '../mechanisms/cells.ts';
import { geometric } from '../mechanisms/geometric.ts';
import type { NoiseMechanism, ReleaseMechanism } from '../mechanisms/index.ts';
import { permuteAndFlip } from '../mechanisms/permute-and-flip.ts';
import { quantile } from '../mechanisms/quantile.ts';
import type { Random } from '../mechanisms/random.ts';
import { type Column, DAY, declared } from '../table/columns.ts';
import type { ReportCount } from '../table/participation.ts';
import { association } from './association.ts';
import { allMeasures } from './compose.ts';
import { days } from './days.ts';
import { countsOf, dayOf, groupingOf } from './grouping.ts';
import { BETA, type Measured, type Prepared } from './measured.ts';
import type { Count, Measure, Median, MostUsed, Sum } from './question.ts';
import type { Resolved } from './resolve.ts';
import { share } from './share.ts';
import { synthetic } from './synthetic.ts';

/** Counts and sums: noise on each cell. Rows lie in one cell each, so the cells together change by what one number would. */
function numbers(resolved: Resolved, measure: Count | Sum, epsilon: Ratio): Omit<Prepared, 'measure'> {
  const { table, bound } = resolved;
  const column = measure.kind === 'sum' ? table.columns.get(measure.column) : undefined;
  const { low, high } = measure.kind === 'sum' ? measure : { low: 1, high: 1 };
  const weigh = (row: ReportCount): number => {
    const value = column?.of(row);
    if (value === undefined) return 1;
    return declared([value]).length === 0 ? 0 : Math.min(high, Math.max(low, Number(value)));
  };
  const grouping = groupingOf(resolved, measure.groupBy ?? []);
  const noise: NoiseMechanism = geometric({ epsilon, sensitivity: bound * Math.max(Math.abs(low), Math.abs(high)) });
  const several = cells(noise, grouping.size);
  const error = {
    mechanism: noise.name,
    sensitivity: noise.sensitivity,
    standardDeviation: Math.sqrt(noise.variance),
    within: noise.accuracy(BETA),
    ...(grouping.size > 1 && { allWithin: several.accuracy(BETA) }),
  };
  return {
    error,
    answer: (rows, random) => ({ cells: grouping.cellsOf(several.release(grouping.countsOf(rows, weigh), random)) }),
  };
}

/** The value that most reports have, or that half of them lie below: one of the values that are asked for. */
function choice({ table, where, bound }: Resolved, measure: Median | MostUsed, epsilon: Ratio): Omit<Prepared, 'measure'> {
  const column = table.columns.get(measure.column) as Column;
  const listed = where.get(measure.column) ?? [];
  const isMedian = measure.kind === 'median';
  const values = isMedian ? [...declared(listed)].sort((a, b) => Number(a) - Number(b)) : listed;
  // A device-day only adds to counts, so no count rises while another falls.
  const mechanism: ReleaseMechanism<readonly number[], number> = isMedian
    ? quantile({ epsilon, cells: values.length, quantile: ratio(1n, 2n), sensitivity: bound })
    : permuteAndFlip({ epsilon, sensitivity: bound, candidates: values.length, monotone: true });
  return {
    error: { mechanism: mechanism.name, sensitivity: mechanism.sensitivity, within: mechanism.accuracy(BETA) },
    answer: (rows, random) => {
      const counts = countsOf(rows, values, column.of);
      return { chosen: values[mechanism.release(counts, random)] as string };
    },
  };
}

function madeOf(resolved: Resolved, measure: Measure, epsilon: Ratio): Omit<Prepared, 'measure'> {
  switch (measure.kind) {
    case 'count':
    case 'sum':
      return numbers(resolved, measure, epsilon);
    case 'median':
    case 'mostUsed':
      return choice(resolved, measure, epsilon);
    case 'days':
      return days(resolved, epsilon);
    case 'synthetic':
      return synthetic(resolved, measure, epsilon);
    case 'share':
      return share(resolved, measure, epsilon);
    case 'association':
      return association(resolved, measure, epsilon);
  }
}

/** The measurements of a question with their mechanisms. @throws {RangeError} when a mechanism does not take its parameters */
export function prepare(resolved: Resolved): readonly Prepared[] {
  return allMeasures(resolved.question).map(({ part, measure }) => {
    const epsilon = parseAmount(measure.epsilon, 'epsilon');
    return { ...madeOf(resolved, measure, epsilon), measure, ...(part !== undefined && { part }) };
  });
}

/** The rows that are meant. */
function rowsOf({ table, where, from, to }: Resolved, rows: readonly ReportCount[]): readonly ReportCount[] {
  const allowed = [...where].map(([name, values]) => ({ of: (table.columns.get(name) as Column).of, values: new Set(values) }));
  return rows.filter((row) => from <= row.day && row.day <= to && allowed.every(({ of, values }) => values.has(of(row))));
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
