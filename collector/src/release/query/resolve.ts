/**
 * Checks a question against its table, and finds what it costs, before any row is read. The bound of the source, the most reports of one
 * device-day, is tracked through the operators as PINQ tracks stability (McSherry 2009, §3.3):
 *
 * - `where` and `exclude` keep a row or leave it out, so they keep the bound; on the metric `where` lowers it to that of the metrics that are left.
 * - `groupBy` and `partition` put each row into one cell or one part, so all of them together keep the bound.
 *
 * A measurement has noise for the bound of its rows, and costs its ε or ρ. Measurements of the same rows add up. Those of the parts of a partition
 * cost what the costliest part costs: noise is for the bound k before the partition, so a device-day with k_i of its reports in part i loses
 * at most the sum of (k_i / k) ε_i, and the k_i add up to at most k. Of ρ it loses at most the sum of (k_i / k)² ρ_i for Gaussian noise, and of
 * (k_i / k) ρ_i for geometric noise, whose ρ grows more with each step (mechanisms/zcdp.ts).
 */

import { createHash } from 'node:crypto';
import { canonicalJson, dayText, type Json, parseDay } from '@murmuration/shared';
import type { DayRange } from '../../storage/store.ts';
import type { Cost, Unit } from '../budget/accounting.ts';
import { type Amount, add, amountText, compare, most, ZERO } from '../budget/amount.ts';
import { columnOf, type Paid, paidText, quoted, type Rows, spentOf, valuesOf, type Where } from '../measures/measure.ts';
import { KINDS, kindOf, type Measure } from '../measures/table.ts';
import { pure } from '../mechanisms/mechanism.ts';
import { DAY, mostReports, type Table } from '../table/columns.ts';
import type { Question } from './question.ts';

// The cost of measurements together, and the questions that are the same.

/** The cost of a measurement for each device-day, from the integers that its noise is drawn by. */
function costOf(rows: Rows, measure: Measure): Cost {
  const spent = spentOf(measure);
  return kindOf(measure.kind).spending?.(measure, rows, spent) ?? pure(spent.amount);
}

const NOTHING: Cost = { epsilon: ZERO, rho: ZERO };

/** Both units of two costs. Where one has no ε, neither has the result. */
const together = (by: (a: Amount, b: Amount) => Amount, one: Cost, other: Cost): Cost => ({
  epsilon: one.epsilon && other.epsilon && by(one.epsilon, other.epsilon),
  rho: by(one.rho, other.rho),
});

/** Sequential composition: the sum (McSherry 2009, theorem 3). */
const inSequence = (costs: readonly Cost[]): Cost => costs.reduce((sum, cost) => together(add, sum, cost), NOTHING);

/** Parallel composition: the largest (theorem 4). */
const inParallel = (costs: readonly Cost[]): Cost => costs.reduce((sum, cost) => together(most, sum, cost), NOTHING);

/** A measure without its cost and the analyst's expectations. */
function withoutCost(measure: Measure): Json {
  const { epsilon: _epsilon, rho: _rho, about: _about, ...rest } = { about: 0, rho: '', ...measure };
  return rest as unknown as Json;
}

const paidOf = ({ epsilon, rho }: Paid): string | undefined => epsilon ?? rho;

/** Sorts measurements by what they measure, and equal ones by their cost as text. */
const sortMeasures = (measures: readonly Measure[]): readonly Measure[] =>
  measures
    .map((measure) => ({ measure, text: `${canonicalJson(withoutCost(measure))} ${paidOf(measure)}` }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ measure }) => measure);

/** All measurements of a question, by part where it has parts. */
export const allMeasures = ({ measures, partition }: Question): readonly { readonly part?: string; readonly measure: Measure }[] =>
  measures?.map((measure) => ({ measure })) ??
  Object.entries(partition?.parts ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([part, asked]) => asked.map((measure) => ({ part, measure })));

/** The hash of a canonical question without its costs. */
function keyOf(question: Question): string {
  const { measures: _measures, partition, ...rest } = question;
  const asked = allMeasures(question).map(({ part, measure }) => [part ?? null, withoutCost(measure)]);
  const json = { ...rest, by: partition?.by ?? null, asked } as unknown as Json;
  return createHash('sha256').update(canonicalJson(json)).digest('hex');
}

/** Cells of all measurements of one question, and days of it, at most. */
const MOST_CELLS = 10_000;
const MOST_DAYS = 1_100;

/** A question that fits its table. */
export interface Resolved extends Rows {
  /** With every column's values listed and all lists sorted, so that questions that mean the same are the same. */
  readonly question: Question;
  /** SHA-256 of it without the costs. */
  readonly key: string;
  /** Cost of the answer for each device-day. */
  readonly cost: Cost;
}

function daysOf({ from, to }: Question): DayRange {
  const read = (name: string, text: string): number => {
    const day = parseDay(text);
    if (day === undefined) throw new RangeError(`${name}: expected a day such as 2026-11-20, got ${quoted(text)}`);
    return day;
  };
  const days = { from: read('from', from), to: read('to', to) };
  if (days.from > days.to) throw new RangeError(`from: expected a day up to ${to}, got ${from}`);
  if (days.to - days.from >= MOST_DAYS) throw new RangeError(`to: expected at most ${MOST_DAYS} days, got ${days.to - days.from + 1}`);
  return days;
}

/** The days that are left out, in their order. @throws {RangeError} when one is none of the question's */
function excludedDays({ from, to }: DayRange, { exclude = [] }: Question): readonly string[] {
  const days = exclude.map((text) => {
    const day = parseDay(text);
    if (day !== undefined && from <= day && day <= to) return day;
    throw new RangeError(`exclude: expected days from ${dayText(from)} to ${dayText(to)}, got ${quoted(text)}`);
  });
  if (new Set(days).size > to - from) throw new RangeError('exclude: expected a day that is left, got all of them');
  return [...new Set(days)].sort((a, b) => a - b).map(dayText);
}

