/** The demo's relay, and the keys of a collector that it brings messages to. */

import { hash, randomBytes } from 'node:crypto';
import type { CollectorOptions } from '@murmuration/collector';
import { startRelay } from '../relay/relay.ts';
import type { Relayed } from './device.ts';

const TOKEN = randomBytes(24).toString('base64url');

/** What `murmuration relay` writes into a file, for one run. */
export const GATEWAY: NonNullable<CollectorOptions['relay']> = {
  keys: [{ id: 1, secret: randomBytes(32).toString('base64url') }],
  relays: [{ name: 'demo', hash: hash('sha256', TOKEN) }],
};

/** Starts a relay to a collector with these keys. An app has the key built in; the demo asks for it, because it is another in each run. */
export async function relayTo(collector: string): Promise<Relayed & { readonly close: () => Promise<void> }> {
  const { address, close } = await startRelay({ '/matinee': { gateway: `${collector}/v1/relay`, token: TOKEN } });
  const published = await (await fetch(`${collector}/v1/relay`)).arrayBuffer();
  return { address: `${address}/matinee`, keys: Buffer.from(published).toString('base64url'), close };
}
