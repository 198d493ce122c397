/** Shared by the conformance suites, which run in any test runner and fail with plain errors. */

/** A runner's `test`: of vitest, jest, mocha, node:test, or a function of one's own. */
export type Test = (name: string, run: () => Promise<void>) => unknown;

/** @throws {Error} unless both are the same JSON */
export function expectSame(what: string, got: unknown, expected: unknown): void {
  const [is, wanted] = [JSON.stringify(got), JSON.stringify(expected)];
  if (is !== wanted) throw new Error(`${what}: expected ${wanted?.slice(0, 200)}, got ${is?.slice(0, 200)}`);
}
