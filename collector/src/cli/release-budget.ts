/** `murmuration release budget`: what the table of an app may lose, and what each analyst may spend on it. */

import { BATCHES_PER_DAY } from '@murmuration/shared';
import { Failure, faultOf, UsageError } from '../base/fault.ts';
import { print } from '../base/usage.ts';
import type { Colluders, Limit } from '../release/budget/accounting.ts';
import { amountText, parseAmount } from '../release/budget/amount.ts';
import { budgetsOf, limitJson, limitText, setBudget, setTable, spendingOf } from '../release/budget/budgets.ts';
import { checkApps } from '../storage/admin/credentials.ts';
import { COMMAND_LINE } from '../storage/admin/database.ts';
import type { Ledger } from '../storage/release-ledger.ts';
import { type AdminPlace, backendOf } from './admin.ts';
import { table } from './table.ts';

/** The options of `set`. */
export interface SetOptions extends AdminPlace {
  readonly app: string;
  readonly analyst?: string;
  readonly epsilon?: string;
  readonly rho?: string;
  readonly colluders?: Colluders;
  readonly batchesPerDay?: number;
  readonly json?: boolean;
}

/** The options of `show`. */
export interface ShowOptions extends AdminPlace {
  readonly app: string;
  readonly json?: boolean;
}

/** How many analysts may collude: `all`, or a number. */
export function colludersOption(text: string): Colluders {
  if (text === 'all') return 'all';
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--colluders: expected all or a whole number from 1, got ${JSON.stringify(text)}`);
  return Number(text);
}

function limitOf({ epsilon, rho }: SetOptions): Limit {
  if ((epsilon === undefined) === (rho === undefined))
    throw new UsageError(`expected --epsilon or --rho, got ${epsilon === undefined ? 'neither' : 'both'}`);
  return epsilon === undefined
    ? { unit: 'rho', amount: parseAmount(rho ?? '', '--rho') }
    : { unit: 'epsilon', amount: parseAmount(epsilon, '--epsilon') };
}

/** Sets a budget. Without an analyst it is that of the table. */
export const setBudgets = (options: SetOptions): Promise<void> =>
  withLedger(options, async (ledger) => {
    const { app, analyst, json, colluders = 'all', batchesPerDay } = options;
    const limit = limitOf(options);
    if (analyst !== undefined && (options.colluders !== undefined || batchesPerDay !== undefined))
      throw new UsageError('--analyst: expected no --colluders and no --batches-per-day with it, since they are settings of the table');
    checkApps([app]);
    if (analyst === undefined)
      await setTable(ledger, COMMAND_LINE, app, { limit, colluders, batchesPerDay: batchesPerDay ?? BATCHES_PER_DAY });
    else await setBudget(ledger, COMMAND_LINE, app, analyst, limit);
    const set = { app, ...(analyst !== undefined && { analyst }), [limit.unit]: amountText(limit.amount) };
    const whom = analyst ?? (colluders === 'all' ? 'all analysts together' : `any ${colluders} analysts together`);
    print(json, set, () => `${whom} may spend ${limitText(limit)} for each day of the table of ${app}`);
  });

/** Shows the budgets of an app, and what was spent of them on the day on which that is most. */
export const showBudgets = (options: ShowOptions): Promise<void> =>
  withLedger(options, async (ledger) => {
    const { app, json } = options;
    const budgets = await ledger.transact((transaction) => budgetsOf(transaction, app));
    const spending = spendingOf(budgets);
    const textOf = (limit: Limit | undefined): string => (limit === undefined ? 'none' : limitText(limit));
    const value = {
      app,
      colluders: budgets.table?.colluders,
      batchesPerDay: budgets.table?.batchesPerDay,
      budgets: spending.map(({ analyst, limit, spent }) => ({ analyst, limit: limit && limitJson(limit), spent: limitJson(spent) })),
    };
    print(json, value, () =>
      table(
        ['analyst', 'budget', 'spent of one day'],
        spending.map(({ analyst, limit, spent }) => [analyst ?? 'the table', textOf(limit), textOf(spent)]),
      ),
    );
  });

// Opens releases for a command: the ledger and the tallies of a folder, or those in the database that collectors share.

/** Works with the ledger, and closes it. @throws {UsageError | Failure} */
export async function withLedger<T>(place: AdminPlace, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  try {
    const ledger = await backendOf(place).openExistingLedger();
    try {
      return await work(ledger);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    const { kind, message } = faultOf(error);
    if (kind !== 'in-doubt') throw faultOf(error);
    throw new Failure(`expected a ledger that is whole, got ${message}; see docs/release.md, then: murmuration release override --reason`);
  }
}
