/** One fault of each kind in every mechanism. `npm run test:deep` runs all of them. */

import { oneOfEachKind } from './faults/fault.ts';
import { expectNoticed } from './notices.ts';

expectNoticed(oneOfEachKind);
