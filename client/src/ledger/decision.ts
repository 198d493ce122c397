/** The person's decision on consent. It is kept in two stores and any tab may change it, so a counter tells which decision is newer. */

/** A decision, and the number of decisions up to and including it. */
export interface Decision {
  readonly count: number;
  readonly value: 'granted' | 'denied' | '';
}

/** Nobody has been asked. */
export const UNDECIDED: Decision = { count: 0, value: '' };

/** The newer of two decisions. If both are equally new, a refusal wins, and a decision wins over the memory that there was one. */
export const newer = (one: Decision, other: Decision): Decision =>
  one.count > other.count || (one.count === other.count && (one.value === 'denied' || !other.value)) ? one : other;

/** The part of a decision that is stored outside of the ledger: the count, negative for a refusal. An agreement is not: it lives where the ledger lives. */
export const mark = ({ count, value }: Decision): number => (value === 'denied' ? -count : count);

/** The decision that a mark remembers; that nobody was asked if it is no number. */
export const remembered = (mark: unknown): Decision => ({ count: Math.abs(Number(mark)) || 0, value: Number(mark) < 0 ? 'denied' : '' });
