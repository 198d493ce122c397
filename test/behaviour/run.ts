/** Runs suites where there is no test runner: one test after the other, to a list of what failed. */

import type { Test } from '@murmuration/client/testing';

/** What came of a run. */
export interface Results {
  readonly passed: readonly string[];
  /** Name and reason. */
  readonly failed: readonly string[];
}

export async function run(suite: (test: Test) => void): Promise<Results> {
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  suite((name, run) => tests.push({ name, run }));
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
