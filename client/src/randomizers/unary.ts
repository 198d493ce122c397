/** Unary encoding (OUE, SUE) on the device; the law is in shared/src/mechanisms/unary.ts. */

import type { UnaryLaw } from '@murmuration/shared';
import { bitReport } from './bits.ts';
import type { Randomize } from './randomizer.ts';

const NO_COHORT = new Uint8Array(0);

export const randomizeUnary: Randomize<UnaryLaw, number> = (law, index, coins) =>
  bitReport(law, NO_COHORT, law.size, (bit) => bit === index, coins);
