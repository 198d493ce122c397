/** The second half of lazy.ts, which comes with the telemetry's code. It hands over what has waited, and then puts the telemetry in place. */

import { explainLoading } from './explain.ts';
import { attempt } from './maybe.ts';
import type { DeviceQuestions } from './questions/question.ts';
import type { Consent, Outcome, Telemetry } from './types.ts';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** The options of `createLazyTelemetry`. */
export interface LazyOptions {
  /** The schema's `app`. */
  readonly app: string;
  /** Told of answers that were `dropped`, because too many waited for the code. All else is told to the listener of the telemetry itself. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

/** The part of a telemetry that is there before its code. A record before the person has agreed does nothing. */
export interface LazyTelemetry<M extends DeviceQuestions> {
  record: Telemetry<M>['record'];
  readonly consent: Consent;
}

/** Imports the module that creates the telemetry. */
export type Load<M extends DeviceQuestions> = () => PromiseLike<{ readonly telemetry: Telemetry<M> }>;

/** A call that waits for the code (a record, or a decision: 1 agrees, 0 refuses), a listener to the consent, or 0 if there were too many. */
export type Held = readonly unknown[] | (() => void) | 0;

/** Rejects if the telemetry does not load. All that waits then waits on. */
export async function arrive<M extends DeviceQuestions>(
  lazy: LazyTelemetry<M>,
  { app, onOutcome }: LazyOptions,
  load: Load<M>,
  held: Set<Held>,
): Promise<void> {
  const loaded = load();
  if (process.env.NODE_ENV !== 'production') void explainLoading(app, loaded);
  const { telemetry } = await loaded;
  const { record, consent } = telemetry;
  const { state } = lazy.consent;
  let isOpen = state === 'unknown'; // another tab may have refused after the person agreed here
  let isFull = held.delete(0); // what was lost may have been a refusal between two answers, so that none of them counts

  /** Makes a call on the telemetry. */
  const make = (call: readonly unknown[]): void => {
    const [metric, value] = call as readonly [never, never];
    if (metric === 0) consent.deny();
    else if (metric === 1) isOpen && consent.grant();
    else if (isFull) attempt(() => onOutcome?.({ result: 'dropped', metric }));
    else record(metric, value);
  };
  const listeners = new Set<Held>();
  const changed = (): void => listeners.forEach((each) => void attempt(each as () => void));

  lazy.record = record;
  Object.defineProperties(lazy.consent, Object.getOwnPropertyDescriptors(consent));
  consent.subscribe(changed);
  if (state === 'denied') consent.deny();
  for (const each of held) {
    if (typeof each === 'function') listeners.add(each);
    else if (each && each.length > 0) make(each);
  }
  held.clear();
  isOpen = true;
  isFull = false;
  // The app may have kept functions from before: a button's `grant`, for example.
  held.add = (each) => {
    if (typeof each === 'function') listeners.add(each);
    else if (each) make(each);
    return held;
  };
  held.delete = (each) => listeners.delete(each);
  changed();
}
