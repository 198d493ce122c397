/** Which tests the fast tier runs for changed files. */

import { expect, test } from 'vitest';
import { testsOf } from './fast.ts';

const PROOFS = ['k-ary.test.ts', 'ledger-exhaustive.test.ts', 'ledger.test.ts', 'subset.test.ts'];

test.each([
  [['docs/format.md', 'shared/src/schema.ts'], []],
  [['client/src/ledger/ledger.ts'], ['test/proofs/ledger-exhaustive.test.ts', 'test/proofs/ledger.test.ts']],
  [['client/src/randomizers/k-ary.ts'], ['test/proofs/k-ary.test.ts', 'test/conformance/conformance.test.ts']],
  [['test/conformance/checks/channel.ts'], ['test/conformance/conformance.test.ts']],
  [['test/demo/demo.test.ts', 'test/proofs/subset.test.ts'], ['test/proofs/subset.test.ts']],
])('%j asks for %j', (changed, expected) => {
  expect(testsOf(changed, PROOFS)).toEqual(expected);
});
