/** What the person decided on consent. It is kept in two stores, and every tab may decide: a counter tells which decision is newer. */

/** A decision, and how many there had been with it. */
export interface Decision {
  readonly count: number;
  readonly value: 'granted' | 'denied' | '';
}

/** Nobody has been asked. */
export const UNDECIDED: Decision = { count: 0, value: '' };

/** The newer of two decisions. Of two that are equally new a refusal holds. */
export const newer = (one: Decision, other: Decision): Decision =>
  one.count > other.count || (one.count === other.count && one.value === 'denied') ? one : other;
