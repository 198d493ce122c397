/**
 * From a randomized answer to a report in the outbox. No value is known here, so nothing here can depend on one: a slot is
 * claimed by the calendar, and the days on which a report may leave are drawn by coins.
 */

import { DAYS, type MetricDocument, type SchemaDocument, toBase64url } from '@murmuration/shared';
import { claim, nextDay } from './ledger/ledger.ts';
import type { State } from './ledger/state.ts';
import { attempt } from './maybe.ts';
import type { Outbox, Report } from './outbox.ts';
import type { DeviceQuestions } from './questions.ts';
import type { Coins } from './random/coins.ts';
import type { Outcome } from './types.ts';

/** The most days that `later` draws from. */
const LATER = 30;

/** A device's slots. */
export interface Slots {
  /** Takes a randomized answer; says why not, where it does not. Throws what the coins throw, and nothing is changed then. */
  readonly answer: (name: string, symbol: Uint8Array) => Outcome['result'] | undefined;
  /**
   * Begins the slots of metrics with `otherwise`. Their report is made here and waits for the slot's end; an answer takes its place. So
   * whether one was recorded is as well randomized as what was.
   */
  readonly begin: () => void;
}

/** What slots work on. */
export interface SlotParts {
  readonly schema: Pick<SchemaDocument, 'metrics' | 'budget'>;
  readonly questions: DeviceQuestions;
  /** Whether reports wait for a random day of the next slot. */
  readonly isLater: boolean;
  readonly state: State;
  readonly outbox: Outbox;
  readonly coins: Coins;
  /** Moves the state's day on, and returns it. */
  readonly today: () => number;
  /** A metric's value as a symbol, or why not. */
  readonly randomize: (name: string, value: unknown) => Uint8Array | Outcome['result'];
  /** Told of each report that the next write must hold, and whether it may be sent today. */
  readonly keep: (report: Report, isDue: boolean) => void;
}

export function createSlots({ schema, questions, isLater, state, outbox, coins, today, randomize, keep }: SlotParts): Slots {
  const { metrics, budget } = schema;

  /** The report of a symbol: itself, or the instantaneous response to the one that an epoch keeps. */
  const reportOf = (name: string, { law }: MetricDocument, symbol: Uint8Array, epoch: string | undefined, since?: number): Report => {
    const bytes = epoch === undefined ? symbol : questions[name]?.respondStored?.(law, epoch, coins);
    return [name, [...(bytes as Uint8Array)], since];
  };

  const take = (name: string, metric: MetricDocument, symbol: Uint8Array, otherwise?: true): Outcome['result'] | undefined => {
    const day = today();
    const account = claim(name, metric, state.accounts, toBase64url(symbol), day, budget);
    if (typeof account === 'string') return account;
    const report = reportOf(name, metric, symbol, account.epoch?.symbol, otherwise && day);
    const slot = DAYS[metric.every];
    const most = Math.min(slot, LATER);
    const wait = (otherwise ? slot : isLater ? most : 0) + (isLater ? coins.uniform(most) : 0);
    outbox.put(report, day + wait);
    state.accounts[name] = account;
    keep(report, wait === 0);
    return undefined;
  };

  const replace = (name: string, metric: MetricDocument, symbol: Uint8Array): Outcome['result'] | undefined => {
    const account = state.accounts[name];
    const otherwise = account && today() < account.day + DAYS[metric.every] && outbox.otherwise(name, account.day);
    if (!otherwise) return 'already-answered';
    // Where an epoch began with this slot, the answer is the epoch's.
    const epoch = account.epoch && { ...account.epoch, ...(account.epoch.day === account.day && { symbol: toBase64url(symbol) }) };
    const report = reportOf(name, metric, symbol, epoch?.symbol);
    outbox.replace(otherwise, report);
    state.accounts[name] = { ...account, ...(epoch && { epoch }) };
    keep(report, false);
    return undefined;
  };

  return {
    answer: (name, symbol) => {
      const metric = metrics[name] as MetricDocument;
      return (metric.otherwise === undefined ? take : replace)(name, metric, symbol);
    },
    begin: () => {
      for (const [name, metric] of Object.entries(metrics)) {
        if (metric.otherwise === undefined || nextDay(metric, state.accounts[name], today(), budget) > state.day) continue;
        attempt(() => {
          const symbol = randomize(name, metric.otherwise);
          if (typeof symbol !== 'string') take(name, metric, symbol, true);
        });
      }
    },
  };
}
