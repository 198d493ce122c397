/** Opens a stream. The order is what the promise rests on; streams.ts says why. */

import { canonicalJson, type Json } from '@murmuration/shared';
import { budgetsOf, costJson } from '../budget/budgets.ts';
import type { LedgerTransaction } from '../budget/ledger.ts';
import { checkBudgets, type Due } from '../budget/limits.ts';
import { checkKept, type Participation } from '../table/participation.ts';
import { countsOf } from './cells.ts';
import { drawThreshold, totalNoise } from './design.ts';
import { type Opening, type ResolvedOpening, resolveOpening } from './opening.ts';
import { type StreamParts, type StreamSecret, unnamed } from './parts.ts';
import { designOptionsOf, type Stream, type StreamAbout, stateIn, streamsIn } from './stream.ts';

/** A stream that is to be opened. */
export interface ToOpen extends Opening {
  /** Who opens it, for the ledger and the log. */
  readonly who: string;
  /** Opens and charges another one, even if there is the same already. */
  readonly again?: boolean;
}

/** A stream, and whether it was opened before and so cost nothing now. */
export type Opened = Stream & { readonly isRepeated: boolean };

/** A released number of records is at most this, which is above what `about` can be. */
const MOST_TOTAL = 2 ** 31;

/** An open stream that is the same: of the same analysts, for the same table and at the same cost. */
async function sameIn(ledger: LedgerTransaction, about: StreamAbout): Promise<Stream | undefined> {
  const names = Object.keys(about) as (keyof StreamAbout)[];
  const textOf = (of: StreamAbout): string => canonicalJson(Object.fromEntries(names.map((name) => [name, of[name]])) as unknown as Json);
  const wanted = textOf(about);
  return (await streamsIn(ledger)).map(({ stream }) => stream).find((stream) => stream.ended === undefined && textOf(stream) === wanted);
}

/** Charges each analyst, in entries that say that they are for one stream. @throws {OverBudget} */
async function charge(ledger: LedgerTransaction, who: string, due: Due): Promise<number> {
  checkBudgets(await budgetsOf(ledger, due.app), due);
  const shared = (await ledger.head()).n + 1;
  const body = { from: due.from, to: due.to, cost: costJson(due.cost), shared };
  for (const analyst of due.analysts) await ledger.append(who, { kind: 'charge', app: due.app, analyst, question: '', body });
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

/** Opens a stream, or finds the same one that is open. */
export async function open(parts: StreamParts, opening: ToOpen): Promise<Opened> {
  const { ledger } = parts;
  const { who, again = false, request } = opening;
  const first = await ledger.transact(async (transaction) => {
    const budgets = await budgetsOf(transaction, request.app);
    const found = resolveOpening(opening, budgets);
    const same = again ? undefined : await sameIn(transaction, found.about);
    if (same === undefined) checkBudgets(budgets, found.due);
    return { ...found, same };
  });
  if (first.same !== undefined) return { ...first.same, isRepeated: true };
  const { resolved, about, due } = first;
  const { from, to, where, table } = resolved;
  const read = await parts.read({ schemas: [...table.schemas.keys()], metrics: where.get('metric') ?? [], from, to });
  checkKept(from, read);
  const shared = await ledger.transact((transaction) => charge(transaction, who, due));
  const { total, secret } = draw(first, read, parts);
  const openDays = Math.max(0, to + 1 - Math.max(from, read.closedBefore));
  return ledger.transact(async (transaction) => {
    const body = { ...about, total, openDays, charge: shared } as unknown as Json;
    const { n } = await transaction.append(who, { kind: 'stream', app: about.app, analyst: '', question: '', body });
    await transaction.secrets.keep(n, secret);
    await transaction.log(who, `opened stream ${n} of ${about.app} for ${about.analysts.join(', ')}`, about.app);
    return { ...(await stateIn(transaction, n)).stream, isRepeated: false };
  });
}
