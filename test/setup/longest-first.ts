/**
 * Orders the test files: those with a process of their own first, then those that share processes (tiers.ts), which Vitest keeps only from one
 * such file to the next. Of each the longest first, so that at the end no core waits for a file that started late. Vitest knows only the
 * durations of earlier runs.
 */

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that were measured to take long, the longest first. */
const LONG: readonly string[] = [
  'faults/collector.test.ts',
  'faults/browsers.test.ts',
  'publishing/packages.test.ts',
  'engines/engines.test.ts',
  'adapters/web-engines.test.ts',
  'behaviour/browser.test.ts',
  'demo/demo.test.ts',
  'browser/strings.test.ts',
  'adapters/web.test.ts',
  'examples/examples.test.ts',
  'browser/inspector-looks.test.ts',
  'publishing/readme.test.ts',
  'browser/inspector.test.ts',
  'browser/web.test.ts',
  'deploy/operator.test.ts',
  'publishing/pages.test.ts',
  'conformance/conformance.test.ts',
  'proofs/permanent-device.test.ts',
  'proofs/ledger-exhaustive.test.ts',
  'collector/commands.test.ts',
  'collector/discover.test.ts',
  'collector/backup.test.ts',
  'collector/reads/process.test.ts',
  'collector/retention.test.ts',
  'proofs/designs.test.ts',
  'collector/bad-tallies.test.ts',
  'collector/access/access.test.ts',
  'collector/ingest.test.ts',
];

const rankOf = ({ moduleId, project }: TestSpecification): number => {
  const at = LONG.findIndex((file) => moduleId.endsWith(`/test/${file}`));
  return (project.config.isolate ? 0 : LONG.length + 1) + (at < 0 ? LONG.length : at);
};

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other));
  }
}
