/** @module The storages and the lifecycle of a React Native or Expo app; docs/react-native.md describes the whole setup. */

import type { Lifecycle } from './adapters/lifecycle.ts';

export { type AsyncStorageLike, asyncStorage } from './async-storage.ts';
export { type DatabaseLike, sqliteStorage } from './sqlite-storage.ts';

/** The part of React Native's `AppState` that is used here. */
export interface AppStateLike {
  addEventListener(type: 'change', listener: (state: string) => void): { remove(): void };
}

/**
 * Flushes when the app goes to the background or comes back.
 *
 * @example createTelemetry({ schema, endpoint, storage: asyncStorage(AsyncStorage), lifecycle: appStateLifecycle(AppState) });
 */
export const appStateLifecycle =
  (appState: AppStateLike): Lifecycle =>
  (tell) => {
    const subscription = appState.addEventListener('change', () => tell('flush'));
    return () => subscription.remove();
  };
