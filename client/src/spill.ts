/**
 * What a page keeps in `localStorage`. Randomized answers wait there until a transaction has claimed their slots; nothing is sent from here,
 * so a stale or lost spill can lose an answer, but can never spend ε twice. Two numbers outlive a deleted ledger: that of the decisions so
 * far, with the last refusal, and the last day on which a slot was claimed.
 */

import type { Storage } from './adapters/storage.ts';
import { type Decision, mark, remembered } from './ledger/decision.ts';
import { attempt } from './maybe.ts';
import type { Entry } from './slots.ts';

/** The most keys that the page's whole `localStorage` may hold for an answer to be added. */
const MOST = 1_000;

export interface Spill {
  readonly keep: (answer: Entry) => void;
  readonly drop: (answer: Entry) => void;
  readonly answers: () => readonly Entry[];
  /** The last refusal, or that there was a later decision. */
  readonly decision: () => Decision;
  /** Remembers a decision if it is the last one. */
  readonly decide: (decision: Decision) => void;
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
  const numberAt = (key: string): number => Number(read(key)) || 0;
  const raise = (key: string, value: number): unknown => Math.abs(value) > Math.abs(numberAt(key)) && write(key, value);
  return {
    keep: (answer) => attempt(() => spill && spill.length < MOST && write(answers + answer.id, answer)),
    drop: ({ id }) => attempt(() => spill?.removeItem(answers + id)),
    answers: () =>
      attempt(() =>
        Array.from({ length: spill?.length ?? 0 }, (_, i) => spill?.key(i) ?? '').flatMap((key) => {
          const answer = key.startsWith(answers) && (read(key) as Entry | undefined);
          return answer && answers + answer.id === key ? [answer] : []; // the key may hold anything
        }),
      ) ?? [],
    decision: () => remembered(read(consent)),
    decide: (decision) => raise(consent, mark(decision)),
    spent: () => numberAt(spent),
    spend: (day) => raise(spent, day),
  };
}
