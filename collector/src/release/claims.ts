/**
 * Election of the process that answers a question, or opens a stream, that several are asked for: the one with the first charge. A charge
 * without an answer is a claim. The others wait for its answer instead of charging again. A process that ended between charge and answer
 * leaves a claim behind, so claims hold for a short time only, by the clock of the ledger, which all processes share. Nobody waits longer
 * than that time either.
 */

import { setTimeout } from 'node:timers/promises';
import type { Ledger, LedgerTransaction } from '../storage/release-ledger.ts';
import type { Participation, WantedRows } from './table/participation.ts';

/** Milliseconds for which a charge without an answer is waited for. A measurement takes less, and its thread is ended then. */
export const PATIENCE = 30_000;

/** Milliseconds between two looks. */
const PAUSE = 100;

/** Parts of releases and of streams. */
export interface ClaimingParts {
  readonly ledger: Ledger;
  /** Reads rows of a table. */
  readonly read: (wanted: WantedRows) => Promise<Participation>;
  /** Milliseconds for which another process that was charged for the same is waited for; PATIENCE by default. */
  readonly patience?: number;
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: () => number;
}

/** Subject of a claim. */
export interface Wanted {
  readonly app: string;
  /** Left out where several analysts are charged together. */
  readonly analyst?: string;
  readonly question: string;
  /** The kind of the entry that a charge is for. It names the charge, or the first of those that are charged together. */
  readonly kind: 'answer' | 'stream';
}

/** True if another process has charged for a question a short while ago and may still answer it. */
async function isClaimed(ledger: LedgerTransaction, wanted: Wanted, patience: number, dead: ReadonlySet<number>): Promise<boolean> {
  const { kind, analyst, ...rest } = wanted;
  const charges = await ledger.find({ ...rest, ...(analyst !== undefined && { analyst }), kind: 'charge' });
  const answers = await ledger.find({ ...rest, ...(analyst !== undefined && { analyst }), kind });
  const answered = new Set(answers.map(({ body }) => (body as { readonly charge: number }).charge));
  return charges.some(({ n, at, body }) => {
    const { shared: charge = n } = body as { readonly shared?: number };
    return !answered.has(charge) && !dead.has(charge) && Math.abs(ledger.now - Date.parse(at)) < patience;
  });
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
export async function storedOr<S, T>(
  { ledger, patience, dead }: Claiming,
  wanted: Wanted,
  stored: (ledger: LedgerTransaction) => Promise<S | undefined>,
  take: (ledger: LedgerTransaction) => Promise<T>,
): Promise<{ readonly stored: S } | { readonly taken: T }> {
  const until = performance.now() + patience;
  for (;;) {
    const found = await ledger.transact(async (transaction) => {
      const known = await stored(transaction);
      if (known !== undefined) return { stored: known };
      if (performance.now() < until && (await isClaimed(transaction, wanted, patience, dead))) return undefined;
      return { taken: await take(transaction) };
    });
    if (found !== undefined) return found;
    await setTimeout(PAUSE);
  }
}
