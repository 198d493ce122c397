/** The embedded store, for the conformance suite. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import type { Engine } from './engine.ts';

export const engine: Engine = {
  name: 'SQLite',
  make: () => mkdtemp(join(tmpdir(), 'murmuration-store-')),
  open: (location, shapes, limits = {}) => openSqliteStore(location, shapes, { limits }),
  remove: (location) => rm(location, { recursive: true }),
};
