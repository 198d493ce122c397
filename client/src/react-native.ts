/** @module The lifecycle of a React Native app. AsyncStorage fits as it is; docs/react-native.md has the whole setup. */

import type { Lifecycle } from './adapters/lifecycle.ts';

/** What is used of React Native's `AppState`. */
export interface AppStateLike {
  addEventListener(type: 'change', listener: (state: string) => void): { remove(): void };
}

/**
 * Flushes when the app goes to the background or comes back.
 *
 * @example createTelemetry({ schema, endpoint, storage: AsyncStorage, lifecycle: appStateLifecycle(AppState) });
 */
export const appStateLifecycle =
  (appState: AppStateLike): Lifecycle =>
  (flush) => {
    const subscription = appState.addEventListener('change', () => flush());
    return () => subscription.remove();
  };
