/**
 * Contents of a page's `localStorage`. Randomized answers wait there until a transaction has claimed their slots; nothing is sent from here,
 * so a stale or lost spill can lose an answer, but can never spend ε twice. Two numbers outlive a deleted ledger: that of the decisions so
 * far, with the last refusal (ledger/decision.ts), and the last day on which a slot was claimed.
 */

import type { Spill as Items, Storage } from './adapters/storage.ts';
import { attempt } from './maybe.ts';
import type { Entry } from './slots.ts';

/** A number that never falls: returns it, and raises it to the value if that is greater. */
type Rising = (value?: number) => number;

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
  /** The last refusal, or that there was a later decision. Remembers a mark if it is the last one. */
  readonly decision: Rising;
  /** The last day on which a slot was claimed, in days since 1970-01-01; 0 if none is known. Remembers a day if it is the last one. */
  readonly spent: Rising;
}

export function createSpill({ spill }: Storage, name: string): Spill {
  const answers = `${name}:answer:`;
  const items = spill as Items & ArrayLike<unknown>; // without one, each attempt fails
  const read = (key: string): unknown => attempt(() => JSON.parse(items.getItem(key) as string));
  const write = (key: string, value: unknown): unknown => attempt(() => items.setItem(key, JSON.stringify(value)));
  const keyOf = ({ place }: Entry): string => answers + place;
  const at = (answer: Entry): Partial<Entry> => Object(read(keyOf(answer)));
  const rising =
    (key: string): Rising =>
    (value = 0) => {
      const kept = (read(key) as number) & (-1 >>> 2); // it can still grow: whatever else stands there counts as 0
      if (value > kept) write(key, value);
      return kept;
    };
  return {
    // Where a clock gives no number no answer can be claimed, and so none is kept.
    keep: (answer, days) => !(answer.day > 0) || (at(answer).day as number) + days > answer.day || write(keyOf(answer), answer),
    drop: (answer) => at(answer).id === answer.id && write(keyOf(answer), { day: answer.day }),
    answers: () =>
      attempt(() =>
        // Sorted, because browsers may reorder them with each key that is added, also that of a hidden record.
        Array.from(items, (_, i) => items.key(i) ?? '')
          .sort()
          .flatMap((key) => {
            const answer = (key.startsWith(answers) && read(key)) as Entry | undefined;
            return answer?.id && keyOf(answer) === key ? [answer] : []; // the key may hold anything
          }),
      ) ?? [],
    decision: rising(`${name}:consent`),
    spent: rising(`${name}:spent`),
  };
}
