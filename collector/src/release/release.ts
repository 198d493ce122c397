/**
 * Asks a question: finds the stored answer, or charges for a new one. The order is what the promise rests on:
 *
 * 1. The question is checked, and refused if it does not fit the budgets. No row has been read then.
 * 2. The rows are read. If that fails, nothing is spent.
 * 3. The charge is written, unless another one has taken the rest of a budget meanwhile. It is durable before anything is drawn.
 * 4. The noise is drawn, and the answer is written. Only a written answer leaves this module.
 *
 * A crash between 3 and 4 leaves a charge without an answer. Asking again is charged again.
 */

import { canonicalJson, type Json } from '@murmuration/shared';
import type { Catalog } from '../schemas/catalog.ts';
import { type Answer, aboutOf, answerOf, isEnough, type Preview, type StoredAnswer } from './answer.ts';
import { type Budgets, budgetsOf, costJson, limitText } from './budget/budgets.ts';
import type { Entry, Ledger, LedgerTransaction } from './budget/ledger.ts';
import { checkBudgets, type Due, tightest } from './budget/limits.ts';
import type { Random } from './mechanisms/random.ts';
import { measureAll, prepare } from './query/measure.ts';
import type { Prepared } from './query/measured.ts';
import type { Question } from './query/question.ts';
import { type Resolved, resolve } from './query/resolve.ts';
import { tableOf } from './table/columns.ts';
import { checkKept, type Participation, type WantedRows } from './table/participation.ts';

/** What releases are made of. */
export interface ReleaseParts {
  readonly ledger: Ledger;
  /** Reads rows of a table. */
  readonly read: (wanted: WantedRows) => Promise<Participation>;
  readonly random: Random;
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

  constructor(parts: ReleaseParts) {
    this.#parts = parts;
  }

  /** What a question would cost, and the error to expect. Spends nothing. @throws {RangeError} when it does not fit the table */
  preview(asked: Asked): Promise<Preview> {
    const { analyst, catalog, question } = asked;
    return this.#parts.ledger.transact(async (ledger) => {
      const budgets = await budgetsOf(ledger, question.app);
      const { resolved, prepared } = prepareFor(catalog, question, budgets);
      const left = budgets.analysts.has(analyst) ? tightest(budgets, dueOf(asked, resolved)) : undefined;
      return {
        ...aboutOf(resolved),
        errors: prepared.map(({ answer: _answer, ...rest }) => rest),
        ...(left && { left: limitText(left) }),
      };
    });
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
    const { ledger, random } = this.#parts;
    const first = await ledger.transact(async (transaction) => {
      const found = prepareFor(asked.catalog, asked.question, await budgetsOf(transaction, asked.question.app));
      const stored = await storedOf(transaction, asked, found.resolved);
      if (stored === undefined) await check(transaction, asked, found.resolved);
      return { ...found, stored };
    });
    const { resolved, prepared, stored } = first;
    if (stored !== undefined) return answerOf(stored, true);
    const { from, to, where, table } = resolved;
    const schemas = [...table.schemas.keys()];
    const read = await this.#parts.read({ schemas, metrics: where.get('metric') ?? [], from, to });
    checkKept(from, read);
    const charge = await ledger.transact(async (transaction) => {
      const meanwhile = await storedOf(transaction, asked, resolved);
      if (meanwhile !== undefined) return meanwhile;
      await check(transaction, asked, resolved);
      return transaction.append(asked.analyst, entryOf(asked, resolved, 'charge', { from, to, cost: costJson(resolved.cost) }));
    });
    if (charge.kind === 'answer') return answerOf(charge, true);
    const body: StoredAnswer = {
      ...aboutOf(resolved),
      results: measured(() => measureAll(resolved, prepared, read.rows, random)),
      openDays: Math.max(0, to + 1 - Math.max(from, read.closedBefore)),
    };
    const answer = { ...body, charge: charge.n } as unknown as Json;
    return answerOf(
      await ledger.transact((transaction) => transaction.append(asked.analyst, entryOf(asked, resolved, 'answer', answer))),
      false,
    );
  }
}

/** Makes measurements. An error says nothing of its cause, which could name a secret number. The charge stays. */
function measured<T>(measure: () => T): T {
  try {
    return measure();
  } catch {
    throw new Error('the measurements failed after they were charged');
  }
}

/** Checks a question against its table. @throws {RangeError} */
function prepareFor(
  catalog: Catalog,
  question: Question,
  { table }: Budgets,
): { readonly resolved: Resolved; readonly prepared: readonly Prepared[] } {
  const columns = tableOf(catalog, question.app);
  if (table === undefined)
    throw new RangeError(`app: expected an app whose table has a budget, as release budget sets it, got ${question.app}`);
  const resolved = resolve(columns, question, table.batchesPerDay);
  return { resolved, prepared: prepare(resolved) };
}

const entryOf = ({ analyst }: Asked, { table, key }: Resolved, kind: 'charge' | 'answer', body: Json) =>
  ({ kind, app: table.app, analyst, question: key, body }) as const;

/** The newest stored answer to the same question of the same analyst, if it is exact enough and no new one is wanted. */
async function storedOf(ledger: LedgerTransaction, { analyst, again }: Asked, resolved: Resolved): Promise<Entry | undefined> {
  if (again) return undefined;
  const stored = await ledger.find({ question: resolved.key, app: resolved.table.app, analyst, kind: 'answer' });
  return stored.filter((entry) => isEnough(entry, resolved)).at(-1);
}

/** What a question would be charged. */
const dueOf = ({ analyst }: Asked, { from, to, cost, table }: Resolved): Due => ({
  ...{ what: 'question', app: table.app, analysts: [analyst] },
  ...{ from, to, cost },
});

/** @throws {OverBudget} when a question does not fit, with what is left */
const check = async (ledger: LedgerTransaction, asked: Asked, resolved: Resolved): Promise<void> =>
  checkBudgets(await budgetsOf(ledger, resolved.table.app), dueOf(asked, resolved));
