/** The store on PostgreSQL, through the suite of all stores. */

import { testStore } from '../suite.ts';

await testStore(new URL('../postgres.ts', import.meta.url));
