// The service worker has the one telemetry of the app: it keeps a ledger in IndexedDB for all pages, which tell it what to record.

import { createTelemetry } from '@murmuration/client';
import { workerLifecycle } from '@murmuration/client/worker';
import { schema } from './schema.js';

const telemetry = createTelemetry({
  schema,
  endpoint: new URL(location.href).searchParams.get('collector'),
  lifecycle: workerLifecycle,
});

/** Every message is answered with the state of consent. */
async function answer({ data, source }) {
  const { consent, record } = data;
  if (consent === 'granted') telemetry.consent.grant();
  if (consent === 'denied') telemetry.consent.deny();
  if (record) telemetry.record(...record);
  await telemetry.look(); // by now what was decided before has been read
  source.postMessage({ consent: telemetry.consent.state });
}

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('message', (event) => {
  if (typeof event.data === 'object') event.waitUntil(answer(event));
});
