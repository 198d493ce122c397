/** An answer as CSV: a row for each cell of a count, of days, of shares, or of a synthetic table. */

import { field } from '../base/csv.ts';
import type { StoredAnswer } from './answer.ts';
import { KINDS, kindOf } from './measures/table.ts';
import type { Question } from './query/question.ts';
import { allMeasures } from './query/resolve.ts';

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

/** The answer as CSV (RFC 4180). @throws {RangeError} when it is not one table */
export function answerCsv({ question, results }: Pick<StoredAnswer, 'question' | 'results'>): string {
  assertTabular(question);
  const [{ measure, cells = [] } = { measure: undefined }] = results;
  const csv = measure && kindOf(measure.kind).csv;
  if (measure !== undefined && csv !== undefined) return csv(measure, cells);
  const columns = Object.keys(cells[0]?.values ?? {});
  const more = (['standardError', 'low', 'high'] as const).filter((name) => cells[0]?.[name] !== undefined);
  const rows = cells.map((cell) => [...columns.map((name) => cell.values[name]), cell.value, ...more.map((name) => cell[name])]);
  return [[...columns, 'value', ...more], ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}
