/**
 * Contents of a page's `localStorage`. Randomized answers wait there until a transaction has claimed their slots; nothing is sent from here,
 * so a stale or lost spill can lose an answer, but can never spend ε twice. Two numbers outlive a deleted ledger: that of the decisions so
 * far, with the last refusal (ledger/decision.ts), and the last day on which a slot was claimed.
 */

import type { Storage } from './adapters/storage.ts';
import { mark } from './ledger/decision.ts';
import { attempt } from './maybe.ts';
import type { Entry } from './slots.ts';

export interface Spill {
  /**
   * Keeps the first answer of a slot, claimed or not, of whatever version. Later ones are dropped, whatever they say: each would be another
   * randomization of what may be the same value.
   *
   * @param days the length of a slot; of a permanent metric, the days for which one symbol is all that is spent
   */
  readonly keep: (answer: Entry, days: number) => void;
  /** Drops an answer. The day remains. */
  readonly drop: (answer: Entry) => void;
  readonly answers: () => readonly Entry[];
  /** The last refusal, or that there was a later decision. */
  readonly decision: () => number;
  /** Remembers a decision if it is the last one. */
  readonly decide: (decision: number) => void;
  /** The last day on which a slot was claimed, in days since 1970-01-01; 0 if none is known. */
  readonly spent: () => number;
  /** Remembers such a day if it is the last one. */
  readonly spend: (day: number) => void;
}

export function createSpill({ spill }: Storage, name: string): Spill {
  const answers = `${name}:answer:`;
  const consent = `${name}:consent`;
  const spent = `${name}:spent`;
  const read = (key: string): unknown => attempt(() => JSON.parse(spill?.getItem(key) ?? 'null'));
  const write = (key: string, value: unknown): unknown => attempt(() => spill?.setItem(key, JSON.stringify(value)));
  const keyOf = ({ place }: Entry): string => answers + place;
  const at = (answer: Entry): Partial<Entry> => Object(read(keyOf(answer)));
  /** A number that can still grow: whatever else stands there counts as 0. */
  const numberAt = (key: string): number => (read(key) as number) & (-1 >>> 2);
  const raise = (key: string, value: number): unknown => value > numberAt(key) && write(key, value);
  return {
    // Where a clock gives no number no answer can be claimed, and so none is kept.
    keep: (answer, days) => !(answer.day > 0) || (at(answer).day as number) + days > answer.day || write(keyOf(answer), answer),
    drop: (answer) => at(answer).id === answer.id && write(keyOf(answer), { day: answer.day }),
    answers: () =>
      attempt(() =>
        // Sorted, because browsers may reorder them with each key that is added, also that of a hidden record.
        Array.from({ length: spill?.length ?? 0 }, (_, i) => spill?.key(i) ?? '')
          .sort()
          .flatMap((key) => {
            const answer = (key.startsWith(answers) && read(key)) as Entry | undefined;
            return answer?.id && keyOf(answer) === key ? [answer] : []; // the key may hold anything
          }),
      ) ?? [],
    decision: () => numberAt(consent),
    decide: (decision) => raise(consent, mark(decision)),
    spent: () => numberAt(spent),
    spend: (day) => raise(spent, day),
  };
}
