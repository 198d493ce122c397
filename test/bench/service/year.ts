/** A store with days of data: ten questions as products ask them, in eight segments. */

import { randomBytes, randomFillSync } from 'node:crypto';
import { join } from 'node:path';
import { dayNumber, type Packing, packingOf, wireName } from '@murmuration/shared';
import { type PackedMetric, publish } from '#collector/schemas/catalog.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import { schema } from '../ingest/schema.ts';

const PLATFORMS = schema.document.segments?.['platform'] ?? [];

/** The strings to look for in the text. */
export const CANDIDATES: readonly string[] = Array.from({ length: 1_000 }, (_, i) => `word ${i}`);

/** Batches that wait for their commits while others are made. */
const WAITING = 200;

/** The bits of a word that are cells. */
const maskOf = (cells: number, word: number): number => (cells >= 32 * (word + 1) ? -1 : (1 << (cells - 32 * word)) - 1);

/** Random reports of so many devices to each metric, packed as the store takes them. */
function randomReports(metrics: readonly PackedMetric[], devices: number): Int32Array {
  const packings = metrics.map(({ shape }) => packingOf(shape));
  const reports = new Int32Array(devices * packings.reduce((sum, { words }) => sum + 1 + words, 0));
  const random = randomFillSync(new Uint32Array(reports.length));
  let at = 0;
  for (let device = 0; device < devices; device++) {
    for (const [number, { shape }] of metrics.entries()) {
      const { words } = packings[number] as Packing;
      reports[at] = number;
      reports[at + 1] = (random[at + 1] as number) % shape.cohorts;
      for (let word = 2; word <= words; word++) {
        const drawn = random[at + word] as number;
        reports[at + word] = shape.form === 'symbol' ? drawn % shape.cells : drawn & maskOf(shape.cells, word - 2);
      }
      at += 1 + words;
    }
  }
  return reports;
}

/**
 * Fills the store of a folder: every device answers each question once a day. Reports are random, which the store cannot tell from
 * randomized ones. They come in large batches and without HTTP.
 */
export async function fillYear(folder: string, days: number, devices: number): Promise<void> {
  const { metrics } = publish(schema.document);
  const name = wireName(schema.document);
  const store = await openSqliteStore(join(folder, 'data'), new Map([[name, metrics]]));
  const today = dayNumber(Date.now());
  const each = Math.ceil(devices / PLATFORMS.length);
  let waiting: Promise<unknown>[] = [];
  for (let day = today - days + 1; day <= today; day++) {
    for (const platform of PLATFORMS) {
      const [id, hash] = [16, 32].map((bytes) => randomBytes(bytes).toString('hex')) as [string, string];
      const reports = randomReports(metrics, each);
      waiting.push(
        store.append({ schema: name, day, id, hash, segment: `{"platform":"${platform}"}`, reports, count: each * metrics.length }),
      );
    }
    if (waiting.length < WAITING) continue;
    await Promise.all(waiting);
    waiting = [];
  }
  await Promise.all(waiting);
  await store.close();
}
