/** Answers as they are stored, sent, and written as CSV; and the preview of an answer, before it is drawn. */

import { field, type WriteField } from '../base/csv.ts';
import type { Entry } from '../storage/release-ledger.ts';
import type { Cost } from './budget/accounting.ts';
import { compare, times } from './budget/amount.ts';
import { type CostText, costJson } from './budget/budgets.ts';
import { type ExpectedError, spentOf } from './measures/measure.ts';
import { KINDS, kindOf, type Measure } from './measures/table.ts';
import type { Measured } from './query/making.ts';
import type { Question } from './query/question.ts';
import { allMeasures, type Resolved } from './query/resolve.ts';

/** Cost and error of a question, before it is asked. */
export interface Preview {
  readonly question: Question;
  /** The most reports of one device-day among the rows. */
  readonly bound: number;
  readonly days: number;
  /** For each device-day. */
  readonly cost: CostText;
  /** For a device that reports on all of the days: D ε, and D² ρ. */
  readonly perDevice: CostText;
  readonly errors: readonly { readonly part?: string; readonly measure: Measure; readonly error: ExpectedError }[];
  /** Remaining budget of the analyst on the days, as `ε 0.3`; undefined without a budget. */
  readonly left?: string;
}

/** An answer as it is stored. */
export interface StoredAnswer extends Omit<Preview, 'errors' | 'left'> {
  readonly results: readonly Measured[];
  /** Days that could still take reports when the rows were read. */
  readonly openDays: number;
}

/** An answer, and its place in the ledger. */
export interface Answer extends StoredAnswer {
  readonly analyst: string;
  /** The number and the hash of its entry. Anyone who keeps them can tell whether the ledger was changed. */
  readonly entry: { readonly n: number; readonly hash: string; readonly at: string };
  /** True if it was stored before, and so cost nothing. */
  readonly isRepeated: boolean;
}

/** Loss of one device that reports on every one of so many days (group privacy: Bun and Steinke 2016, proposition 1.9, for ρ). */
export const perDevice = ({ epsilon, rho }: Cost, days: number): CostText =>
  costJson({ epsilon: epsilon && times(epsilon, days), rho: times(times(rho, days), days) });

const daysIn = ({ from, to }: Resolved): number => to - from + 1;

/** Facts about an answer before it is drawn. */
export function aboutOf(resolved: Resolved): Omit<Preview, 'errors' | 'left'> {
  const { question, bound, cost } = resolved;
  return { question, bound, days: daysIn(resolved), cost: costJson(cost), perDevice: perDevice(cost, daysIn(resolved)) };
}

/** The answer of an entry. */
export function answerOf({ n, hash, at, analyst, body }: Entry, isRepeated: boolean): Answer {
  const { charge: _charge, ...answer } = body as unknown as StoredAnswer & { readonly charge: number };
  return { ...answer, analyst, entry: { n, hash, at }, isRepeated };
}

/** True if a stored answer has at least the ε or ρ of each measurement that is asked for, in the same unit. */
export function isEnough({ body }: Entry, { question }: Resolved): boolean {
  const stored = allMeasures((body as unknown as StoredAnswer).question);
  return allMeasures(question).every(({ measure }, i) => {
    const known = stored[i];
    if (known === undefined) return false;
    const [before, now] = [spentOf(known.measure), spentOf(measure)];
    return before.unit === now.unit && compare(before.amount, now.amount) >= 0;
  });
}

/** Throws a RangeError unless the answer to the question is one table. It is called before anything is spent. */
export function assertTabular(question: Question): void {
  const measures = allMeasures(question);
  const [first] = measures;
  if (measures.length !== 1) throw new RangeError(`CSV: expected one measurement, got ${measures.length}`);
  if (first === undefined || !kindOf(first.measure.kind).isOneValue) return;
  const tables = KINDS.filter((kind) => !kindOf(kind).isOneValue);
  throw new RangeError(
    `CSV: expected ${tables.slice(0, -1).join(', ')} or ${tables.at(-1)}, got ${first.measure.kind}, whose answer is one value`,
  );
}

/** The answer as CSV (RFC 4180): a row for each cell of a count, of days, of shares, or of a synthetic table. @throws {RangeError} when it is not one table */
export function answerCsv({ question, results }: Pick<StoredAnswer, 'question' | 'results'>, write: WriteField = field): string {
  assertTabular(question);
  const [{ measure, cells = [] } = { measure: undefined }] = results;
  const csv = measure && kindOf(measure.kind).csv;
  if (measure !== undefined && csv !== undefined) return csv(measure, cells, write);
  const columns = Object.keys(cells[0]?.values ?? {});
  const more = (['standardError', 'low', 'high'] as const).filter((name) => cells[0]?.[name] !== undefined);
  const rows = cells.map((cell) => [...columns.map((name) => cell.values[name]), cell.value, ...more.map((name) => cell[name])]);
  return [[...columns, 'value', ...more], ...rows].map((row) => `${row.map(write).join(',')}\r\n`).join('');
}