/** The values of each column that are meant. @throws {RangeError} when a column or a value is unknown, or nothing would be left */
function whereOf(table: Table, asked: Question['where'] = {}): Where {
  const where = new Map([...table.columns].map(([name, { values }]) => [name, [...values].sort()]));
  for (const [name, values] of Object.entries(asked)) {
    const field = `where.${name.slice(0, 80)}`;
    if (name === DAY) throw new RangeError(`${field}: expected from and to for the days, got a list`);
    const column = columnOf(table, field, name);
    const unknown = values.find((value) => !column.values.includes(value));
    if (unknown !== undefined || values.length === 0)
      throw new RangeError(
        `${field}: expected some of ${column.values.join(', ').slice(0, 300)}, got ${unknown === undefined ? 'none' : quoted(unknown)}`,
      );
    where.set(name, [...new Set(values)].sort());
  }
  return where;
}

/** Less tells nothing, and would let answers fill the ledger for free. */
const LEAST: { readonly [unit in Unit]: Amount } = {
  epsilon: { numerator: 1n, denominator: 10_000n },
  rho: { numerator: 1n, denominator: 1_000_000_000n },
};

/** Checks a measurement, and sorts its lists. @throws {RangeError} */
function measureOf(table: Table, where: Where, field: string, measure: Measure): Measure {
  const spent = spentOf(measure, field);
  const { unit, amount } = spent;
  if (unit === 'rho' && kindOf(measure.kind).takesRho !== true)
    throw new RangeError(`${field}.rho: expected epsilon for ${measure.kind}, which draws no Gaussian noise, got rho`);
  if (compare(amount, LEAST[unit]) < 0)
    throw new RangeError(`${field}.${unit}: expected at least ${amountText(LEAST[unit])}, got ${amountText(amount)}`);
  const groupBy = 'groupBy' in measure ? [...new Set(measure.groupBy)].sort() : [];
  return kindOf(measure.kind).check(measure, { table, where, field, paid: paidText(spent), epsilon: amountText(amount), groupBy });
}

/** The number of a measurement's cells. @throws {RangeError} when there is no such column */
const cellsOf = (table: Table, where: Where, days: DayRange, field: string, measure: Measure): number =>
  kindOf(measure.kind).cells(measure, {
    days: days.to - days.from + 1,
    combined: (list, names) =>
      names.map((name) => valuesOf(table, where, days, `${field}.${list}`, name).length).reduce((cells, size) => cells * size, 1),
  });

/** @throws {RangeError} when a question has too many measurements of a kind */
function checkNumbers(measures: readonly Measure[]): void {
  for (const kind of KINDS) {
    const { most = Number.POSITIVE_INFINITY } = kindOf(kind);
    const found = measures.filter((each) => each.kind === kind).length;
    if (found > most) throw new RangeError(`measures: expected at most ${most} of the kind ${kind} in a question, got ${found}`);
  }
}

/**
 * Checks a question against its table.
 *
 * @param batchesPerDay the app's setting
 * @throws {RangeError} that says what was expected
 */
export function resolve(table: Table, question: Question, batchesPerDay: number): Resolved {
  const range = daysOf(question);
  const where = whereOf(table, question.where);
  let cells = 0;
  const checked = (field: string, asked: readonly Measure[]): readonly Measure[] => {
    if (asked.length === 0) throw new RangeError(`${field}: expected at least one measurement, got none`);
    const measures = asked.map((each, i) => {
      const measure = measureOf(table, where, `${field}.${i}`, each);
      cells += cellsOf(table, where, range, `${field}.${i}`, measure);
      if (cells > MOST_CELLS) throw new RangeError(`${field}: expected at most ${MOST_CELLS} cells in all, got ${cells}`);
      return measure;
    });
    return sortMeasures(measures);
  };
  const exclude = excludedDays(range, question);
  const base = {
    ...{ app: table.app, from: dayText(range.from), to: dayText(range.to), where: Object.fromEntries(where) },
    ...(exclude.length > 0 && { exclude }),
  };
  if ((question.measures === undefined) === (question.partition === undefined))
    throw new RangeError(`a question: expected measures or a partition, got ${question.measures === undefined ? 'neither' : 'both'}`);
  const bound = mostReports([...table.schemas.values()], where.get('metric') ?? [], batchesPerDay);
  const costIn = (measures: readonly Measure[]): Cost =>
    inSequence(measures.map((each) => costOf({ ...range, table, where, bound }, each)));
  let canonical: Question;
  let cost: Cost;
  if (question.partition === undefined) {
    const measures = checked('measures', question.measures ?? []);
    canonical = { ...base, measures };
    cost = costIn(measures);
  } else {
    const { by, parts } = question.partition;
    const values = valuesOf(table, where, range, 'partition.by', by);
    const asked = Object.entries(parts).map(([value, measures]) => {
      if (!values.includes(value))
        throw new RangeError(`partition.parts: expected values of ${by} that are asked for, got ${quoted(value)}`);
      return [value, checked(`partition.parts.${value}`, measures)] as const;
    });
    if (asked.length === 0) throw new RangeError('partition.parts: expected at least one part, got none');
    canonical = { ...base, partition: { by, parts: Object.fromEntries(asked) } };
    cost = inParallel(asked.map(([, measures]) => costIn(measures)));
  }
  checkNumbers(allMeasures(canonical).map(({ measure }) => measure));
  return { ...range, table, question: canonical, key: keyOf(canonical), where, bound, cost };
}
