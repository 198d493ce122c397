/** Every fault of every mechanism: each law with each of its integers off by one, and each wrong estimate in each law. */

import { expectNoticed } from './notices.ts';

expectNoticed((faults) => faults);
