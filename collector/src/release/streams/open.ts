/** Opens a stream. The order is what the promise rests on; streams.ts says why. */

import type { Json } from '@murmuration/shared';
import { insist, type LedgerTransaction } from '../../storage/release-ledger.ts';
import { budgetsOf, costJson, OPENING, tableIn } from '../budget/budgets.ts';
import { checkBudgets, type Due } from '../budget/limits.ts';
import { PATIENCE, storedOr } from '../claims.ts';
import { checkKept, openDaysIn, type Participation } from '../table/participation.ts';
import { countsOf } from './cells.ts';
import { drawThreshold, totalNoise } from './design.ts';
import { type Opening, type ResolvedOpening, resolveOpening } from './opening.ts';
import { type StreamParts, type StreamSecret, unnamed } from './parts.ts';
import { designOptionsOf, hashed, type Stream, type StreamAbout, stateFor, streamsIn } from './stream.ts';

/** A stream that is to be opened. */
export interface ToOpen extends Opening {
  /** Name of the person who opens it, for the ledger and the log. */
  readonly who: string;
  /** Opens and charges another one, even if there is the same already. */
  readonly again?: boolean;
}

/** A stream, and whether it was opened before and so cost nothing now. */
export type Opened = Stream & { readonly isRepeated: boolean };

/** A released number of records is at most this, which is above what `about` can be. */
const MOST_TOTAL = 2 ** 31;

/** What a stream's entry and its charges have as their question: it is the same for streams of the same analysts, table and cost. */
const openingNameOf = (about: StreamAbout): string => `${OPENING}${hashed(about as unknown as Json)}`;

/** An open stream that is the same. */
const sameIn = async (ledger: LedgerTransaction, app: string, question: string): Promise<Stream | undefined> =>
  (await streamsIn(ledger, { app, question })).map(({ stream }) => stream).find(({ ended }) => ended === undefined);

/** Charges each analyst, in entries that say that they are for one stream. */
async function charge(ledger: LedgerTransaction, who: string, question: string, due: Due): Promise<number> {
  const shared = (await ledger.head()).n + 1;
  const body = { from: due.from, to: due.to, cost: costJson(due.cost), shared };
  for (const analyst of due.analysts) await ledger.append(who, { kind: 'charge', app: due.app, analyst, question, body });
  return shared;
}

/** Draws the number of records and the threshold. */
const draw = ({ resolved, about }: ResolvedOpening, { rows }: Participation, { random }: StreamParts) =>
  unnamed(() => {
    const options = designOptionsOf(about);
    const counts = countsOf(resolved, about.columns, rows);
    const records = counts.reduce((sum, [, count]) => sum + count, 0);
    const released = totalNoise(options).release(records, random);
    const secret: StreamSecret = { threshold: drawThreshold(options, about, random), counts };
    return { total: Math.min(MOST_TOTAL, Math.max(1, released)), secret: JSON.stringify(secret) };
  });

/** Opens a stream, or finds the same one that is open. `failed` has the charges of streams that could not be opened here. */
export async function open(parts: StreamParts, opening: ToOpen, failed: Set<number>): Promise<Opened> {
  const { ledger, patience = PATIENCE, now = Date.now } = parts;
  const { who, again = false, request } = opening;
  const first = await ledger.transact(async (transaction) => resolveOpening(opening, { table: await tableIn(transaction, request.app) }));
  const { resolved, about, due } = first;
  const { app } = about;
  const { from, to, where, table } = resolved;
  const question = openingNameOf(about);
  const sameOrTaken = <T>(take: (transaction: LedgerTransaction) => Promise<T>) =>
    storedOr(
      { ledger, patience: again ? 0 : patience, dead: failed },
      { app, question, kind: 'stream' },
      async (transaction) => (again ? undefined : sameIn(transaction, app, question)),
      async (transaction) => {
        checkBudgets(await budgetsOf(transaction, app), due);
        return take(transaction);
      },
    );
  const before = await sameOrTaken(async () => undefined);
  if ('stored' in before) return { ...before.stored, isRepeated: true };
  const read = await parts.read({ schemas: [...table.schemas.keys()], metrics: where.get('metric') ?? [], from, to });
  checkKept(from, read);
  const charged = await sameOrTaken((transaction) => charge(transaction, who, question, due));
  if ('stored' in charged) return { ...charged.stored, isRepeated: true };
  try {
    const { total, secret } = draw(first, read, parts);
    const body = { ...about, total, openDays: openDaysIn(resolved, now()), charge: charged.taken } as unknown as Json;
    return await insist(ledger, async (transaction) => {
      const { n } = await transaction.append(who, { kind: 'stream', app, analyst: '', question, body });
      await transaction.secrets.keep(n, secret);
      await transaction.log(who, `opened stream ${n} of ${app} for ${about.analysts.join(', ')}`, app);
      return { ...(await stateFor(transaction, { apps: [] }, n)).stream, isRepeated: false };
    });
  } catch (error) {
    failed.add(charged.taken);
    throw error;
  }
}
