/** Runs before the first test: loads all sources once, so that no thread of a test has types to strip (compile-cache.ts). */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export default function fill(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('./load-sources.ts', import.meta.url))], { stdio: 'pipe' });
}
