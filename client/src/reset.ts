/** `telemetry.reset()`: makes this device a new one during development. This file is not part of production bundles. */

import { emptyState } from './ledger/state.ts';
import type { Spill } from './spill.ts';
import type { DeviceStore } from './store.ts';

/**
 * Erases everything that is stored, including the ledger and the decision, for every tab. This forgets the spent ε, so only developers may
 * use it.
 */
export async function resetDevice(store: DeviceStore, spill: Spill): Promise<void> {
  spill.answers().forEach(spill.drop);
  // The decision is newer than any that a tab knows, so all tabs take over the empty state instead of restoring what they knew.
  await store.decide('', (state) => {
    Object.assign(state, { ...emptyState(), decision: state.decision });
  });
}
