/** A vitest reporter that ends the run with one plain line: `N passed, N failed`. */

import { writeSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const brokenFiles = modules.filter((module) => module.errors().length > 0).length;
    const failed = tests.length - passed + brokenFiles + errors.length;
    // After the other reporters, and before the process ends.
    process.once('exit', () => writeSync(1, `\n${passed} passed, ${failed} failed\n`));
  }
}
