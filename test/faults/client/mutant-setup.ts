/** For runs of mutants: the message of a failed property includes the result for its counterexample. */

import { configureGlobal } from 'fast-check';

configureGlobal({ includeErrorInReport: true });
