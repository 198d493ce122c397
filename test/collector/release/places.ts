/** Where ledgers are, for tests that hold for both stores: a folder, or a database. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '#collector/release/budget/ledger.ts';
import { openPostgresLedger } from '#collector/release/budget/postgres-ledger.ts';
import { openSqliteLedger } from '#collector/release/budget/sqlite-ledger.ts';
import { prepare } from '#collector/store/postgres/opening.ts';
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
