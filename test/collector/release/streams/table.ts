/** A table with many reports for streams of tests: rows that are read from nowhere, and draws that are silent or break. */

import { choice, defineSchema } from '@murmuration/client';
import { dayNumber, wireName } from '@murmuration/shared';
import { parseAmount } from '#collector/release/budget/amount.ts';
import { setBudget, setTable } from '#collector/release/budget/budgets.ts';
import type { Random } from '#collector/release/mechanisms/random.ts';
import type { StreamRequest } from '#collector/release/streams/request.ts';
import type { Participation, ReportCount } from '#collector/release/table/participation.ts';
import { createCatalog } from '#collector/schemas/catalog.ts';
import type { Ledger } from '#collector/storage/release-ledger.ts';

const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 100, per: 'month' },
  segments: { platform: ['web', 'ios', 'android'], tier: ['free', 'pro'] },
  metrics: { plan: choice(['a', 'b'], { epsilon: 1, every: 'day', description: 'Which plan?' }) },
});

export const catalog = createCatalog([schema.document]);
const DAY = '2026-11-20';

const row = (platform: string, tier: string, reports: number): ReportCount => ({
  ...{ schema: wireName(schema.document), metric: 'plan', day: dayNumber(Date.parse(DAY)), reports },
  segment: { platform, tier },
});

/** 10,000 reports in six cells, in the order of android, ios, web and, in each, free and pro. */
export const COUNTS = [1000, 200, 600, 200, 7000, 1000] as const;
const ROWS = ['android', 'ios', 'web'].flatMap((platform, i) =>
  ['free', 'pro'].map((tier, j) => row(platform, tier, COUNTS[2 * i + j] as number)),
);

/** Rows of so many reports of each tier. */
export const rowsOf = (tiers: { readonly free: number; readonly pro: number }): readonly ReportCount[] => [
  row('web', 'free', tiers.free),
  row('web', 'pro', tiers.pro),
];

/** What a store would hold, with the first day that it keeps. */
export const stored =
  (firstDay = 0, rows: readonly ReportCount[] = ROWS) =>
  async (): Promise<Participation> => ({ rows, firstDay });

/** Draws no noise. */
export const SILENT: Random = { uniform: () => 0, flip: () => false, decay: (numerator) => Number(numerator) === 0 };

/** Draws noise that is far below 0, so that every question is easy. */
export const far = (): Random => {
  let drawn = 0;
  return { uniform: () => 0, flip: () => true, decay: (numerator) => Number(numerator) === 0 || ++drawn % 10_000 !== 0 };
};

/** A stream with four hard questions of ten. With ε 8 its threshold is some ten reports, and one cell of them is off by far more. */
export const request: StreamRequest = {
  ...{ app: 'notes', from: DAY, to: DAY, columns: ['platform', 'tier'] },
  ...{ epsilon: '8', queries: 10, about: 20_000, hard: 4, mechanism: 'weights' },
};

const epsilon = (text: string) => ({ unit: 'epsilon', amount: parseAmount(text, 'epsilon') }) as const;

/** Gives the table and three analysts budgets. */
export async function giveBudgets(
  ledger: Ledger,
  table: string,
  own = '20',
  colluders: number | 'all' = 'all',
  app = 'notes',
): Promise<void> {
  await setTable(ledger, 'test', app, { limit: epsilon(table), colluders, batchesPerDay: 8 });
  for (const analyst of ['ann', 'ben', 'cid']) await setBudget(ledger, 'test', app, analyst, epsilon(own));
}
