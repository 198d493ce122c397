/** The folder of one run of tests, for what its files share. It is gone after the run. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VARIABLE = 'TEST_RUN_FOLDER';

/** Runs before the first test, in the process that starts the workers. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-run-'));
  process.env[VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true });
}

/** The folder's path. */
export const runFolder = (): string => process.env[VARIABLE] as string;
