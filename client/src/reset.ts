/** `telemetry.reset()`: while an app is being written, this device becomes a new one. Production bundles leave this file out. */

import { emptyState } from './ledger/state.ts';
import type { Spill } from './spill.ts';
import type { DeviceStore } from './store.ts';

/**
 * Erases all that is stored, the ledger and the decision too, for every tab. What is spent is then forgotten, so that nobody but a
 * developer may do it.
 */
export async function resetDevice(store: DeviceStore, spill: Spill): Promise<void> {
  spill.answers().forEach(spill.drop);
  // A decision that is newer than all tabs know makes them take over the empty state, and not put back what they knew.
  await store.decide('', (state) => {
    Object.assign(state, { ...emptyState(), decision: state.decision });
  });
}
