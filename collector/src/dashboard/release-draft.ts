// The question that the editor holds, as its fields have it.

import type { Measure, Question, ReleaseTable } from './release-api.ts';

/** The fields of the editor. */
export interface Draft {
  readonly app: string;
  readonly from: string;
  readonly to: string;
  /** Synthetic tables have no fields here. */
  readonly kind: Exclude<Measure['kind'], 'synthetic'>;
  /** Of a sum, a median and the most used. */
  readonly column: string;
  readonly low: string;
  readonly high: string;
  /** Of a count: one column, or none. */
  readonly groupBy: string;
  readonly epsilon: string;
  /** The value of each column; empty for all. */
  readonly where: { readonly [column: string]: string };
}

const DAY_MS = 86_400_000;
const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** A first question: last week's reports of the first metric. */
export function firstDraft({ app, columns }: ReleaseTable, now: number): Draft {
  const metric = columns.find(({ name }) => name === 'metric')?.values[0] ?? '';
  const column = columns.find(({ name }) => name !== 'metric')?.name ?? 'metric';
  const days = { from: dayOf(now - 7 * DAY_MS), to: dayOf(now - DAY_MS) };
  return { app, ...days, kind: 'count', column, low: '0', high: '10', groupBy: '', epsilon: '0.1', where: { metric } };
}

function measureOf({ kind, column, low, high, groupBy, epsilon }: Draft): Measure {
  if (kind === 'count') return { kind, epsilon, ...(groupBy !== '' && { groupBy: [groupBy] }) };
  if (kind === 'days') return { kind, epsilon };
  return kind === 'sum' ? { kind, epsilon, column, low: Number(low), high: Number(high) } : { kind, epsilon, column };
}

/** The question of the fields. */
export function questionOf(draft: Draft): Question {
  const { app, from, to, where } = draft;
  const chosen = Object.entries(where).flatMap(([column, value]) => (value === '' ? [] : [[column, [value]] as const]));
  return { app, from, to, where: Object.fromEntries(chosen), measures: [measureOf(draft)] };
}
