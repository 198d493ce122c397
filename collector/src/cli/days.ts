/** `murmuration days`: which days a store has closed, and opening them again after a wrong clock has closed them by mistake. */

import { ACCEPTED_DAYS, dayNumber, dayText, parseDay } from '@murmuration/shared';
import type { Command } from 'commander';
import { Failure, UsageError } from '../base/usage.ts';
import { COMMAND_LINE, logAction } from '../storage/admin/actions.ts';
import { closedBeforeIn, reopenDaysIn } from '../storage/postgres/days.ts';
import { UnfitDatabase } from '../storage/postgres/errors.ts';
import { withoutPassword } from '../storage/postgres/url.ts';
import { closedBefore, reopenDays } from '../storage/sqlite/days.ts';
import { type AdminPlace, withAdmin } from './admin.ts';
import { addPostgres } from './postgres-option.ts';

interface DaysOptions extends AdminPlace {
  readonly from?: number;
}

function dayOption(text: string): number {
  const day = parseDay(text);
  if (day === undefined) throw new UsageError(`--from: expected a day such as 2026-11-20, got ${JSON.stringify(text)}`);
  return day;
}

const inOneLine = async <T>(work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const isInput = error instanceof RangeError || error instanceof UnfitDatabase || error instanceof UsageError;
    throw isInput ? new UsageError(error.message) : new Failure((error as Error).message);
  }
};

const closedIn = ({ data, postgres }: AdminPlace): Promise<number> =>
  inOneLine(() => (postgres === undefined ? closedBefore(data) : closedBeforeIn({ postgres })));

const nameOf = ({ data, postgres }: AdminPlace): string => (postgres === undefined ? data : withoutPassword(postgres));

async function show(options: DaysOptions): Promise<void> {
  const before = await closedIn(options);
  const name = nameOf(options);
  process.stdout.write(before === 0 ? `${name}: no day is closed\n` : `${name}: the days before ${dayText(before)} are closed\n`);
}

async function reopen(options: DaysOptions): Promise<void> {
  const oldest = dayNumber(Date.now()) - ACCEPTED_DAYS.before;
  const { data, postgres, from = oldest } = options;
  const before = await closedIn(options);
  if (options.from === undefined && before <= oldest)
    return void process.stdout.write(`${nameOf(options)}: nothing to reopen: all days since ${dayText(oldest)} are open\n`);
  if (before <= from)
    throw new UsageError(`--from: expected a day before ${dayText(before)}; later days are open already, got ${dayText(from)}`);
  await inOneLine(async () => {
    if (postgres === undefined) reopenDays(data, from);
    else await reopenDaysIn({ postgres }, from);
    const what = `opened the days from ${dayText(from)} to ${dayText(before - 1)} again`;
    await withAdmin(options, (database) => logAction(database, COMMAND_LINE, what));
  });
  process.stdout.write(
    `${nameOf(options)}: the days from ${dayText(from)} to ${dayText(before - 1)} are open again.\n` +
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
    .option('--from <day>', `the first day to open (default: ${ACCEPTED_DAYS.before} days ago, the oldest that is accepted)`, dayOption)
    .action(reopen);
}
