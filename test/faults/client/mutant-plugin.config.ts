/** Vitest with one mutant of the client's sources: MURMURATION_MUTANT names it. Nothing on the disk is changed. */

import { mergeConfig } from 'vitest/config';
import base from '../../../vitest.config.ts';
import { MUTANTS } from './mutants.ts';

const mutant = MUTANTS.find(({ name }) => name === process.env['MURMURATION_MUTANT']);
if (!mutant) throw new Error('expected MURMURATION_MUTANT to name a mutant');

const config = mergeConfig(base, {
  // What another mutant was turned into must not be read again.
  test: { maxWorkers: 1, fsModuleCache: false, experimental: { fsModuleCache: false } },
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      transform: (code: string, id: string) => {
        if (!id.endsWith(`client/src/${mutant.file}`)) return undefined;
        if (code.split(mutant.line).length !== 2) throw new Error(`expected once in ${mutant.file}: ${mutant.line}`);
        return code.replace(mutant.line, () => mutant.becomes);
      },
    },
  ],
});

config.test = { ...config.test, globalSetup: [] };
export default config;
