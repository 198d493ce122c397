'use client';

/** @module React: one telemetry for all components, created when it is first needed and never during rendering. */

import type { Segments, ValueOf } from '@murmuration/shared';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { DeviceQuestions } from './questions/question.ts';
import { createTelemetry } from './telemetry.ts';
import type { Consent, Options, Telemetry } from './types.ts';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** A telemetry shared by all components that use the same options. Its functions never change. */
interface Shared<M extends DeviceQuestions> {
  readonly functions: Omit<Telemetry<M>, 'consent'>;
  readonly decide: Omit<Consent, 'state'>;
  readonly state: () => Consent['state'];
}

const all = new WeakMap<object, Shared<DeviceQuestions>>();

function share<M extends DeviceQuestions, S extends Segments>(options: Options<M, S>): Shared<M> {
  const known = all.get(options) as Shared<M> | undefined;
  if (known) return known;
  let telemetry: Telemetry<M> | undefined;
  /** Creates it on the first call. */
  const get = (): Telemetry<M> => {
    telemetry ??= createTelemetry(options);
    return telemetry;
  };
  const shared: Shared<M> = {
    functions: {
      record: (metric, value) => get().record(metric, value),
      look: () => get().look(),
      forget: () => get().forget(),
      flush: () => get().flush(),
      close: () => get().close(),
      ...(process.env.NODE_ENV !== 'production' && { reset: async () => get().reset?.() }),
    },
    decide: {
      grant: () => get().consent.grant(),
      deny: () => get().consent.deny(),
      subscribe: (changed) => get().consent.subscribe(changed),
    },
    state: () => telemetry?.consent.state ?? 'unknown',
  };
  all.set(options, shared);
  return shared;
}

/**
 * The app's telemetry, for use in any component. It starts when the first component that uses it is mounted, and lives as long as the page.
 * On a server it never starts. Components render again when the person decides on consent. On a server, and until the storage has answered,
 * `consent.state` is `unknown`. Ask only while it is `ask`, so that people who have decided see no question. `record` and all other
 * functions stay the same in every render, so effects may depend on them.
 *
 * @param options of `createTelemetry`. Define them once, outside of components: the same object is the same telemetry.
 * @example
 * const options = { schema, endpoint: 'https://t.example.com' };
 * function Plan() {
 *   const { record, consent } = useTelemetry(options);
 *   if (consent.state === 'ask') return <button onClick={consent.grant}>Share randomized answers</button>;
 *   return <button onClick={() => record('plan', 'pro')}>Pro</button>;
 * }
 */
export function useTelemetry<const M extends DeviceQuestions, const S extends Segments>(options: Options<M, S>): Telemetry<M> {
  const [{ functions, decide, state }] = useState(() => share(options));
  const consent = useSyncExternalStore(decide.subscribe, state, () => 'unknown' as const);
  return useMemo(() => ({ ...functions, consent: { ...decide, state: consent } }), [functions, decide, consent]);
}

/**
 * Records an answer once for each component that is mounted: at once where the person has agreed, otherwise when they do. StrictMode, which
 * mounts twice, and later renders record nothing more.
 *
 * @param options of `useTelemetry`
 * @example useRecordOnce(options, 'plan', plan);
 */
export function useRecordOnce<const M extends DeviceQuestions, const S extends Segments, K extends keyof M & string>(
  options: Options<M, S>,
  metric: K,
  value: ValueOf<M[K]>,
): void {
  const { record, consent } = useTelemetry(options);
  const isRecorded = useRef(false);
  useEffect(() => {
    if (isRecorded.current || consent.state !== 'granted') return;
    isRecorded.current = true;
    record(metric, value);
  }, [consent.state, record, metric, value]);
}
