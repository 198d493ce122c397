/** `murmuration days`: which days a store has closed, and opening them again after a wrong clock has closed them by mistake. */

import { ACCEPTED_DAYS, dayNumber, dayText } from '@murmuration/shared';
import type { Command } from 'commander';
import { inOneLine, UsageError } from '../base/fault.ts';
import { dayOption } from '../base/usage.ts';
import { COMMAND_LINE, logAction } from '../storage/admin/database.ts';
import { type AdminPlace, backendOf, withAdmin } from './admin.ts';
import { addPostgres } from './stored-options.ts';

interface DaysOptions extends AdminPlace {
  readonly from?: number;
}

const closedIn = (options: DaysOptions): Promise<number> => inOneLine(() => backendOf(options).closedBefore());

async function show(options: DaysOptions): Promise<void> {
  const before = await closedIn(options);
  const { address } = backendOf(options).words;
  process.stdout.write(before === 0 ? `${address}: no day is closed\n` : `${address}: the days before ${dayText(before)} are closed\n`);
}

async function reopen(options: DaysOptions): Promise<void> {
  const oldest = dayNumber(Date.now()) - ACCEPTED_DAYS.before;
  const { from = oldest } = options;
  const backend = backendOf(options);
  const { address } = backend.words;
  const before = await closedIn(options);
  if (options.from === undefined && before <= oldest)
    return void process.stdout.write(`${address}: nothing to reopen: all days since ${dayText(oldest)} are open\n`);
  if (before <= from)
    throw new UsageError(`--from: expected a day before ${dayText(before)}; later days are open already, got ${dayText(from)}`);
  await inOneLine(async () => {
    await backend.reopenDays(from);
    const what = `opened the days from ${dayText(from)} to ${dayText(before - 1)} again`;
    await withAdmin(options, (database) => logAction(database, COMMAND_LINE, what));
  });
  process.stdout.write(
    `${address}: the days from ${dayText(from)} to ${dayText(before - 1)} are open again.\n` +
      'The cost: the ids of batches that were counted before their day was closed may be gone. If the same bytes of such a batch come\n' +
      `again within ${ACCEPTED_DAYS.before} days of its day, they are counted a second time. Devices send a batch again only when they got\n` +
      'no answer to it. Every other batch is counted once.\n',
  );
}

export function addDays(program: Command): void {
  const days = program.command('days').description('which days are closed, and opening them again');
  const data = ['--data <folder>', 'the folder of the store', '.data'] as const;
  addPostgres(days.command('show'))
    .description('the day before which batches are refused, because their ids are gone')
    .option(...data)
    .action(show);
  addPostgres(days.command('reopen'))
    .description('open days that a wrong clock has closed; the collector must be stopped, or with --postgres be restarted')
    .option(...data)
    .option(
      '--from <day>',
      `the first day to open (default: ${ACCEPTED_DAYS.before} days ago, the oldest that is accepted)`,
      dayOption('--from'),
    )
    .action(reopen);
}
