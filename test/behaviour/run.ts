/** Runs the behaviours where there is no test runner: one after the other, to a list of what failed. */

import { behaviours, type Runtime } from './behaviours.ts';

/** What came of a run. */
export interface Results {
  readonly passed: readonly string[];
  /** Name and reason. */
  readonly failed: readonly string[];
}

export async function run(runtime: Runtime): Promise<Results> {
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  behaviours((name, run) => tests.push({ name, run }), runtime);
  const passed: string[] = [];
  const failed: string[] = [];
  for (const { name, run } of tests) {
    await run().then(
      () => passed.push(name),
      (error: unknown) => failed.push(`${name}: ${error instanceof Error ? `${error.message}\n${error.stack}` : String(error)}`),
    );
  }
  return { passed, failed };
}
