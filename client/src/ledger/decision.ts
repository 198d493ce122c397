/**
 * The person's decision on consent. It is kept in two stores and any tab may change it, so it is one number, of which the greater is the newer:
 * four times the number of decisions so far, plus what was decided last. Of two that are equally new a refusal wins, and an agreement wins over
 * the memory that there was one. 0 means that nobody has been asked.
 */

/** The person agrees, and is asked again where this is forgotten. */
export const GRANTED = 1;
/** The person refuses. */
export const DENIED = 2;

/** An answer: `GRANTED`, `DENIED`, or 0 where the person is to be asked. */
export type Answer = 0 | typeof GRANTED | typeof DENIED;

/** The last answer. */
export const answerOf = (decision: number): Answer => (decision & 3) as Answer;

/** A decision after another. */
export const after = (decision: number, answer: Answer): number => (decision | 3) + 1 + answer;

/** The part of a decision that is stored outside of the ledger: its number, and a refusal. An agreement is not: it lives where the ledger lives. */
export const mark = (decision: number): number => decision & ~GRANTED;
