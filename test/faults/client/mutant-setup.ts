/** For the runs of mutants: a property that fails tells in its message what its counterexample came to. */

import { configureGlobal } from 'fast-check';

configureGlobal({ includeErrorInReport: true });
