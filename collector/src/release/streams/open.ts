/** Opens a stream. The order is what the promise rests on; streams.ts says why. */

import { dayText, type Json, ratio } from '@murmuration/shared';
import type { Catalog } from '../../schemas/catalog.ts';
import { insist, type LedgerTransaction } from '../../storage/release-ledger.ts';
import { aboutOf, perDevice } from '../answer.ts';
import { amountText, compare, parseAmount } from '../budget/amount.ts';
import { type Budgets, budgetsOf, costJson, OPENING, tableIn } from '../budget/budgets.ts';
import { checkBudgets, type Due } from '../budget/limits.ts';
import { PATIENCE, storedOr } from '../claims.ts';
import { pure } from '../mechanisms/mechanism.ts';
import { type Columns, cellsOf } from '../mechanisms/queries.ts';
import { type Resolved, resolve } from '../query/resolve.ts';
import { DAY, tableOf } from '../table/columns.ts';
import { checkKept, openDaysIn, type Participation } from '../table/participation.ts';
import { type DesignOptions, designOf, drawThreshold, totalNoise } from './design.ts';
import { MOST_ABOUT, MOST_QUERIES, type StreamRequest } from './request.ts';
import { countsOf, type StreamParts, type StreamSecret, unnamed } from './sessions.ts';
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

/** Question of a stream's entry and of its charges. It is the same for streams of the same analysts, table and cost. */
const openingNameOf = (about: StreamAbout): string => `${OPENING}${hashed(about as unknown as Json)}`;

/** An open stream that is the same. */
async function sameIn(ledger: LedgerTransaction, app: string, names: readonly string[]): Promise<Stream | undefined> {
  for (const question of names) {
    const same = (await streamsIn(ledger, { app, question })).map(({ stream }) => stream).find(({ ended }) => ended === undefined);
    if (same !== undefined) return same;
  }
  return undefined;
}

/** The name of the same stream if it was opened while every ε was charged as ε²/2 to a budget in ρ. */
function formerNameOf(about: StreamAbout): string {
  const { numerator, denominator } = parseAmount(about.epsilon, 'epsilon');
  const cost = { epsilon: { numerator, denominator }, rho: ratio(numerator ** 2n, 2n * denominator ** 2n) };
  return openingNameOf({ ...about, cost: costJson(cost), perDevice: perDevice(cost, about.days) });
}

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
      async (transaction) => (again ? undefined : sameIn(transaction, app, [question, formerNameOf(about)])),
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

// The stream that an opening asks for, checked against its table before any row is read.

/** A table of more cells would take the collector too long. */
const MOST_CELLS = 100_000;
/** A smaller ε tells nothing with so many draws. */
const LEAST_EPSILON = { numerator: 1n, denominator: 1_000n };

/** A request of some analysts. */
export interface Opening {
  /** Each of them may ask, and is charged. */
  readonly analysts: readonly string[];
  /** Has all versions of the app. */
  readonly catalog: Catalog;
  readonly request: StreamRequest;
}

/** A request that fits its table. */
export interface ResolvedOpening {
  readonly resolved: Resolved;
  readonly about: StreamAbout;
  readonly due: Due;
}

function columnsOf({ table, where, from, to }: Resolved, names: readonly string[]): Columns {
  const columns = [...new Set(names)].sort().map((name) => {
    if (name === DAY) return { name, values: Array.from({ length: to - from + 1 }, (_, i) => dayText(from + i)) };
    const values = where.get(name);
    if (values === undefined)
      throw new RangeError(
        `columns: expected some of ${[...table.columns.keys(), DAY].join(', ')}, got ${JSON.stringify(name.slice(0, 80))}`,
      );
    return { name, values };
  });
  if (columns.length === 0) throw new RangeError('columns: expected at least one column, got none');
  if (cellsOf(columns) > MOST_CELLS) throw new RangeError(`columns: expected at most ${MOST_CELLS} cells, got ${cellsOf(columns)}`);
  return columns;
}

/** Whatever way a request has come: a stream that was charged with other numbers could not answer. @throws {RangeError} */
function checkNumbers({ about, queries, hard }: StreamRequest): void {
  const limits = { about: [about, MOST_ABOUT], queries: [queries, MOST_QUERIES], hard: [hard ?? 1, MOST_QUERIES] } as const;
  for (const [name, [value, most]] of Object.entries(limits))
    if (!(Number.isInteger(value) && value >= 1 && value <= most))
      throw new RangeError(`${name}: expected a whole number from 1 to ${most}, got ${value}`);
}

/** Checks a request against its table, and designs the stream. @throws {RangeError} */
export function resolveOpening({ analysts, catalog, request }: Opening, { table }: Pick<Budgets, 'table'>): ResolvedOpening {
  const { app, from, to, where = {}, queries, about, hard, mechanism } = request;
  checkNumbers(request);
  const columns = tableOf(catalog, app);
  if (table === undefined) throw new RangeError(`app: expected an app whose table has a budget, as release budget sets it, got ${app}`);
  if (analysts.length === 0) throw new RangeError('analysts: expected at least one analyst, got none');
  const spent = parseAmount(request.epsilon, 'epsilon');
  if (compare(spent, LEAST_EPSILON) < 0)
    throw new RangeError(`epsilon: expected at least ${amountText(LEAST_EPSILON)}, got ${amountText(spent)}`);
  const epsilon = amountText(spent);
  const resolved = resolve(columns, { app, from, to, where, measures: [{ kind: 'count', epsilon }] }, table.batchesPerDay);
  const { question, bound, days } = aboutOf(resolved);
  // All of a stream's draws together are one mechanism of this ε.
  const cost = pure(spent);
  const cells = columnsOf(resolved, request.columns);
  const options: DesignOptions = {
    ...{ epsilon: spent, sensitivity: resolved.bound, cells: cellsOf(cells), queries, about },
    ...(hard !== undefined && { hard }),
    ...(mechanism !== undefined && { mechanism }),
  };
  const names = [...new Set(analysts)].sort();
  return {
    resolved,
    about: {
      ...{ app, analysts: names, from: question.from, to: question.to, where: question.where ?? {}, columns: cells },
      ...{ epsilon, queries, about, bound, days, cost: costJson(cost), perDevice: perDevice(cost, days), ...designOf(options) },
    },
    due: { what: 'stream', app, analysts: names, from: resolved.from, to: resolved.to, cost },
  };
}
