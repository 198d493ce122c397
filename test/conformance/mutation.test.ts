/** One fault of each kind in every mechanism. `npm run test:deep` has them all. */

import { oneOfEachKind } from './faults/fault.ts';
import { expectNoticed } from './notices.ts';

expectNoticed(oneOfEachKind);
