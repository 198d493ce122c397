/** Runs before the first test: a complete demo fills the compile cache, so that no test's thread has types to strip. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export default function fill(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../examples/demo/run.ts', import.meta.url)), '--devices', '10'], {
    stdio: 'pipe',
  });
}
