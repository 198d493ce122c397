/**
 * What a page keeps in `localStorage` for the moments until its transaction is done: randomized answers that have claimed
 * nothing yet, and the decision on consent. Nothing is sent from here. So a spill that is stale or lost can lose an answer, and can
 * never spend ε twice.
 */

import type { Storage } from './adapters/storage.ts';
import { type Decision, UNDECIDED } from './ledger/decision.ts';
import { attempt } from './maybe.ts';
import type { Entry } from './slots.ts';

/** The most keys of the page's whole store beside which an answer is put. */
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
          return answer && answers + answer.id === key ? [answer] : []; // anything may lie there
        }),
      ) ?? [],
    decision: () => {
      const decision = read<Decision>(consent);
      return decision && decision.count > 0 ? decision : UNDECIDED;
    },
    decide: (decision) => write(consent, decision),
  };
}
