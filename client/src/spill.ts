/**
 * What a page keeps in `localStorage` until its transaction completes: randomized answers that have not claimed a slot yet, and the
 * decision on consent. Nothing is sent from here. A stale or lost spill can therefore lose an answer, but can never spend ε twice.
 */

import type { Storage } from './adapters/storage.ts';
import { type Decision, UNDECIDED } from './ledger/decision.ts';
import { attempt } from './maybe.ts';
import type { Entry } from './slots.ts';

/** The most keys that the page's whole `localStorage` may hold for an answer to be added. */
const MOST = 1_000;

export interface Spill {
  readonly keep: (answer: Entry) => void;
  readonly drop: (answer: Entry) => void;
  readonly answers: () => readonly Entry[];
  readonly decision: () => Decision;
  readonly decide: (decision: Decision) => void;
}

export function createSpill({ spill }: Storage, name: string): Spill {
  const answers = `${name}:answer:`;
  const consent = `${name}:consent`;
  const read = <T extends object>(key: string): T | undefined => attempt(() => JSON.parse(spill?.getItem(key) ?? 'null')) as T | undefined;
  const write = (key: string, value: unknown): unknown => attempt(() => spill?.setItem(key, JSON.stringify(value)));
  return {
    keep: (answer) => attempt(() => spill && spill.length < MOST && write(answers + answer.id, answer)),
    drop: ({ id }) => attempt(() => spill?.removeItem(answers + id)),
    answers: () =>
      attempt(() =>
        Array.from({ length: spill?.length ?? 0 }, (_, i) => spill?.key(i) ?? '').flatMap((key) => {
          const answer = key.startsWith(answers) ? read<Entry>(key) : undefined;
          return answer && answers + answer.id === key ? [answer] : []; // the key may hold anything
        }),
      ) ?? [],
    decision: () => {
      const decision = read<Decision>(consent);
      return decision && decision.count > 0 ? decision : UNDECIDED;
    },
    decide: (decision) => write(consent, decision),
  };
}
