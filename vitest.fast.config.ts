/** `npm run test:fast`: unit tests, and the proofs of what has changed. */

import { defineConfig } from 'vitest/config';
import { fastFiles } from './test/setup/fast.ts';
import { DEEP, tier } from './test/setup/tiers.ts';

const { include, exclude } = fastFiles();
export default defineConfig(tier(include, [DEEP, ...exclude]));
