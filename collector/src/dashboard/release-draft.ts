// The question that the editor holds, as its fields have it.

import type { Measure, Question, ReleaseTable } from '../api/shown.ts';

/** The fields of the editor. */
export interface Draft {
  readonly app: string;
  readonly from: string;
  readonly to: string;
  readonly kind: Measure['kind'];
  /** Of a sum, a median, the most used and a share; the first one of an association. */
  readonly column: string;
  /** The second column of an association. */
  readonly other: string;
  /** Of a share. */
  readonly value: string;
  /** Of a synthetic table. */
  readonly columns: readonly string[];
  /** How many reports are expected, where the error depends on it. */
  readonly about: string;
  readonly low: string;
  readonly high: string;
  /** Of a count and of a share: one column, or none. */
  readonly groupBy: string;
  readonly epsilon: string;
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

function measureOf({ kind, column, other, value, columns, about, low, high, groupBy, epsilon }: Draft): Measure {
  const grouped = groupBy !== '' && { groupBy: [groupBy] };
  switch (kind) {
    case 'count':
      return { kind, epsilon, ...grouped };
    case 'days':
      return { kind, epsilon };
    case 'sum':
      return { kind, epsilon, column, low: Number(low), high: Number(high) };
    case 'share':
      return { kind, epsilon, column, values: [value], ...grouped, about: Number(about) };
    case 'association':
      return { kind, epsilon, columns: [column, other], about: Number(about) };
    case 'synthetic':
      return { kind, epsilon, columns, about: Number(about) };
    default:
      return { kind, epsilon, column };
  }
}

/** The question of the fields. */
export function questionOf(draft: Draft): Question {
  const { app, from, to, where } = draft;
  const chosen = Object.entries(where).flatMap(([column, value]) => (value === '' ? [] : [[column, [value]] as const]));
  return { app, from, to, where: Object.fromEntries(chosen), measures: [measureOf(draft)] };
}
