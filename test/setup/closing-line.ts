/** A vitest reporter that ends the run with one plain line: `N passed, N failed`. */

import { writeSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

export default class ClosingLine implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  /** Every test that did not pass counts as failed, also when it was skipped. Only tests excluded by `-t` are not counted. */
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const asked = this.#vitest?.getGlobalTestNamePattern();
    const isLeftOut = (test: TestCase): boolean => asked !== undefined && test.result().state === 'skipped' && !test.fullName.match(asked);
    const tests = modules.flatMap((module) => [...module.children.allTests()]).filter((test) => !isLeftOut(test));
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const brokenFiles = modules.filter((module) => module.errors().length > 0).length;
    const failed = tests.length - passed + brokenFiles + errors.length;
    // Runs after the other reporters, and before the process ends.
    process.once('exit', () => writeSync(1, `\n${passed} passed, ${failed} failed\n`));
  }
}
