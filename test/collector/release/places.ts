/** Where ledgers are, for tests that hold for both stores: a folder, or a database. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare } from '#collector/storage/postgres/opening.ts';
import { openPostgresLedger } from '#collector/storage/postgres/release-ledger.ts';
import type { Ledger } from '#collector/storage/release-ledger.ts';
import { openSqliteLedger } from '#collector/storage/sqlite/release-ledger.ts';
import { createDatabase, dropDatabase } from '../../setup/postgres.ts';

/** A kind of store. */
export interface Place {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** A new location. */
  readonly make: () => Promise<string>;
  readonly open: (location: string) => Ledger;
  readonly remove: (location: string) => Promise<void>;
}

export const places: readonly Place[] = [
  {
    name: 'SQLite',
    make: async () => mkdtempSync(join(tmpdir(), 'murmuration-release-')),
    open: openSqliteLedger,
    remove: async (location) => rmSync(location, { recursive: true }),
  },
  {
    name: 'PostgreSQL',
    make: async () => {
      const location = await createDatabase();
      await prepare({ postgres: location }, true);
      return location;
    },
    open: (location) => openPostgresLedger({ postgres: location }),
    remove: dropDatabase,
  },
];
