'use client';

/** @module React: one telemetry for all components, created when it is first needed and never during rendering. */

import type { Segments } from '@murmuration/shared';
import { useMemo, useState, useSyncExternalStore } from 'react';
import type { DeviceQuestions } from './questions/question.ts';
import { createTelemetry } from './telemetry.ts';
import type { Consent, Options, Telemetry } from './types.ts';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** A telemetry shared by all components that use the same options. */
interface Shared<M extends DeviceQuestions> {
  /** Creates it on the first call. */
  readonly get: () => Telemetry<M>;
  readonly subscribe: (changed: () => void) => () => void;
  readonly state: () => Consent['state'];
}

const all = new WeakMap<object, Shared<DeviceQuestions>>();

function share<M extends DeviceQuestions, S extends Segments>(options: Options<M, S>): Shared<M> {
  const known = all.get(options) as Shared<M> | undefined;
  if (known) return known;
  let telemetry: Telemetry<M> | undefined;
  const get = (): Telemetry<M> => {
    telemetry ??= createTelemetry(options);
    return telemetry;
  };
  const shared: Shared<M> = {
    get,
    state: () => telemetry?.consent.state ?? 'unknown',
    subscribe: (changed) => get().consent.subscribe(changed),
  };
  all.set(options, shared);
  return shared;
}

/**
 * The app's telemetry, for use in any component. It starts when the first component that uses it is mounted, and lives as long as the page.
 * On a server it never starts. Components render again when the person decides on consent. On a server, and until the storage has answered,
 * `consent.state` is `unknown`. Ask only while it is `ask`, so that people who have decided see no question.
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
  const [{ get, subscribe, state }] = useState(() => share(options));
  const consent = useSyncExternalStore(subscribe, state, () => 'unknown' as const);
  return useMemo(
    () => ({
      record: (metric, value) => get().record(metric, value),
      look: () => get().look(),
      forget: () => get().forget(),
      flush: () => get().flush(),
      close: () => get().close(),
      ...(process.env.NODE_ENV !== 'production' && { reset: async () => get().reset?.() }),
      consent: {
        state: consent,
        grant: () => get().consent.grant(),
        deny: () => get().consent.deny(),
        subscribe,
      },
    }),
    [get, subscribe, consent],
  );
}
