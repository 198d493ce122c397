/** `npm run test:deep`: long statistics, every mutant, exhaustion beyond the smallest moduli. */

import { defineConfig } from 'vitest/config';
import { DEEP, DEEP_EFFORT, DEEPER, tier } from './test/setup/tiers.ts';

export default defineConfig(tier([DEEP, ...DEEPER], [], DEEP_EFFORT));
