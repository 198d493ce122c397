/** Checks the measurements of a question against its table, and says how many numbers each of them draws. */

import { dayText } from '@murmuration/shared';
import type { DayRange } from '../../storage/store.ts';
import { amountText, compare, parseAmount } from '../budget/amount.ts';
import { areNumbers, areWhole, type Column, DAY, declared, type Table } from '../table/columns.ts';
import type { Association, Measure, Share, Synthetic } from './question.ts';

/** Less tells nothing, and would let answers fill the ledger for free. */
const LEAST_EPSILON = { numerator: 1n, denominator: 10_000n };
/** The largest bound of a sum. With it, the sum over 2^33 reports is exact. */
const MOST_BOUND = 2 ** 20;

/** The values of each column that are meant. */
type Where = ReadonlyMap<string, readonly string[]>;

export const quoted = (text: string): string => JSON.stringify(text.slice(0, 80));

/** @throws {RangeError} when the table has no such column */
export function columnOf({ columns }: Table, field: string, name: string): Column {
  const column = columns.get(name);
  if (column === undefined)
    throw new RangeError(`${field}: expected one of the columns ${[...columns.keys()].join(', ')}, got ${quoted(name)}`);
  return column;
}

/** The values of a column, or of the days, that are meant. @throws {RangeError} when there is no such column */
export function valuesOf(table: Table, where: Where, { from, to }: DayRange, field: string, name: string): readonly string[] {
  if (name === DAY) return Array.from({ length: to - from + 1 }, (_, i) => dayText(from + i));
  return where.get(columnOf(table, field, name).name) ?? [];
}

/** How many cells a measurement has. @throws {RangeError} when there is no such column */
export function cellsOf(table: Table, where: Where, days: DayRange, field: string, measure: Measure): number {
  const product = (list: string, names: readonly string[]): number =>
    names.map((name) => valuesOf(table, where, days, `${field}.${list}`, name).length).reduce((cells, size) => cells * size, 1);
  if (measure.kind === 'days') return days.to - days.from + 1;
  if (measure.kind === 'synthetic' || measure.kind === 'association') return product('columns', measure.columns);
  const groups = product('groupBy', 'groupBy' in measure ? (measure.groupBy ?? []) : []);
  return measure.kind === 'share' ? 2 * groups : groups;
}

/** Measurements of a kind in one question, at most: these take tenths of a second each, or seconds. */
const MOST_OF: { readonly [kind in Measure['kind']]?: number } = { days: 50, synthetic: 1, association: 10 };

/** @throws {RangeError} when a question has too many measurements of a kind */
export function checkNumbers(kinds: readonly Measure['kind'][]): void {
  for (const [kind, most] of Object.entries(MOST_OF)) {
    const found = kinds.filter((each) => each === kind).length;
    if (found > most) throw new RangeError(`measures: expected at most ${most} of the kind ${kind} in a question, got ${found}`);
  }
}

/** The columns of a table over several, sorted. @throws {RangeError} when they are too few, or too many for an association */
function columnsOf(measure: Synthetic | Association, field: string): readonly string[] {
  const columns = [...new Set(measure.columns)].sort();
  const isRight = measure.kind === 'synthetic' ? columns.length >= 2 : columns.length === 2;
  const expected = measure.kind === 'synthetic' ? 'at least two columns, since count with groupBy counts one' : 'two columns';
  if (!isRight) throw new RangeError(`${field}.columns: expected ${expected}, got ${columns.length}`);
  return columns;
}

/** @throws {RangeError} unless the share is that of some of the values that are asked for, in groups by other columns */
function shareOf(where: Where, field: string, { epsilon, column, about, ...rest }: Share, groupBy: readonly string[]): Share {
  const all = where.get(column) ?? [];
  const values = [...new Set(rest.values)].sort();
  const unknown = values.find((value) => !all.includes(value));
  if (unknown !== undefined || values.length === 0 || values.length === all.length)
    throw new RangeError(
      `${field}.values: expected some of ${all.join(', ').slice(0, 300)}, and not all of them, got ${
        unknown === undefined ? (values.length === 0 ? 'none' : 'all') : quoted(unknown)
      }`,
    );
  if (groupBy.includes(column)) throw new RangeError(`${field}.groupBy: expected other columns than ${column}, got it`);
  return { kind: 'share', epsilon, column, values, ...(groupBy.length > 0 && { groupBy }), about };
}

/** Checks a measurement, and sorts its lists. @throws {RangeError} */
export function measureOf(table: Table, where: Where, field: string, measure: Measure): Measure {
  const spent = parseAmount(measure.epsilon, `${field}.epsilon`);
  if (compare(spent, LEAST_EPSILON) < 0)
    throw new RangeError(`${field}.epsilon: expected at least ${amountText(LEAST_EPSILON)}, got ${amountText(spent)}`);
  const epsilon = amountText(spent);
  const groupBy = 'groupBy' in measure ? [...new Set(measure.groupBy)].sort() : [];
  const grouped = groupBy.length > 0 && { groupBy };
  if (measure.kind === 'count') return { kind: 'count', epsilon, ...grouped };
  if (measure.kind === 'days') return { kind: 'days', epsilon };
  if (measure.kind === 'synthetic' || measure.kind === 'association')
    return { kind: measure.kind, epsilon, columns: columnsOf(measure, field), about: measure.about };
  const column = columnOf(table, `${field}.column`, measure.column);
  const { name } = column;
  const values = where.get(name) ?? [];
  if (measure.kind === 'share') return shareOf(where, field, { ...measure, epsilon }, groupBy);
  if (measure.kind !== 'mostUsed' && declared(values).length === 0)
    throw new RangeError(`${field}.column: expected values of ${name} that are asked for, got none`);
  if (measure.kind === 'mostUsed') return { kind: 'mostUsed', epsilon, column: name };
  if (measure.kind === 'median') {
    if (!areNumbers(values)) throw new RangeError(`${field}.column: expected a column of numbers, got ${name}`);
    return { kind: 'median', epsilon, column: name };
  }
  const { low, high } = measure;
  if (!areWhole(values)) throw new RangeError(`${field}.column: expected a column of whole numbers, got ${name}`);
  if (!(low < high)) throw new RangeError(`${field}.low: expected bounds, low below high, got ${low} and ${high}`);
  if (low < -MOST_BOUND || high > MOST_BOUND)
    throw new RangeError(`${field}.low: expected bounds from -${MOST_BOUND} to ${MOST_BOUND}, got ${low} and ${high}`);
  return { kind: 'sum', epsilon, column: name, low, high, ...grouped };
}
