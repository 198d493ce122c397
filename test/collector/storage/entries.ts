/** Batches for stores, and what they add up to. */

import { createHash } from 'node:crypto';
import type { Evidence } from '#collector/estimation/tally.ts';
import type { PackedMetric, Shapes } from '#collector/schemas/catalog.ts';
import type { Entry, Selection, Store } from '#collector/storage/store.ts';

export const SCHEMA = 'notes/1/0123456789abcdef';
export const [OTHER_VERSION, OTHER_APP] = ['notes/2/0123456789abcdef', 'other/1/0123456789abcdef'];
export const CELLS = 8;
export const WIDE = 20_000;
export const DAY = 20_000;

const METRICS: readonly PackedMetric[] = [
  { name: 'plan', shape: { cohorts: 8, cells: CELLS, form: 'bits' } },
  { name: 'symbol', shape: { cohorts: 1, cells: CELLS, form: 'symbol' } },
  { name: 'theme', shape: { cohorts: 1, cells: CELLS, form: 'bits' } },
  { name: 'wide', shape: { cohorts: 1, cells: WIDE, form: 'symbol' } },
  { name: 'wider', shape: { cohorts: 1, cells: WIDE, form: 'symbol' } },
];

export const shapes: Shapes = new Map([SCHEMA, OTHER_VERSION, OTHER_APP].map((schema) => [schema, METRICS]));

/** 128 bits, 32 hex digits, from a name. */
export const idOf = (name: string | number): string => createHash('sha256').update(String(name)).digest('hex').slice(0, 32);

/** A hash of a body, from a name of it, in hex. */
export const hashOf = (body: string): string => createHash('sha256').update(body).digest('hex');

/** A report: of a symbol the one cell that it is. */
interface Told {
  readonly metric: string;
  readonly cohort?: number;
  readonly cells: readonly number[];
}

/** A report as words: its metric's number, its cohort, then its symbol, or its bits. */
function packed({ metric, cohort = 0, cells }: Told): readonly number[] {
  const number = METRICS.findIndex(({ name }) => name === metric);
  const { form, cells: size } = (METRICS[number] as PackedMetric).shape;
  if (form === 'symbol') return [number, cohort, ...cells];
  const words = Array.from({ length: Math.ceil(size / 32) }, (_, word) =>
    cells.reduce((bits, cell) => (cell >> 5 === word ? bits | (1 << (cell & 31)) : bits), 0),
  );
  return [number, cohort, ...words];
}

/** A batch with one report of `plan`, cell 1 of cohort 0, with changes. */
export function entry(
  name: string | number,
  {
    reports = [{ metric: 'plan', cells: [1] }],
    body = 'a body',
    ...changes
  }: Partial<Omit<Entry, 'reports' | 'hash'>> & { readonly reports?: readonly Told[]; readonly body?: string } = {},
): Entry {
  return {
    schema: SCHEMA,
    day: DAY,
    id: idOf(name),
    segment: '{}',
    hash: hashOf(body),
    count: reports.length,
    reports: Int32Array.from(reports.flatMap(packed)),
    ...changes,
  };
}

/** What a selection adds up to, as plain data. */
export async function sum(
  store: Store,
  selection: Partial<Selection> = {},
): Promise<Omit<Evidence, 'tallies' | 'ones'> & { readonly tallies: object }> {
  const { tallies, ones: _, ...rest } = await store.read({ schemas: [SCHEMA], metric: 'plan', ...selection });
  return {
    ...rest,
    tallies: Object.fromEntries([...tallies].map(([cohort, { reports, cells }]) => [cohort, { reports, cells: [...cells] }])),
  };
}
