/** Every kind of store, through one suite. */

import { testStore } from './suite.ts';

await testStore(new URL('./sqlite.ts', import.meta.url));
