/** What a stream would be, checked against its table before any row is read. */

import { dayText } from '@murmuration/shared';
import type { Catalog } from '../../schemas/catalog.ts';
import { aboutOf } from '../answer.ts';
import { amountText, compare, parseAmount } from '../budget/amount.ts';
import type { Budgets } from '../budget/budgets.ts';
import type { Due } from '../budget/limits.ts';
import { type Columns, cellsOf } from '../mechanisms/synthetic.ts';
import { type Resolved, resolve } from '../query/resolve.ts';
import { DAY, tableOf } from '../table/columns.ts';
import { type DesignOptions, designOf } from './design.ts';
import { MOST_ABOUT, MOST_QUERIES, type StreamRequest } from './request.ts';
import type { StreamAbout } from './stream.ts';

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
  const { question, ...costs } = aboutOf(resolved);
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
      ...{ epsilon, queries, about, ...costs, ...designOf(options) },
    },
    due: { what: 'stream', app, analysts: names, from: resolved.from, to: resolved.to, cost: resolved.cost },
  };
}
