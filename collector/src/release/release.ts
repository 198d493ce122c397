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

import { canonicalJson, type Json } from '@murmuration/shared';
import type { Catalog } from '../schemas/catalog.ts';
import { type Entry, insist, type LedgerTransaction } from '../storage/release-ledger.ts';
import { type Answer, aboutOf, answerOf, isEnough, type Preview, type StoredAnswer } from './answer.ts';
import { type Budgets, budgetsOf, costJson, limitText, tableIn } from './budget/budgets.ts';
import { checkBudgets, type Due, tightest } from './budget/limits.ts';
import { type ClaimingParts, PATIENCE, storedOr } from './claims.ts';
import type { Measuring } from './query/making.ts';
import type { Question } from './query/question.ts';
import { type Resolved, resolve } from './query/resolve.ts';
import { tableOf } from './table/columns.ts';
import { checkKept, openDaysIn } from './table/participation.ts';

/** Parts of releases. */
export interface ReleaseParts extends ClaimingParts {
  readonly measuring: Measuring;
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

  /** Cost of a question and its expected error. Spends nothing. @throws {RangeError} when it does not fit the table */
  async preview(asked: Asked): Promise<Preview> {
    const { ledger, measuring } = this.#parts;
    const { resolved, left } = await ledger.transact(async (transaction) => {
      const budgets = await budgetsOf(transaction, asked.question.app);
      const found = resolveFor(asked, budgets);
      return { resolved: found, left: budgets.analysts.has(asked.analyst) ? tightest(budgets, dueOf(asked, found)) : undefined };
    });
    const errors = await measuring.expect(resolved);
    return { ...aboutOf(resolved), errors, ...(left && { left: limitText(left) }) };
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
    const { ledger, read, measuring, patience = PATIENCE, now = Date.now } = this.#parts;
    const resolved = await ledger.transact(async (transaction) =>
      resolveFor(asked, { table: await tableIn(transaction, asked.question.app) }),
    );
    await measuring.expect(resolved);
    const { from, to, where, table } = resolved;
    const claiming = { ledger, patience: asked.again ? 0 : patience, dead: this.#failed };
    const storedOrTaken = <T>(take: (transaction: LedgerTransaction) => Promise<T>) =>
      storedOr(
        claiming,
        { app: table.app, analyst: asked.analyst, question: resolved.key, kind: 'answer' },
        (transaction) => storedOf(transaction, asked, resolved),
        async (transaction) => {
          await check(transaction, asked, resolved);
          return take(transaction);
        },
      );
    const before = await storedOrTaken(async () => undefined);
    if ('stored' in before) return answerOf(before.stored, true);
    const found = await read({ schemas: [...table.schemas.keys()], metrics: where.get('metric') ?? [], from, to });
    checkKept(from, found);
    const charged = await storedOrTaken((transaction) =>
      transaction.append(asked.analyst, entryOf(asked, resolved, 'charge', { from, to, cost: costJson(resolved.cost) })),
    );
    if ('stored' in charged) return answerOf(charged.stored, true);
    const charge = charged.taken.n;
    try {
      const results = await measuring.measure(resolved, found.rows).catch(hideCause);
      const body: StoredAnswer = { ...aboutOf(resolved), results, openDays: openDaysIn(resolved, now()) };
      const answer = { ...body, charge } as unknown as Json;
      return answerOf(
        await insist(ledger, (transaction) => transaction.append(asked.analyst, entryOf(asked, resolved, 'answer', answer))),
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
function resolveFor({ catalog, question }: Asked, { table }: Pick<Budgets, 'table'>): Resolved {
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

/** Charge of a question. */
const dueOf = ({ analyst }: Asked, { from, to, cost, table }: Resolved): Due => ({
  ...{ what: 'question', app: table.app, analysts: [analyst] },
  ...{ from, to, cost },
});

/** @throws {OverBudget} when a question does not fit, with what is left */
const check = async (ledger: LedgerTransaction, asked: Asked, resolved: Resolved): Promise<void> =>
  checkBudgets(await budgetsOf(ledger, resolved.table.app), dueOf(asked, resolved));
