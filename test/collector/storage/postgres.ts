/** The store on PostgreSQL, for the conformance suite. */

import { openPostgresStore } from '#collector/storage/postgres/postgres.ts';
import { createDatabase, dropDatabase } from '../../setup/postgres.ts';
import type { Engine } from './engine.ts';

export const engine: Engine = {
  name: 'PostgreSQL',
  make: createDatabase,
  open: (location, shapes, limits = {}) => openPostgresStore({ postgres: location }, shapes, { limits, isLossAllowed: true }),
  remove: dropDatabase,
};
