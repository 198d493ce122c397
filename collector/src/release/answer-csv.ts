/** An answer as CSV: a row for each cell of a count, of days, of shares, or of a synthetic table. */

import { field } from '../base/csv.ts';
import type { StoredAnswer } from './answer.ts';
import { syntheticCsv } from './mechanisms/synthetic.ts';
import { allMeasures } from './query/compose.ts';
import type { Cell } from './query/measured.ts';
import type { Question } from './query/question.ts';

/** Throws a RangeError unless the answer to the question is one table. It is called before anything is spent. */
export function assertTabular(question: Question): void {
  const measures = allMeasures(question);
  const [first] = measures;
  if (measures.length !== 1) throw new RangeError(`CSV: expected one measurement, got ${measures.length}`);
  if (first?.measure.kind === 'median' || first?.measure.kind === 'mostUsed')
    throw new RangeError(
      `CSV: expected count, sum, days, synthetic, share or association, got ${first.measure.kind}, whose answer is one value`,
    );
}

const valuesIn = (cells: readonly Cell[], column: string): readonly string[] => [
  ...new Set(cells.map(({ values }) => values[column] as string)),
];

/** The answer as CSV (RFC 4180). @throws {RangeError} when it is not one table */
export function answerCsv({ question, results }: Pick<StoredAnswer, 'question' | 'results'>): string {
  assertTabular(question);
  const [{ measure, cells = [] } = { measure: undefined }] = results;
  if (measure?.kind === 'synthetic') {
    const columns = measure.columns.map((name) => ({ name, values: valuesIn(cells, name) }));
    return syntheticCsv(
      columns,
      cells.map(({ value }) => value),
    );
  }
  const columns = Object.keys(cells[0]?.values ?? {});
  const more = (['standardError', 'low', 'high'] as const).filter((name) => cells[0]?.[name] !== undefined);
  const rows = cells.map((cell) => [...columns.map((name) => cell.values[name]), cell.value, ...more.map((name) => cell[name])]);
  return [[...columns, 'value', ...more], ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}
