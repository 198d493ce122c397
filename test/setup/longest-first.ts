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
  'behaviour/browser',
  'examples/examples',
  'demo/demo',
  'publishing/pages',
  'browser/web',
  'browser/strings',
  'browser/adapters/web',
  'publishing/readme',
  'browser/inspector',
  'collector/release/mechanisms/runs',
  'client/adapters/file',
  'examples/attacks-on-devices',
  'examples/recipes',
  'browser/inspector-looks',
  'deploy/proxies',
  'browser/sign-in',
  'deploy/views',
  'faults/client',
  'faults/postgres',
  'deploy/prometheus',
  'collector/server/process',
  'collector/cli/commands',
  'collector/storage/sqlite/backup',
  'collector/decoding/discovered-shares',
  'collector/planning/empirical',
  'collector/planning/linkability',
  'client/linkage',
  'bench/scale/scale',
  'collector/decoding/discover',
  'collector/storage/postgres/migrate',
  'collector/storage/postgres/spill',
  'proofs/permanent-device',
  'conformance/conformance',
  'collector/storage/conformance',
  'collector/storage/postgres/store',
  'collector/storage/retention',
  'collector/server/connections',
  'proofs/ledger-exhaustive',
  'collector/answers/views',
  'collector/schemas/live',
  'collector/storage/postgres/spilling',
  'collector/storage/postgres/ready',
  'collector/cli/settings',
  'collector/release/streams/streams',
  'collector/release/streams/law',
  'bench/service/service',
  'proofs/distribution-law',
  'collector/estimation/coverage',
  'proofs/fitted',
  'collector/estimation/numbers',
  'proofs/permanent',
  'collector/ingest/clock',
  'collector/ingest/abuse',
  'collector/ingest/ingest',
  'collector/server/access/older-collector',
  'collector/estimation/distribution-extremes',
  'collector/estimation/shrunk',
  'collector/schemas/questions',
  'collector/estimation/targets',
  'collector/storage/postgres/admin',
  'collector/storage/sqlite/draft',
  'proofs/pooled',
  'proofs/ledger',
  'collector/estimation/watch-fit',
  'collector/server/access/access',
  'collector/release/release',
  'proofs/designs',
  'collector/storage/sqlite/lock',
  'collector/storage/postgres/upkeep',
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
