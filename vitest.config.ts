/** `npm test`: everything that a change can break. */

import { defineConfig } from 'vitest/config';
import { DEEP, tier } from './test/setup/tiers.ts';

export default defineConfig(tier(['test/**/*.test.ts'], [DEEP]));
