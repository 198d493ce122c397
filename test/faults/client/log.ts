/** What one page was asked and told, and has said: by this its writes and uploads are judged. */

import type { Outcome } from '@murmuration/client';
import type { Writer } from './books.ts';
import type { Manners } from './manners.ts';

/** Outcomes that a record may have, and other things too. */
const AMBIGUOUS: readonly Outcome['result'][] = ['expired', 'storage-failed'];
/** Outcomes that no record has. */
const OTHERS: readonly Outcome['result'][] = ['begun', 'consent-changed', 'delivered', 'dropped', 'refused', 'storage-reset'];

export interface Log extends Writer {
  /** What was recorded before this may not be sent any more. */
  readonly refusedAt: () => number;
  /** What the person decided last, as far as this page can know. */
  readonly told: () => 'granted' | 'denied' | undefined;
  /** What is wrong with the number of outcomes, if anything is. */
  readonly miscounted: () => string | undefined;
  /** A metric is recorded here. */
  readonly records: (metric: string) => void;
  /** The person decides here. */
  readonly decides: (text: string) => void;
  /** The page hears what the person decided. */
  readonly hears: (text: string) => void;
  /** A decision is stored. Whether anybody has decided that. */
  readonly decided: (text: string) => boolean;
  /** The page can't know of what was refused before it began, unless that was obeyed by this moment. */
  readonly unread: (obeyed: number) => void;
  /** The page has read the ledger. */
  readonly opened: () => void;
  readonly said: (outcome: Outcome) => void;
  /** All is written that has happened. */
  readonly quiet: () => void;
}

/**
 * @param now the next moment, in the order of records and refusals
 * @param decision what is stored of the person's decision
 * @param refused the moment of the last refusal that it must obey
 * @param mayErase the moment of the last that it may obey
 */
export function createLog(now: () => number, manners: Manners, decision: string | null, refused: number, mayErase: number): Log {
  const recorded = new Map<string, number>();
  const failed = new Map<string, number>();
  const excuses: string[] = [];
  const owed: string[] = []; // decisions that are still to be stored
  let together: string[] = []; // metrics recorded since all was written
  let quietAt = mayErase;
  let refusedAt = refused;
  let erasedAt = mayErase;
  let wasReset = decision === 'forgotten';
  let isDenied = decision !== null && decision !== 'granted';
  let told: 'granted' | 'denied' | undefined;
  let [asked, answered, perhaps] = [0, 0, 0];
  /** Takes one of its kind out of a list, if it is there. */
  const remove = (list: string[], one: string): boolean => {
    const at = list.indexOf(one);
    if (at >= 0) list.splice(at, 1);
    return at >= 0;
  };
  const hears = (text: string): void => {
    told = text === 'granted' ? text : 'denied';
    manners.hasReason();
    wasReset ||= text === 'forgotten';
    if (told === 'granted') return;
    isDenied = true;
    refusedAt = now();
    erasedAt = refusedAt;
  };

  return {
    quietAt: () => quietAt,
    refusedAt: () => refusedAt,
    mayErase: () => erasedAt,
    recordedAt: (metric) => recorded.get(metric),
    // Of several that waited for the storage together one may have failed, and another not.
    failedAt: (metric) => (together.filter((other) => other === metric).length > 1 ? 0 : (failed.get(metric) ?? 0)),
    wasReset: () => wasReset,
    excuse: (metric) => remove(excuses, metric),
    told: () => told,
    // What a refusal erases says nothing.
    miscounted: () =>
      answered > asked || (answered + perhaps < asked && !isDenied) ? `${asked} records, ${answered} outcomes` : undefined,
    records: (metric) => {
      asked++;
      manners.hasReason();
      recorded.set(metric, now());
      together.push(metric);
    },
    decides: (text) => {
      owed.push(text);
      hears(text);
    },
    hears,
    decided: (text) => remove(owed, text) || (text === 'denied' && told !== 'granted'),
    unread: (obeyed) => {
      refusedAt = obeyed;
    },
    opened: () => {
      // It can't know whether the page that held the ledger has heard of a refusal, and erases what it finds.
      if (isDenied) erasedAt = Number.POSITIVE_INFINITY;
    },
    said: ({ metric = '', result }) => {
      if (result === 'expired') manners.expired();
      if (result === 'storage-failed') failed.set(metric, now());
      if (result === 'storage-reset') {
        wasReset = true;
        erasedAt = now();
      }
      if (['expired', 'dropped', 'storage-failed'].includes(result)) excuses.push(metric);
      if (AMBIGUOUS.includes(result)) perhaps++;
      else if (!OTHERS.includes(result)) answered++;
    },
    quiet: () => {
      quietAt = now();
      erasedAt = Math.min(erasedAt, quietAt);
      together = [];
    },
  };
}
