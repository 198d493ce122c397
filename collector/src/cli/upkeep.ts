/** `murmuration prune`, `delete` and `vacuum`: the store's upkeep by hand. The collector must be stopped. */

import { dayNumber } from '@murmuration/shared';
import type { Command } from 'commander';
import { Failure, faultOf, UsageError } from '../base/fault.ts';
import { wholeOption } from '../base/usage.ts';
import { forgetStreams } from '../release/streams/stream.ts';
import { hasAdmin } from '../storage/admin/database.ts';
import { appOf } from '../storage/quota.ts';
import { RETENTION } from '../storage/retention.ts';
import { openSqliteLedger } from '../storage/sqlite/release-ledger.ts';
import { deleteMetrics, pruneStore, type Upkeep, vacuumStore } from '../storage/sqlite/upkeep.ts';
import { LEAST_DAYS } from './serve-options.ts';

function run(folder: string, work: () => Upkeep): void {
  try {
    const { rows, reports, bytes } = work();
    const change = ([before, after]: readonly [number, number]): string => `${before} -> ${after}`;
    process.stdout.write(`${folder}: tallies ${change(rows)}, reports ${change(reports)}, bytes ${change(bytes)}\n`);
  } catch (error) {
    throw faultOf(error);
  }
}

/** Deletes the counts of streams, which may be of tallies that are gone: those of an app, or without one all. */
async function forget(folder: string, app: string | undefined): Promise<void> {
  if (!hasAdmin(folder)) return;
  try {
    const ledger = openSqliteLedger(folder);
    await forgetStreams(ledger, app).finally(() => ledger.close());
  } catch (error) {
    throw new Failure(`the tallies are deleted, and the counts of streams are not: ${(error as Error).message.split('\n').join(' ')}`);
  }
}

interface DeleteOptions {
  readonly data: string;
  readonly app?: string;
  readonly schema?: string;
  readonly metric?: string;
  readonly yes?: boolean;
}

export function addUpkeep(program: Command): void {
  const data = ['--data <folder>', 'the folder of the store', '.data'] as const;
  program
    .command('prune')
    .description('add up old days to months, and delete older ones; the collector must be stopped')
    .option('--daily-for <days>', 'days that are kept as days', wholeOption('--daily-for', LEAST_DAYS), RETENTION.dailyFor)
    .option('--keep-for <days>', 'days that are kept at all (default: all)', wholeOption('--keep-for', LEAST_DAYS))
    .option(...data)
    .action((options: { readonly data: string; readonly dailyFor: number; readonly keepFor?: number }) => {
      const { dailyFor, keepFor = RETENTION.keepFor } = options;
      run(options.data, () => pruneStore(options.data, dayNumber(Date.now()), { dailyFor, keepFor }));
    });
  program
    .command('delete')
    .description('delete the tallies of an app, of a schema or of a metric, for ever; the collector must be stopped')
    .option('--app <app>', 'of this app')
    .option('--schema <name>', 'of this wire name, as in notes/1/0123456789abcdef')
    .option('--metric <metric>', 'of this metric, in every schema that is not excluded')
    .option('--yes', 'really delete')
    .option(...data)
    .action(async ({ data: folder, app, schema, metric, yes }: DeleteOptions) => {
      const doomed = {
        ...(app !== undefined && { app }),
        ...(schema !== undefined && { schema }),
        ...(metric !== undefined && { metric }),
      };
      if (Object.keys(doomed).length === 0) throw new UsageError('expected --app, --schema or --metric, got none');
      if (yes !== true) throw new UsageError('expected --yes, because what is deleted is gone, got none');
      run(folder, () => deleteMetrics(folder, doomed));
      await forget(folder, app ?? (schema === undefined ? undefined : appOf(schema)));
    });
  program
    .command('vacuum')
    .description('give the space of deleted tallies back to the disk; the collector must be stopped')
    .option(...data)
    .action(({ data: folder }: { readonly data: string }) => run(folder, () => vacuumStore(folder)));
}
