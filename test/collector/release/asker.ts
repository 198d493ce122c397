/** A process that asks for all of ann's budget, and says what became of it. Arguments: the kind of store, its location, its source, a column. */

import { OverBudget } from '#collector/release/budget/limits.ts';
import { systemRandom } from '#collector/release/mechanisms/random.ts';
import { measuringBy } from '#collector/release/query/making.ts';
import { Releases } from '#collector/release/release.ts';
import { readParticipation } from '#collector/release/table/participation.ts';
import { createCatalog } from '#collector/schemas/catalog.ts';
import type { TallySource } from '#collector/storage/store.ts';
import { schema } from '../../kit/app.ts';
import { places } from './places.ts';

const [kind, location = '', source = '', column = ''] = process.argv.slice(2);
const place = places.find((each) => each.name === kind);
if (place === undefined) throw new Error(`expected a kind of store, got ${kind}`);
const ledger = place.open(location);
const stored = JSON.parse(source) as TallySource;
const releases = new Releases({ ledger, read: (wanted) => readParticipation(stored, wanted), measuring: measuringBy(systemRandom()) });
const question = { app: 'notes', from: '2026-11-19', to: '2026-11-20', measures: [{ kind: 'mostUsed', epsilon: '2', column }] } as const;
try {
  const { entry } = await releases.ask({ analyst: 'ann', catalog: createCatalog([schema.document]), question });
  process.stdout.write(`answered: ${entry.n}\n`);
} catch (error) {
  if (!(error instanceof OverBudget)) throw error;
  process.stdout.write(`over budget: ${error.left}\n`);
} finally {
  await ledger.close();
}
