/** `murmuration migrate`: moves the store of a folder to PostgreSQL, with its keys, tokens, roles, schemas and log of actions. */

import type { Command } from 'commander';
import { faultOf, UsageError } from '../base/fault.ts';
import { choiceOption } from '../base/usage.ts';
import { type Copy, copyAhead, type Migrated, migrateStore, type Places } from '../storage/migration/migrate.ts';
import { withoutPassword } from '../storage/postgres/connection.ts';
import { addPostgres } from './stored-options.ts';

interface MigrateOptions {
  readonly data: string;
  readonly postgres?: string;
  readonly ahead?: true;
  readonly allowLoss?: true;
}

const copied = ({ pieces, ids }: Copy): string => `${pieces} days of metrics and ${ids} ids of batches copied`;

function linesOf(moved: Migrated, folder: string, database: string): string {
  const sides = moved.sums.map(({ metrics, tallies, reports, checksum }, i) => {
    const held = `${metrics} metrics, ${tallies} tallies, ${reports} reports, checksum ${checksum}`;
    return `${i === 0 ? folder : database}: ${held}\n`;
  });
  const { known, credentials, schemas, actions } = moved;
  return `${sides.join('')}${copied(moved)}; the same ${known} ids on both sides; ${credentials} keys and tokens, ${schemas} schemas, ${actions} actions\nmoved: start collectors on the database; ${folder} is no longer used\n`;
}

async function migrate({ data: folder, postgres, ahead, allowLoss }: MigrateOptions): Promise<void> {
  if (postgres === undefined) throw new UsageError('--postgres: expected the URL of a database to move the store to, got none');
  const places: Places = { folder, postgres: { postgres }, isLossAllowed: allowLoss === true };
  const database = withoutPassword(postgres);
  const start = performance.now();
  const seconds = (): string => `${((performance.now() - start) / 1_000).toFixed(1)} s`;
  const over = `${folder}: was moved to ${database} before, and nothing is left to do\n`;
  try {
    if (ahead) {
      const copy = await copyAhead(places);
      const next = 'stop the collector and run this again without --ahead';
      return void process.stdout.write(copy === undefined ? over : `${folder}: ${copied(copy)} in ${seconds()}; ${next}\n`);
    }
    const moved = await migrateStore(places);
    process.stdout.write(moved === undefined ? over : `${linesOf(moved, folder, database)}${seconds()}\n`);
  } catch (error) {
    const { message } = faultOf(error);
    if ((error as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR')
      throw new UsageError(`--data ${folder}: expected a store that can be read, got: ${message}`);
    throw faultOf(error);
  }
}

const KINDS = { from: ['sqlite'], to: ['postgres'] } as const;

export function addMigrate(program: Command): void {
  addPostgres(program.command('migrate'))
    .description('move the store of a folder to PostgreSQL, where many collectors share it; the collector must be stopped')
    .requiredOption('--from <store>', 'sqlite: the store of a folder', choiceOption('--from', KINDS.from))
    .requiredOption('--to <store>', 'postgres: a database', choiceOption('--to', KINDS.to))
    .option('--data <folder>', 'the folder of the store', '.data')
    .option('--ahead', 'only copy, while the collector runs, so that the move itself takes little time')
    .option('--allow-loss', 'take a database server that may lose what it has confirmed, where reports may be lost')
    .action(migrate);
}
