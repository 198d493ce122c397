/**
 * @module Telemetry whose code is downloaded when the person agrees, or if a ledger was here before. Until then nothing is stored, opened or
 * requested. All that is read is the early mark in `localStorage`: the number of decisions, and whether the last refused (ledger/decision.ts).
 * The mark grants nothing. It can only cause the code to be downloaded, which looks in its ledger whether the person agrees.
 */

import type { Held, LazyOptions, LazyTelemetry, Load } from './arrive.ts';
import type { DeviceQuestions } from './questions/question.ts';

export type { LazyOptions, LazyTelemetry } from './arrive.ts';

/** The most calls and listeners that wait for the code. */
const MOST = 256;

/**
 * Telemetry for pages that download nothing before the person agrees. From the agreement until the code is there, `consent.state` is `unknown`
 * and answers wait in memory; they are randomized as soon as it has come. If it does not come, the next grant or record tries again.
 *
 * @param load imports a module that exports `telemetry`, made by `createTelemetry` with the option `consent` left at `ask`
 * @example export const telemetry = createLazyTelemetry({ app: 'notes' }, () => import('./telemetry'));
 */
export function createLazyTelemetry<M extends DeviceQuestions>(options: LazyOptions, load: Load<M>): LazyTelemetry<M> {
  const name = `murmuration:${options.app}`;
  const key = `${name}:consent`;
  const held = new Set<Held>();
  let marks: { [key: string]: number } = {}; // texts in `localStorage`, which compare like numbers
  let agreed: number | undefined = 0; // the mark when the person agreed here; a later decision, in whatever tab, changes it
  let loading: unknown;
  try {
    marks = localStorage;
  } catch {
    // The person has forbidden it, or this is a server.
  }

  const state = (mark = marks[key] as number): 'unknown' | 'denied' | 'ask' =>
    mark & 2 && mark !== agreed ? 'denied' : mark > 0 || mark === agreed ? 'unknown' : 'ask';
  const record = (...call: readonly unknown[]): void => {
    if (state() !== 'unknown') return;
    held.add(held.size < MOST ? call : 0);
    if (!loading)
      loading = import('./arrive.ts')
        .then((code) => code.arrive(lazy, options, load, held))
        .catch(() => {
          loading = null;
        });
  };
  const lazy: LazyTelemetry<M> = {
    record,
    consent: {
      get state() {
        return state();
      },
      grant: () => {
        agreed = marks[key];
        record(1);
      },
      deny: () => {
        record(0);
        try {
          marks[key] = ((marks[key] as number) | 3) + 3; // the next decision, a refusal
          indexedDB.deleteDatabase(`murmuration:${name}`); // the note that workers look for (adapters/web-storage.ts)
        } catch {
          // Blocked or full: the refusal holds in this page.
        }
      },
      subscribe: (listener) => {
        held.add(listener);
        return () => held.delete(listener);
      },
    },
  };
  record();
  return lazy;
}
