/**
 * Who answers a question that several processes are asked at once: the one whose charge stands first. A charge without an answer is a claim.
 * The others wait for its answer instead of charging again. A process that ended between charge and answer leaves a claim behind, so claims
 * hold for a short time only. Their age is that of the clock of whoever wrote them, so nobody waits longer than that time either.
 */

import { setTimeout } from 'node:timers/promises';
import type { Entry, Ledger, LedgerTransaction } from './budget/ledger.ts';

/** Milliseconds for which a charge without an answer is waited for. A measurement takes less, and its thread is ended then. */
export const PATIENCE = 30_000;

/** Milliseconds between two looks. */
const PAUSE = 100;

/** What a claim is for. */
export interface Wanted {
  readonly app: string;
  readonly analyst: string;
  readonly question: string;
}

/** Whether another process has charged for a question a short while ago and may still answer it. */
async function isClaimed(ledger: LedgerTransaction, wanted: Wanted, patience: number, dead: ReadonlySet<number>): Promise<boolean> {
  const [charges, answers] = [await ledger.find({ ...wanted, kind: 'charge' }), await ledger.find({ ...wanted, kind: 'answer' })];
  const answered = new Set(answers.map(({ body }) => (body as { readonly charge: number }).charge));
  return charges.some(({ n, at }) => !answered.has(n) && !dead.has(n) && Math.abs(Date.now() - Date.parse(at)) < patience);
}

/** How claims are waited for. */
export interface Claiming {
  readonly ledger: Ledger;
  readonly patience: number;
  /** Charges that are known to stay without an answer. */
  readonly dead: ReadonlySet<number>;
}

/**
 * Finds what is stored, or takes what is not claimed by another process, in one transaction.
 *
 * @param stored finds a stored answer
 * @param take is called where there is none, and nobody is about to write one
 */
export async function storedOr<T>(
  { ledger, patience, dead }: Claiming,
  wanted: Wanted,
  stored: (ledger: LedgerTransaction) => Promise<Entry | undefined>,
  take: (ledger: LedgerTransaction) => Promise<T>,
): Promise<{ readonly stored: Entry } | { readonly taken: T }> {
  const until = Date.now() + patience;
  for (;;) {
    const found = await ledger.transact(async (transaction) => {
      const entry = await stored(transaction);
      if (entry !== undefined) return { stored: entry };
      if (Date.now() < until && (await isClaimed(transaction, wanted, patience, dead))) return undefined;
      return { taken: await take(transaction) };
    });
    if (found !== undefined) return found;
    await setTimeout(PAUSE);
  }
}
