/** The store on PostgreSQL, through the suite of all stores. */

import { testStore } from '../store/suite.ts';

await testStore(new URL('../store/postgres.ts', import.meta.url));
