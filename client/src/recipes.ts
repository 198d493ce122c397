/**
 * @module Helpers for questions that product teams ask: funnels, retention, crash rates and experiments. docs/recipes.md has the whole of
 * each. The core knows one thing of them: a refusal erases the arms of experiments.
 */

import { type Rng, type Schema, type Segments, systemRng, words } from '@murmuration/shared';
import type { Spill, Storage } from './adapters/storage.ts';
import { webStorage } from './adapters/web-storage.ts';
import { GRANTED } from './ledger/decision.ts';
import { parseState, type State, stateText } from './ledger/state.ts';
import { attempt, type Maybe } from './maybe.ts';
import type { DeviceQuestions } from './questions/question.ts';
import { createCoins } from './random/coins.ts';

/** The furthest step of a funnel, in memory. */
export interface Furthest<S extends string> {
  /** Notes that a step was reached. */
  reach(step: S): void;
  /** `none` until a step was reached. */
  readonly step: S | 'none';
}

/**
 * Keeps the furthest of the steps, which the app records once, when the session ends.
 *
 * @example
 * const signup = furthest(['form', 'address', 'paid']);
 * signup.reach('form');
 * telemetry.record('signup', signup.step); // choice(['none', 'form', 'address', 'paid'], ask)
 */
export function furthest<const S extends string>(steps: readonly S[]): Furthest<S> {
  let at = -1;
  return {
    reach: (step) => {
      at = Math.max(at, steps.indexOf(step));
    },
    get step() {
      return steps[at] ?? 'none';
    },
  };
}

/** Weeks since the first use, as answers of a list: the first four one by one, then the second and the third month, then the rest. */
export const WEEKS: readonly ['0', '1', '2', '3', '4 to 7', '8 to 11', '12 or more'] = [
  '0',
  '1',
  '2',
  '3',
  '4 to 7',
  '8 to 11',
  '12 or more',
];

/** Which of `WEEKS` it is, from the times in milliseconds since 1970. A clock that went back counts as week 0. */
export function weeksSince(firstUse: number, now: number = Date.now()): (typeof WEEKS)[number] {
  const weeks = Math.floor(Math.max(0, now - firstUse) / 604_800_000);
  return WEEKS[weeks < 4 ? weeks : Math.min(6, 3 + Math.floor(weeks / 4))] ?? WEEKS[0];
}

/** The session that runs. */
export interface Session {
  /** True if the session before it began and did not end. */
  readonly isAfterCrash: boolean;
  /** Ends it, where the app is closed or hidden: a page that is hidden may be discarded without a word. */
  end(): void;
  /** Continues it, where the app is shown again. */
  resume(): void;
}

/**
 * Begins a session, and says whether the one before it crashed. It keeps one mark in a store such as `localStorage`, under this key. Where the
 * store fails, nothing is a crash.
 */
export function beginSession(store: Pick<Spill, 'getItem' | 'setItem' | 'removeItem'>, key = 'murmuration:session'): Session {
  const isAfterCrash = attempt(() => store.getItem(key)) === 'runs';
  const resume = (): void => void attempt(() => store.setItem(key, 'runs'));
  resume();
  return { isAfterCrash, resume, end: () => void attempt(() => store.removeItem(key)) };
}

/** An assignment to an arm. */
export interface Experiment<V extends string> {
  /** The storage with the assignment in it, for `createTelemetry`. */
  readonly storage: Storage;
  /** The arm of this device. */
  arm(): Promise<V>;
}

/**
 * Assigns this device to an arm of an experiment, by its coins: each arm is equally likely, whatever the person did or will do. It is drawn
 * in this call, and stored by the ledger's own transactions, once the person agrees. Until then each page draws again. `deny()` and `forget()`
 * erase it, on whatever page. Another experiment takes the storage of this one as its own.
 *
 * @throws where there is no cryptographic source of randomness
 * @example
 * const search = experiment(schema, 'search', ['old', 'new']);
 * const arm = await search.arm();
 * const telemetry = createTelemetry({ schema, endpoint, storage: search.storage, segment: { search: arm } });
 */
export function experiment<const M extends DeviceQuestions, const S extends Segments, const V extends string>(
  { document: { app } }: Schema<M, S>,
  name: string,
  arms: readonly V[],
  { storage = webStorage(), rng = systemRng }: { readonly storage?: Storage; readonly rng?: Rng } = {},
): Experiment<V> {
  let arm = arms[createCoins(words(rng)).uniform(arms.length)] as V;
  const stateOf = (text: string | undefined): State | undefined => attempt(() => parseState(text ?? ''));
  /** Takes over what is stored, unless the experiment no longer has that arm. */
  const adopt = (state: State | undefined): void => {
    const stored = isKept(state) ? state?.arms?.[name] : undefined;
    arm = arms.find((each) => each === stored) ?? arm;
  };
  const transact = <T>(key: string, update: (stored: string | undefined) => { next: string | undefined; result: T }): Maybe<T> =>
    storage.transact(key, (stored) => {
      adopt(stateOf(stored));
      const { next, result } = update(stored);
      const state = stateOf(next ?? stored);
      // Before a decision only the ledger knows whether the person agrees by default: where it writes nothing, nothing is stored.
      const isSettled = state?.decision === 0 || state?.arms?.[name] === arm;
      if (!state || !isKept(state) || (next === undefined && isSettled)) return { next, result };
      state.arms = { ...state.arms, [name]: arm };
      return { next: stateText(state), result };
    });
  return {
    storage: Object.assign(Object.create(storage) as Storage, { transact }),
    arm: async () => {
      // Where nothing can be stored, each page keeps the arm that it drew.
      await attempt(() =>
        storage.transact(`murmuration:${app}`, (stored) => {
          adopt(stateOf(stored));
          return { next: undefined, result: undefined };
        }),
      );
      return arm;
    },
  };
}

/** False after a refusal, or where the person is asked again because the ledger was lost or reset. */
const isKept = (state: State | undefined): boolean => state?.decision === 0 || (state !== undefined && (state.decision & GRANTED) > 0);
