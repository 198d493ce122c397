/**
 * Orders the test files: those with a process of their own first, then those that share processes (tiers.ts), which Vitest keeps only from one
 * such file to the next. The longest of each comes first, so that at the end no core waits for a file that started late. Vitest knows only the
 * durations of earlier runs.
 */

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that were measured to take long, the longest first. */
const LONG: readonly string[] = [
  'faults/collector',
  'faults/browsers',
  'publishing/packages',
  'engines/engines',
  'behaviour/browser',
  'examples/examples',
  'adapters/web-engines',
  'demo/demo',
  'publishing/pages',
  'browser/web',
  'browser/strings',
  'adapters/web',
  'publishing/readme',
  'browser/inspector',
  'release/runs',
  'adapters/file',
  'examples/attacks-on-devices',
  'examples/recipes',
  'browser/inspector-looks',
  'deploy/proxies',
  'browser/sign-in',
  'deploy/views',
  'faults/client',
  'faults/postgres',
  'deploy/prometheus',
  'collector/reads/process',
  'collector/commands',
  'collector/backup',
  'collector/discover',
  'collector/postgres/migrate',
  'collector/postgres/spill',
  'proofs/permanent-device',
  'conformance/conformance',
  'collector/store/conformance',
  'collector/postgres/store',
  'collector/retention',
  'collector/connections',
  'proofs/ledger-exhaustive',
  'collector/postgres/views',
  'collector/schemas/live',
  'collector/postgres/spilling',
  'proofs/distribution-law',
  'collector/coverage',
  'proofs/fitted',
  'collector/numbers',
  'proofs/permanent',
  'collector/clock',
  'collector/abuse',
  'collector/ingest',
  'collector/access/older-collector',
  'collector/distribution-extremes',
  'collector/shrunk',
  'collector/questions',
  'collector/targets',
  'collector/postgres/admin',
  'collector/store/draft',
  'proofs/pooled',
  'proofs/ledger',
  'collector/watch-fit',
  'collector/access/access',
  'collector/release/release',
  'proofs/designs',
  'collector/lock',
  'collector/postgres/upkeep',
];

const rankOf = ({ moduleId, project }: TestSpecification): number => {
  const at = LONG.findIndex((file) => moduleId.endsWith(`/test/${file}.test.ts`));
  return (project.config.isolate ? 0 : LONG.length + 1) + (at < 0 ? LONG.length : at);
};

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other));
  }
}
