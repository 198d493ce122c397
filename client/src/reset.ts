/** `telemetry.reset()`: makes this device a new one during development. This file is not part of production bundles. */

import type { Storage } from './adapters/storage.ts';
import { emptyState } from './ledger/state.ts';
import { attempt } from './maybe.ts';
import type { DeviceStore } from './store.ts';

/**
 * Erases everything that is stored, including the ledger and the decision, for every tab. This forgets the spent ε, so only developers may
 * use it.
 */
export async function resetDevice(store: DeviceStore, { spill }: Storage, name: string): Promise<void> {
  // The decision is newer than any that a tab knows, so all tabs take over the empty state instead of restoring what they knew.
  await store.decide(0, (state) => {
    Object.assign(state, emptyState(), { decision: state.decision, arms: undefined });
  });
  attempt(() => {
    const keys = Array.from({ length: spill?.length ?? 0 }, (_, i) => spill?.key(i) ?? '');
    // All but the number of decisions, which tells other tabs of this one.
    for (const key of keys) if (key.startsWith(`${name}:`) && key !== `${name}:consent`) spill?.removeItem(key);
  });
}
