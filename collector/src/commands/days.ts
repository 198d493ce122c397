/** `murmuration days`: which days a store has closed, and opening them again after a wrong clock has closed them by mistake. */

import { ACCEPTED_DAYS, dayNumber, dayText, parseDay } from '@murmuration/shared';
import type { Command } from 'commander';
import { COMMAND_LINE, logAction } from '../admin/actions.ts';
import { openAdminDatabase } from '../admin/database.ts';
import { closedBefore, reopenDays } from '../store/sqlite-days.ts';
import { Failure, UsageError } from './usage.ts';

interface DaysOptions {
  readonly data: string;
  readonly from?: number;
}

function dayOption(text: string): number {
  const day = parseDay(text);
  if (day === undefined) throw new UsageError(`--from: expected a day such as 2026-11-20, got ${JSON.stringify(text)}`);
  return day;
}

const inOneLine = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : new Failure((error as Error).message);
  }
};

/** Writes what was done to the log of actions. */
function log(folder: string, what: string): void {
  const database = openAdminDatabase(folder);
  try {
    logAction(database, COMMAND_LINE, what);
  } finally {
    database.close();
  }
}

function show({ data }: DaysOptions): void {
  const before = inOneLine(() => closedBefore(data));
  process.stdout.write(before === 0 ? `${data}: no day is closed\n` : `${data}: the days before ${dayText(before)} are closed\n`);
}

function reopen({ data, from = dayNumber(Date.now()) - ACCEPTED_DAYS.before }: DaysOptions): void {
  const before = inOneLine(() => closedBefore(data));
  if (before <= from)
    throw new UsageError(`--from: expected a day before ${dayText(before)}; later days are open already, got ${dayText(from)}`);
  inOneLine(() => {
    reopenDays(data, from);
    log(data, `opened the days from ${dayText(from)} to ${dayText(before - 1)} again`);
  });
  process.stdout.write(
    `${data}: the days from ${dayText(from)} to ${dayText(before - 1)} are open again.\n` +
      'The cost: the ids of batches that were counted before their day was closed may be gone. If the same bytes of such a batch come\n' +
      `again within ${ACCEPTED_DAYS.before} days of its day, they are counted a second time. Devices send a batch again only when they got\n` +
      'no answer to it. Every other batch is counted once.\n',
  );
}

export function addDays(program: Command): void {
  const days = program.command('days').description('which days are closed, and opening them again');
  const data = ['--data <folder>', 'the folder of the store', '.data'] as const;
  days
    .command('show')
    .description('the day before which batches are refused, because their ids are gone')
    .option(...data)
    .action(show);
  days
    .command('reopen')
    .description('open days that a wrong clock has closed; the collector must be stopped')
    .option(...data)
    .option('--from <day>', `the first day to open (default: ${ACCEPTED_DAYS.before} days ago, the oldest that is accepted)`, dayOption)
    .action(reopen);
}
