/**
 * The oracle. Each batch n sets a cell of its own in two metrics, one with k-ary response and one with unary encoding.
 * So the store shows for each batch how often it is in the tallies, and whether only in part.
 */

import { choice, defineSchema } from '@murmuration/client';
import { unary } from '@murmuration/client/mechanisms';
import { bigEndian, dayText, type SchemaDocument, toBase64url, wireName } from '@murmuration/shared';
import { publish } from '#collector/schemas/catalog.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import type { Store } from '#collector/storage/store.ts';

const CELLS = 1_024;
const VALUES = ['0', '1', '2', '3', '4', '5', '6', '7'];
const DAYS = 14;
/** The number of batches that have a cell of their own. */
export const CAPACITY = CELLS * VALUES.length ** 2 * DAYS;

const answers = Array.from({ length: CELLS }, (_, i) => `answer ${i}`);
const schema = defineSchema({
  app: 'faults',
  version: 1,
  budget: { epsilon: 12, per: 'month' },
  segments: { high: ['0', '1', '2', '3', '4', '5', '6', '7'], low: ['0', '1', '2', '3', '4', '5', '6', '7'] },
  metrics: {
    symbol: choice(answers, { epsilon: 8, description: 'A report that is one symbol' }),
    bits: choice(answers, { epsilon: 4, description: 'A report that is a vector of bits', mechanism: unary() }),
  },
});

export const document: SchemaDocument = schema.document;
export const wire = wireName(document);

/** Opens a collector's store, while the collector runs or afterwards. */
export const openStore = (folder: string): Promise<Store> => openSqliteStore(folder, new Map([[wire, publish(document).metrics]]));

const symbols = answers.map((_, cell) => toBase64url(bigEndian(cell, CELLS - 1)));
const vectors = answers.map((_, cell) => {
  const bytes = new Uint8Array(CELLS / 8);
  bytes[cell >> 3] = 1 << (cell & 7);
  return toBase64url(bytes);
});

/** The cell of batch n. */
const placeOf = (n: number): { readonly cell: number; readonly row: number } => ({ cell: n % CELLS, row: Math.floor(n / CELLS) });
const segmentOf = (row: number): { readonly high: string; readonly low: string } => ({ high: `${(row >> 3) & 7}`, low: `${row & 7}` });
const dayOf = (row: number, today: number): number => today - (Math.floor(row / VALUES.length ** 2) % DAYS);

/** The body of batch n. `today` must be the same for all batches of a run. */
export function bodyOf(n: number, today: number): string {
  const { cell, row } = placeOf(n);
  const mixed = Math.imul(n, 0x9e3779b1) >>> 0; // ids of devices arrive in no particular order
  const id = `${mixed.toString(16).padStart(8, '0')}${n.toString(16).padStart(24, '0')}`;
  const { high, low } = segmentOf(row);
  return `{"v":1,"schema":"${wire}","day":"${dayText(dayOf(row, today))}","batch":"${id}","segment":{"high":"${high}","low":"${low}"},"reports":[["symbol","${symbols[cell]}"],["bits","${vectors[cell]}"]]}`;
}

/** How often batches 0 .. count - 1 are in each metric's tallies. */
export async function countsOf(
  store: Store,
  count: number,
  today: number,
): Promise<{ readonly [metric in 'symbol' | 'bits']: Float64Array }> {
  const counts = { symbol: new Float64Array(count), bits: new Float64Array(count) };
  for (let row = 0; row * CELLS < count; row++) {
    const day = dayOf(row, today);
    for (const metric of ['symbol', 'bits'] as const) {
      const { tallies } = await store.read({ schemas: [wire], metric, from: day, to: day, segment: { ...segmentOf(row) } });
      counts[metric].set(tallies.get(0)?.cells.subarray(0, Math.min(CELLS, count - row * CELLS)) ?? [], row * CELLS);
    }
  }
  return counts;
}

/** The state of batches in a store. */
export interface Verdict {
  readonly acknowledged: number;
  /** Acknowledged but missing. */
  readonly lost: number;
  readonly double: number;
  /** Present in only one metric, or missing from the numbers of ones. */
  readonly partial: number;
  /** Present but not acknowledged. Resending them must not count them again. */
  readonly unheard: number;
}

/** Whether a store has each acknowledged batch exactly once, and every other batch at most once. */
export const isExact = ({ lost, double, partial }: Verdict): boolean => lost + double + partial === 0;

export const describe = ({ acknowledged, lost, double, partial }: Verdict): string =>
  `${acknowledged} acknowledged, ${lost} lost, ${double} double, ${partial} in part`;

/**
 * Compares a folder's store with what its clients know. `acknowledged` has an entry for each batch that may have been sent: 1 if it was
 * acknowledged, else 0.
 */
export async function judge(store: Store, acknowledged: Uint8Array, today: number): Promise<Verdict> {
  const { symbol, bits } = await countsOf(store, acknowledged.length, today);
  const verdict = { acknowledged: 0, lost: 0, double: 0, partial: 0, unheard: 0 };
  for (const [n, known] of acknowledged.entries()) {
    verdict.acknowledged += known;
    if (known === 1 && symbol[n] === 0) verdict.lost++;
    if ((symbol[n] as number) > 1) verdict.double++;
    if (symbol[n] !== bits[n]) verdict.partial++;
    if (known === 0 && symbol[n] !== 0) verdict.unheard++;
  }
  // Each report of bits has exactly one 1. The histogram of ones is stored beside the tallies, and must agree with them.
  const ones = (await store.read({ schemas: [wire], metric: 'bits' })).ones;
  const weighed = ones.reduce((sum, { reports }) => sum + (reports.get(1) ?? 0), 0);
  verdict.partial += Math.abs(weighed - bits.reduce((sum, count) => sum + count, 0));
  return verdict;
}
