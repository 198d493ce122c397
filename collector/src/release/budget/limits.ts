/** Remainder for a question or a stream in the budgets that it would be charged to, and the refusal of what does not fit. */

import { Fault } from '../../base/fault.ts';
import type { DayRange } from '../../storage/store.ts';
import { amountIn, byParty, type Cost, type Limit, leftFor, partiesOf, spentBy } from './accounting.ts';
import { compare, least } from './amount.ts';
import { type Budgets, limitText } from './budgets.ts';

/** The error of what does not fit a budget. Nothing was read or spent. */
export class OverBudget extends Fault {
  /** Remainder, as `ε 0.3`. */
  readonly left: string;

  constructor(message: string, left: string) {
    super('over-budget', message);
    this.left = left;
  }
}

/** A charge to come. */
export interface Due extends DayRange {
  readonly what: 'question' | 'stream';
  readonly app: string;
  /** Each of them is charged, and the table once. */
  readonly analysts: readonly string[];
  readonly cost: Cost;
}

/** Remainder of a budget. */
interface Left extends Limit {
  readonly of: string;
}

/**
 * Remainders of the budgets of the analysts and of the table, which comes last.
 *
 * @throws {OverBudget} when an analyst has none
 */
function leftOf({ table, analysts, charges, groups }: Budgets, due: Due): readonly Left[] {
  const ofAnalysts = due.analysts.map((analyst): Left => {
    const own = analysts.get(analyst);
    if (own === undefined) throw new OverBudget(`expected an analyst with a budget on ${due.app}, got ${analyst} without one`, 'nothing');
    const charged = charges.filter((charge) => charge.analyst === analyst);
    return { of: `the budget of ${analyst}`, unit: own.unit, amount: leftFor(analyst, charged, own, due, 1) };
  });
  if (table === undefined) throw new OverBudget(`expected an app whose table has a budget, got ${due.app}`, 'nothing');
  const partyOf = partiesOf([...groups, due.analysts]);
  const party = partyOf(due.analysts[0] as string);
  const amount = leftFor(party, byParty(charges, partyOf), table.limit, due, table.colluders);
  return [...ofAnalysts, { of: `the budget of the table of ${due.app}`, unit: table.limit.unit, amount }];
}

/** The limit to tell: the smallest of those that add up the same as the first analyst's. */
export function tightest(budgets: Budgets, due: Due): Limit {
  const [first, ...others] = leftOf(budgets, due) as [Left, ...Left[]];
  const amount = others.reduce((left, each) => (each.unit === first.unit ? least(left, each.amount) : left), first.amount);
  return { unit: first.unit, amount };
}

const ALWAYS: DayRange = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** @throws {OverBudget} when analysts who become one party would have spent more than the table's limit on any day */
function checkParties({ table, charges, groups }: Budgets, { app, analysts }: Due): void {
  if (table === undefined || table.colluders === 'all') return;
  const { limit, colluders } = table;
  const [before, after] = [groups, [...groups, analysts]].map((each) =>
    spentBy(byParty(charges, partiesOf(each)), limit.unit, ALWAYS, colluders),
  ) as [Limit['amount'], Limit['amount']];
  if (compare(after, limit.amount) <= 0 || compare(after, before) <= 0) return;
  throw new OverBudget(
    `expected analysts who have spent at most ${limitText(limit)} of any day of the table of ${app} together, since those who share a stream ` +
      `count as one, got ${analysts.join(', ').slice(0, 200)}, with whom it would be ${limitText({ unit: limit.unit, amount: after })}; nothing was spent`,
    'nothing',
  );
}

/** Refuses what does not fit, and says what is left. @throws {OverBudget} */
export function checkBudgets(budgets: Budgets, due: Due): void {
  const limits = leftOf(budgets, due);
  const over = limits.find(({ unit, amount }) => compare(amountIn(due.cost, unit), amount) > 0);
  if (over !== undefined) {
    const wanted = due.cost[over.unit];
    const of = wanted === undefined ? 'ρ, which no budget in ε covers' : limitText({ unit: over.unit, amount: wanted });
    throw new OverBudget(
      `expected a ${due.what} within what is left of ${over.of}, ${limitText(over)} a day, got one of ${of}; nothing was spent`,
      limitText(over),
    );
  }
  checkParties(budgets, due);
}
