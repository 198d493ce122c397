/** Budgets in the ledger: the settings of each table, and what each analyst may spend on it. The newest entry holds; charges stay. */

import type { Json } from '@murmuration/shared';
import type { Entry, Ledger, LedgerTransaction } from '../../storage/release-ledger.ts';
import {
  byParty,
  type Charge,
  type Colluders,
  type Cost,
  type Group,
  groupsOf,
  type Limit,
  partiesOf,
  spentBy,
  type Unit,
} from './accounting.ts';
import { amountText, readAmount } from './amount.ts';

/** The settings of an app's table. */
export interface TableSettings {
  /** Limit on any so many colluding analysts together. */
  readonly limit: Limit;
  readonly colluders: Colluders;
  /** The app's `batchesPerDay`. What one device can add to a day follows from it (table/columns.ts). */
  readonly batchesPerDay: number;
}

/** Budgets of an app. */
export interface Budgets {
  /** Undefined for an app whose table was given no budget. */
  readonly table: TableSettings | undefined;
  readonly analysts: ReadonlyMap<string, Limit>;
  readonly charges: readonly Charge[];
  /** The analysts of each stream that was ever charged, of any app. */
  readonly groups: readonly Group[];
}

/** A limit as it is stored and sent. */
export const limitJson = ({ unit, amount }: Limit): { readonly unit: Unit; readonly amount: string } => ({
  unit,
  amount: amountText(amount),
});
const limitOf = (json: Json | undefined): Limit => {
  const { unit, amount } = json as { readonly unit: Unit; readonly amount: string };
  return { unit, amount: readAmount(amount) };
};

/** A cost as text. */
export type CostText = {
  /** Absent where no ε covers it. */
  readonly epsilon?: string;
  readonly rho: string;
};

/** A cost as it is stored. */
export const costJson = ({ epsilon, rho }: Cost): CostText => ({
  ...(epsilon && { epsilon: amountText(epsilon) }),
  rho: amountText(rho),
});

const costOf = ({ epsilon, rho }: CostText): Cost => ({
  epsilon: epsilon === undefined ? undefined : readAmount(epsilon),
  rho: readAmount(rho),
});

function chargeOf({ analyst, body }: Entry): Charge {
  const { from, to, cost, shared } = body as {
    readonly from: number;
    readonly to: number;
    readonly cost: CostText;
    readonly shared?: number;
  };
  return { analyst, from, to, cost: costOf(cost), ...(shared !== undefined && { shared }) };
}

/** The settings of an app's table, if it was given a budget. */
export async function tableIn(ledger: LedgerTransaction, app: string): Promise<TableSettings | undefined> {
  const [entry] = await ledger.find({ kind: 'table', app, newest: 1 });
  const table = entry?.body as { readonly [key: string]: Json } | undefined;
  return (
    table && {
      limit: limitOf(table['limit']),
      colluders: table['colluders'] as Colluders,
      batchesPerDay: table['batchesPerDay'] as number,
    }
  );
}

/** Prefix of the questions of a stream's entry and of its charges. */
export const OPENING = 'opening ';

/** Reads the budgets of an app, and what was charged to them. Of other apps it reads only who shares streams. */
export async function budgetsOf(ledger: LedgerTransaction, app: string): Promise<Budgets> {
  const table = await tableIn(ledger, app);
  const budgets = await ledger.find({ kind: 'budget', app });
  const charges = await ledger.find({ kind: 'charge', app });
  const shared = await ledger.find({ kind: 'charge', prefix: OPENING });
  return {
    table,
    analysts: new Map(budgets.map(({ analyst, body }) => [analyst, limitOf(body)])),
    charges: charges.map(chargeOf),
    groups: groupsOf(shared.map(chargeOf)),
  };
}

const NAMES: { readonly [unit in Unit]: string } = { epsilon: 'ε', rho: 'ρ' };

/** A limit in words. */
export const limitText = ({ unit, amount }: Limit): string => `${NAMES[unit]} ${amountText(amount)}`;

/** Spending of a budget, on its worst day. */
export interface Spending {
  /** Undefined for the table. */
  readonly analyst?: string;
  /** Undefined for an analyst whose budget is gone with a restored ledger. */
  readonly limit?: Limit;
  readonly spent: Limit;
}

/** Spending of each budget of an app. */
export function spendingOf({ table, analysts, charges, groups }: Budgets): readonly Spending[] {
  const always = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  const names = [...new Set([...analysts.keys(), ...charges.map(({ analyst }) => analyst)])].sort();
  const together = byParty(charges, partiesOf(groups));
  const ofTable = table && {
    limit: table.limit,
    spent: { unit: table.limit.unit, amount: spentBy(together, table.limit.unit, always, table.colluders) },
  };
  const ofAnalysts = names.map((analyst) => {
    const limit = analysts.get(analyst);
    const unit = limit?.unit ?? 'epsilon';
    const own = charges.filter((charge) => charge.analyst === analyst);
    return { analyst, ...(limit && { limit }), spent: { unit, amount: spentBy(own, unit, always, 1) } };
  });
  return [...(ofTable ? [ofTable] : []), ...ofAnalysts];
}

const NAME = /^[!-~]([ -~]{0,253}[!-~])?$/;

/** @throws {RangeError} when a name can't be that of a token or of a user whom a proxy names */
function checkAnalyst(analyst: string): void {
  if (!NAME.test(analyst))
    throw new RangeError(`--analyst: expected the name of a token or a user, in ASCII, got ${JSON.stringify(analyst.slice(0, 80))}`);
}

/** Sets what a table may lose to analysts who collude. */
export const setTable = (ledger: Ledger, who: string, app: string, { limit, colluders, batchesPerDay }: TableSettings): Promise<Entry> =>
  ledger.transact(async (transaction) => {
    const body = { limit: limitJson(limit), colluders, batchesPerDay };
    const entry = await transaction.append(who, { kind: 'table', app, analyst: '', question: '', body });
    const together = colluders === 'all' ? 'all analysts' : `any ${colluders} analysts`;
    await transaction.log(who, `gave the table of ${app} a budget of ${limitText(limit)} a day for ${together} together`, app);
    return entry;
  });

/** Sets what an analyst may spend on a table. @throws {RangeError} when the name is not valid */
export async function setBudget(ledger: Ledger, who: string, app: string, analyst: string, limit: Limit): Promise<Entry> {
  checkAnalyst(analyst);
  return ledger.transact(async (transaction) => {
    const entry = await transaction.append(who, { kind: 'budget', app, analyst, question: '', body: limitJson(limit) });
    await transaction.log(who, `gave the analyst ${analyst} a budget of ${limitText(limit)} a day on ${app}`, app);
    return entry;
  });
}

/** Goes on with a ledger that may have lost entries. It ends all streams. @throws {RangeError} when nothing speaks for that, or no reason is given */
export async function override(ledger: Ledger, who: string, reason: string): Promise<Entry> {
  if (reason.trim() === '') throw new RangeError('--reason: expected why the ledger may go on, got none');
  return ledger.transact(async (transaction) => {
    const doubt = await transaction.doubt();
    if (doubt === undefined)
      throw new RangeError('expected a ledger that may have lost entries, got one that is whole; nothing to override');
    await transaction.settle();
    await transaction.secrets.drop(); // answers of streams may be lost, so no stream goes on
    const what = `went on with ${doubt}: ${reason.trim().slice(0, 500)}`;
    const entry = await transaction.append(who, { kind: 'override', app: '', analyst: '', question: '', body: what });
    await transaction.log(who, `releases: ${what}`);
    return entry;
  });
}
