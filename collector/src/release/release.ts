/**
 * Asks a question: finds the stored answer, or charges for a new one. The order is what the promise rests on:
 *
 * 1. The question is checked, and refused if it does not fit the budgets. No row has been read then.
 * 2. The rows are read. If that fails, nothing is spent.
 * 3. The charge is written, unless another one has taken the rest of a budget meanwhile, or another process was charged for the same question
 *    and is about to answer it (claims.ts). It is durable before anything is drawn.
 * 4. The noise is drawn, and the answer is written. Only a written answer leaves this module.
 *
 * A crash between 3 and 4 leaves a charge without an answer. Asking again is charged again.
 */

import { canonicalJson, dayText, type Json } from '@murmuration/shared';
import type { Catalog } from '../schemas/catalog.ts';
import { type Answer, aboutOf, answerOf, isEnough, type Preview, type StoredAnswer } from './answer.ts';
import { type Limit, leftFor } from './budget/accounting.ts';
import { compare, least } from './budget/amount.ts';
import { type Budgets, budgetsOf, costJson, limitText } from './budget/budgets.ts';
import type { Entry, Ledger, LedgerTransaction } from './budget/ledger.ts';
import { PATIENCE, storedOr } from './claims.ts';
import type { Measuring } from './measuring/measuring.ts';
import type { Question } from './query/question.ts';
import { type Resolved, resolve } from './query/resolve.ts';
import { tableOf } from './table/columns.ts';
import type { Participation, WantedRows } from './table/participation.ts';

/** The error of a question that does not fit a budget. Nothing was read or spent. */
export class OverBudget extends Error {
  /** What is left, as `ε 0.3`. */
  readonly left: string;

  constructor(message: string, left: string) {
    super(message);
    this.left = left;
  }
}

/** What releases are made of. */
export interface ReleaseParts {
  readonly ledger: Ledger;
  /** Reads rows of a table. */
  readonly read: (wanted: WantedRows) => Promise<Participation>;
  readonly measuring: Measuring;
  /** Milliseconds for which the answer of another process is waited for; PATIENCE by default. */
  readonly patience?: number;
}

/** A question of an analyst. */
export interface Asked {
  readonly analyst: string;
  /** Has all versions of the app. */
  readonly catalog: Catalog;
  readonly question: Question;
  /** Charges for a new answer even if there is a stored one. */
  readonly again?: boolean;
}

/** Releases of a collector, or of a command. */
export class Releases {
  readonly #parts: ReleaseParts;
  /** Questions that are being asked, so that the same one is not charged twice at once. */
  readonly #running = new Map<string, Promise<Answer>>();
  /** Charges whose measurements failed here. */
  readonly #failed = new Set<number>();

  constructor(parts: ReleaseParts) {
    this.#parts = parts;
  }

  /** What a question would cost, and the error to expect. Spends nothing. @throws {RangeError} when it does not fit the table */
  async preview(asked: Asked): Promise<Preview> {
    const { ledger, measuring } = this.#parts;
    const { resolved, left } = await ledger.transact(async (transaction) => {
      const budgets = await budgetsOf(transaction, asked.question.app);
      const found = resolveFor(asked, budgets);
      const own = budgets.analysts.get(asked.analyst);
      return { resolved: found, left: own && budgets.table && limitsOf(budgets, asked.analyst, found) };
    });
    const errors = await measuring.expect(resolved);
    return { ...aboutOf(resolved), errors, ...(left && { left: limitText(tightest(left)) }) };
  }

