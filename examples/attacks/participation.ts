/** A table of participation to attack: an app, exact counts, and the collector's releases with a ledger of their own. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineSchema, flag } from '@murmuration/client';
import { parseDay, ratio, wireName } from '@murmuration/shared';
import type { Limit } from '../../collector/src/release/budget/accounting.ts';
import { setBudget, setTable } from '../../collector/src/release/budget/budgets.ts';
import type { Random } from '../../collector/src/release/mechanisms/random.ts';
import { measureAll, measuringBy, prepare } from '../../collector/src/release/query/making.ts';
import type { Question } from '../../collector/src/release/query/question.ts';
import { resolve } from '../../collector/src/release/query/resolve.ts';
import { type Asked, Releases } from '../../collector/src/release/release.ts';
import { tableOf } from '../../collector/src/release/table/columns.ts';
import type { ReportCount } from '../../collector/src/release/table/participation.ts';
import { createCatalog } from '../../collector/src/schemas/catalog.ts';
import { openSqliteLedger } from '../../collector/src/storage/sqlite/release-ledger.ts';

export const DAY = '2026-11-20';
export const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 31, per: 'month' },
  segments: { platform: ['web', 'ios'], country: ['at', 'de', 'li'] },
  metrics: { dark: flag({ epsilon: 1, every: 'day', description: 'Is dark mode on?' }) },
});
const catalog = createCatalog([schema.document]);
const BATCHES_PER_DAY = 8;

/** Rows of the table: so many reports of each platform and country. */
export const rowsOf = (counts: { readonly [platform: string]: { readonly [country: string]: number } }): readonly ReportCount[] =>
  Object.entries(counts).flatMap(([platform, countries]) =>
    Object.entries(countries).map(([country, reports]) => ({
      schema: wireName(schema.document),
      metric: 'dark',
      day: parseDay(DAY) as number,
      segment: { platform, country },
      reports,
    })),
  );

/** Draws the first number of a new answer to a question, as releases draw it once the charge is written. */
export function drawing(question: Question): (rows: readonly ReportCount[], random: Random) => number {
  const resolved = resolve(tableOf(catalog, schema.document.app), question, BATCHES_PER_DAY);
  const prepared = prepare(resolved);
  return (rows, random) => measureAll(resolved, prepared, rows, random)[0]?.cells?.[0]?.value as number;
}

/** The budgets of a table, in ε. */
interface Budgets {
  readonly analysts: readonly string[];
  readonly each: bigint;
  /** Budget of all analysts together; without it, nobody colludes. */
  readonly together?: bigint;
}

/** Lets analysts ask about a table whose ledger is a new one, and removes the ledger afterwards. */
export async function withAnalysts<T>(
  random: Random,
  { analysts, each, together }: Budgets,
  rows: readonly ReportCount[],
  attack: (ask: (asked: Omit<Asked, 'catalog'>) => ReturnType<Releases['ask']>) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-attack-'));
  const ledger = openSqliteLedger(folder);
  const limit = (epsilon: bigint): Limit => ({ unit: 'epsilon', amount: ratio(epsilon, 1n) });
  const releases = new Releases({ ledger, read: async () => ({ rows, firstDay: 0 }), measuring: measuringBy(random) });
  try {
    const colluders = together === undefined ? 1 : 'all';
    await setTable(ledger, 'admin', 'notes', { limit: limit(together ?? each), colluders, batchesPerDay: BATCHES_PER_DAY });
    for (const analyst of analysts) await setBudget(ledger, 'admin', 'notes', analyst, limit(each));
    return await attack((asked) => releases.ask({ ...asked, catalog }));
  } finally {
    await ledger.close();
    rmSync(folder, { recursive: true });
  }
}
