// The question that the editor holds, as its fields have it.

import { type DraftOfMeasure, type Measure, onPageOf, type Question, type ReleaseTable } from '../api/shown.ts';

/** The fields of the editor. */
export interface Draft extends DraftOfMeasure {
  readonly app: string;
  readonly from: string;
  readonly to: string;
  readonly kind: Measure['kind'];
  /** The value of each column; empty for all. */
  readonly where: { readonly [column: string]: string };
}

const DAY_MS = 86_400_000;
const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** The values of a column that can be named. */
export const valuesOf = ({ columns }: ReleaseTable, column: string): readonly string[] =>
  (columns.find(({ name }) => name === column)?.values ?? []).filter((value) => value !== '');

/** A first question: last week's reports of the first metric. */
export function firstDraft(table: ReleaseTable, now: number): Draft {
  const { app, columns } = table;
  const [metric = ''] = valuesOf(table, 'metric');
  const names = columns.map(({ name }) => name);
  // Columns with one value have nothing to compare.
  const [column = 'metric', other = 'day'] = [...names.filter((name) => name !== 'metric' && valuesOf(table, name).length > 1), 'day'];
  const days = { from: dayOf(now - 7 * DAY_MS), to: dayOf(now - DAY_MS) };
  const more = { column, other, value: valuesOf(table, column)[0] ?? '', columns: ['day', ...names.filter((name) => name !== 'metric')] };
  return { app, ...days, kind: 'count', ...more, about: '1000', low: '0', high: '10', groupBy: '', epsilon: '0.1', where: { metric } };
}

/** The draft with another column, and a value of it. */
export const withColumn = (table: ReleaseTable, column: string): Pick<Draft, 'column' | 'value'> => ({
  column,
  value: valuesOf(table, column)[0] ?? '',
});

/** The question of the fields. */
export function questionOf(draft: Draft): Question {
  const { app, from, to, where } = draft;
  const chosen = Object.entries(where).flatMap(([column, value]) => (value === '' ? [] : [[column, [value]] as const]));
  return { app, from, to, where: Object.fromEntries(chosen), measures: [onPageOf(draft.kind).ofDraft(draft)] };
}