  /**
   * Answers a question.
   *
   * @throws {RangeError} when it does not fit the table
   * @throws {OverBudget} when it does not fit a budget
   * @throws {InDoubt} when the ledger may have lost entries
   */
  ask(asked: Asked): Promise<Answer> {
    const { analyst, question, again = false } = asked;
    const name = canonicalJson([analyst, question as unknown as Json, again]);
    const running = this.#running.get(name) ?? this.#ask(asked).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }

  async #ask(asked: Asked): Promise<Answer> {
    const { ledger, read, measuring, patience = PATIENCE } = this.#parts;
    const resolved = await ledger.transact(async (transaction) => resolveFor(asked, await budgetsOf(transaction, asked.question.app)));
    await measuring.expect(resolved);
    const { from, to, where, table } = resolved;
    const claiming = { ledger, patience: asked.again ? 0 : patience, dead: this.#failed };
    const storedOrTaken = <T>(take: (transaction: LedgerTransaction) => Promise<T>) =>
      storedOr(
        claiming,
        { app: table.app, analyst: asked.analyst, question: resolved.key },
        (transaction) => storedOf(transaction, asked, resolved),
        async (transaction) => {
          await check(transaction, asked, resolved);
          return take(transaction);
        },
      );
    const before = await storedOrTaken(async () => undefined);
    if ('stored' in before) return answerOf(before.stored, true);
    const { rows, closedBefore, firstDay } = await read({
      schemas: [...table.schemas.keys()],
      metrics: where.get('metric') ?? [],
      from,
      to,
    });
    if (from < firstDay)
      throw new RangeError(
        `from: expected a day from ${dayText(firstDay)}, since earlier ones are kept as months or not at all, got ${dayText(from)}`,
      );
    const found = await storedOrTaken((transaction) =>
      transaction.append(asked.analyst, entryOf(asked, resolved, 'charge', { from, to, cost: costJson(resolved.cost) })),
    );
    if ('stored' in found) return answerOf(found.stored, true);
    const charge = found.taken.n;
    try {
      const results = await measuring.measure(resolved, rows).catch(hideCause);
      const body: StoredAnswer = { ...aboutOf(resolved), results, openDays: Math.max(0, to + 1 - Math.max(from, closedBefore)) };
      const answer = { ...body, charge } as unknown as Json;
      return answerOf(
        await ledger.transact((transaction) => transaction.append(asked.analyst, entryOf(asked, resolved, 'answer', answer))),
        false,
      );
    } catch (error) {
      this.#failed.add(charge);
      throw error;
    }
  }
}

/** The error of measurements that failed. It says nothing of its cause, which could name a secret number. The charge stays. */
function hideCause(): never {
  throw new Error('the measurements failed after they were charged');
}

/** Checks a question against its table. @throws {RangeError} */
function resolveFor({ catalog, question }: Asked, { table }: Budgets): Resolved {
  const columns = tableOf(catalog, question.app);
  if (table === undefined)
    throw new RangeError(`app: expected an app whose table has a budget, as release budget sets it, got ${question.app}`);
  return resolve(columns, question, table.batchesPerDay);
}

const entryOf = ({ analyst }: Asked, { table, key }: Resolved, kind: 'charge' | 'answer', body: Json) =>
  ({ kind, app: table.app, analyst, question: key, body }) as const;

/** The newest stored answer to the same question of the same analyst, if it is exact enough and no new one is wanted. */
async function storedOf(ledger: LedgerTransaction, { analyst, again }: Asked, resolved: Resolved): Promise<Entry | undefined> {
  if (again) return undefined;
  const stored = await ledger.find({ question: resolved.key, app: resolved.table.app, analyst, kind: 'answer' });
  return stored.filter((entry) => isEnough(entry, resolved)).at(-1);
}

/** What is left of the analyst's budget and of the table's. @throws {OverBudget} when the analyst has none */
function limitsOf({ table, analysts, charges }: Budgets, analyst: string, resolved: Resolved): readonly Limit[] {
  const own = analysts.get(analyst);
  if (own === undefined || table === undefined)
    throw new OverBudget(`expected an analyst with a budget on ${resolved.table.app}, got ${analyst} without one`, 'nothing');
  const ofAnalyst = charges.filter((charge) => charge.analyst === analyst);
  return [
    { unit: own.unit, amount: leftFor(analyst, ofAnalyst, own, resolved, 1) },
    { unit: table.limit.unit, amount: leftFor(analyst, charges, table.limit, resolved, table.colluders) },
  ];
}

/** The limit to tell: the smaller one where both add up the same, else the analyst's. */
function tightest([own, table]: readonly Limit[]): Limit {
  const [first, second] = [own as Limit, table as Limit];
  return first.unit === second.unit ? { unit: first.unit, amount: least(first.amount, second.amount) } : first;
}

/** @throws {OverBudget} when a question does not fit, with what is left */
async function check(ledger: LedgerTransaction, { analyst }: Asked, resolved: Resolved): Promise<void> {
  const limits = limitsOf(await budgetsOf(ledger, resolved.table.app), analyst, resolved);
  const [over] = limits.filter(({ unit, amount }) => compare(resolved.cost[unit], amount) > 0);
  if (over === undefined) return;
  const of = over === limits[0] ? `the budget of ${analyst}` : `the budget of the table of ${resolved.table.app}`;
  const cost = limitText({ unit: over.unit, amount: resolved.cost[over.unit] });
  throw new OverBudget(
    `expected a question within what is left of ${of}, ${limitText(over)} a day, got one of ${cost}; nothing was spent`,
    limitText(over),
  );
}
