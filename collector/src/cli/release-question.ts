/** The options of `murmuration release ask`, and the question that they make. */

import { readFileSync } from 'node:fs';
import { UsageError, unreadBecause } from '../base/usage.ts';
import { type Measure, parseQuestion, type Question } from '../release/query/question.ts';
import type { AdminPlace } from './admin.ts';

/** First and last day. */
export type DayRangeText = readonly [from: string, to: string];

/** The options of `ask`. */
export interface AskOptions extends AdminPlace {
  readonly schema?: string[];
  readonly analyst: string;
  readonly question?: string;
  readonly app?: string;
  readonly from?: string;
  readonly to?: string;
  readonly where: { readonly [column: string]: readonly string[] };
  readonly groupBy?: string[];
  readonly count?: boolean;
  readonly sum?: string;
  readonly low?: number;
  readonly high?: number;
  readonly median?: string;
  readonly mostUsed?: string;
  readonly days?: boolean;
  readonly range?: readonly DayRangeText[];
  readonly synthetic?: string[];
  readonly share?: AskOptions['where'];
  readonly association?: string[];
  readonly about?: number;
  readonly out?: string;
  readonly epsilon?: string;
  readonly again?: boolean;
  readonly preview?: boolean;
  readonly json?: boolean;
}

/** An option that adds a value to those of a column. */
export const valueOption =
  (option: string) =>
  (text: string, before: AskOptions['where'] = {}): AskOptions['where'] => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new UsageError(`${option}: expected column=value, got ${JSON.stringify(text)}`);
    return { ...before, [name]: [...(Object.hasOwn(before, name) ? (before[name] ?? []) : []), value] };
  };

/** Adds a range of days, such as 2026-11-01..2026-11-05. */
export function rangeOption(text: string, before: readonly DayRangeText[] = []): readonly DayRangeText[] {
  const [, from, to] = /^([\d-]+)\.\.([\d-]+)$/.exec(text) ?? [];
  if (from === undefined || to === undefined)
    throw new UsageError(`--range: expected two days such as 2026-11-01..2026-11-05, got ${JSON.stringify(text)}`);
  return [...before, [from, to]];
}

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`${name}: expected it, or a --question, got neither`);
  return value;
}

/** What is expected of an option beside another. */
function aboutOf(option: string, { about }: AskOptions): number {
  if (about === undefined)
    throw new UsageError(`${option}: expected --about, how many reports you expect, for the error to be stated, got none`);
  return about;
}

/** @throws {UsageError} when values of several columns are named */
function shareOf(share: AskOptions['where']): readonly [column: string, values: readonly string[]] {
  const [first, ...others] = Object.entries(share);
  if (first === undefined || others.length > 0)
    throw new UsageError(`--share: expected values of one column, got ${Object.keys(share).join(', ')}`);
  return first;
}

/** The measurement that options ask for. @throws {UsageError} */
function measureOf(options: AskOptions): Measure {
  const { count, sum, low, high, median, mostUsed, days, synthetic, share, association, groupBy } = options;
  const epsilon = required('--epsilon', options.epsilon);
  const asked = [count, sum, median, mostUsed, days, synthetic, share, association].filter((each) => each !== undefined).length;
  if (asked !== 1)
    throw new UsageError(
      `expected one of --count, --sum, --median, --most-used, --days, --synthetic, --share and --association, got ${asked === 0 ? 'none' : asked}`,
    );
  const grouped = groupBy && { groupBy };
  if (grouped && count === undefined && sum === undefined && share === undefined)
    throw new UsageError('--group-by: expected --count, --sum or --share with it, got another');
  if (days) return { kind: 'days', epsilon };
  if (synthetic !== undefined) return { kind: 'synthetic', epsilon, columns: synthetic, about: aboutOf('--synthetic', options) };
  if (association !== undefined) return { kind: 'association', epsilon, columns: association, about: aboutOf('--association', options) };
  if (share !== undefined) {
    const [column, values] = shareOf(share);
    return { kind: 'share', epsilon, column, values, ...grouped, about: aboutOf('--share', options) };
  }
  if (mostUsed !== undefined) return { kind: 'mostUsed', epsilon, column: mostUsed };
  if (median !== undefined) return { kind: 'median', epsilon, column: median };
  if (sum === undefined) return { kind: 'count', epsilon, ...grouped };
  if (low === undefined || high === undefined)
    throw new UsageError('--sum: expected --low and --high, since no noise covers one report of a sum without bounds, got none');
  return { kind: 'sum', epsilon, column: sum, low, high, ...grouped };
}

/** The question of the options. @throws {UsageError} */
export function questionOf(options: AskOptions): Question {
  const { question: file, app, from, to, where } = options;
  if (file === undefined) {
    const first = required('--from', from);
    return { app: required('--app', app), from: first, to: to ?? first, where, measures: [measureOf(options)] };
  }
  try {
    return parseQuestion(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new UsageError(`--question ${file}: ${unreadBecause(error)}`);
  }
}
