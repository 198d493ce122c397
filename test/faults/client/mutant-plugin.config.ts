/** Vitest with one mutant of the client's sources, named by MUTANT, or with none. No file on the disk is changed. */

import { basename, join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import base from '../../../vitest.config.ts';
import { MUTANTS, mutated } from './mutants.ts';

const name = process.env['MUTANT'];
const mutant = MUTANTS.find((each) => each.name === name);
if (!mutant && name !== '') throw new Error('expected MUTANT to name a mutant');

/** Tests that take seconds, in the order in which they run. They run after all others, because the first failure ends the run. */
const SLOW = [
  'bursts',
  'ledger',
  'record',
  'participation',
  'otherwise',
  'damaged',
  'outbox',
  'ledger-exhaustive',
  'permanent-device',
  'client',
];

class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => SLOW.indexOf(basename(moduleId, '.test.ts'));
    return files.sort((one, other) => place(one) - place(other));
  }
}

const config = mergeConfig(base, {
  test: {
    maxWorkers: 1,
    sequence: { sequencer: QuickFirst },
    setupFiles: [join(import.meta.dirname, 'mutant-setup.ts')],
    // The transformed code of another mutant must not be reused.
    fsModuleCache: false,
    experimental: { fsModuleCache: false },
  },
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      transform: (code: string, id: string) => {
        if (!mutant || !id.endsWith(`client/src/${mutant.file}`)) return undefined;
        return mutated(code, mutant);
      },
    },
  ],
});

// Vitest must transform the client's sources, which Node loads itself in other runs.
config.test = { ...config.test, globalSetup: [], server: { deps: { inline: [/\/(client|shared)\/src\//] } } };
export default config;
