/** @module For browsers whose `fetch` does not outlive the page (Firefox before 133): a beacon, as a last resort. */

import { fetchTransport, type Transport } from './adapters/transport.ts';

/** Whether `fetch` can outlive the page. */
const outlives = (): boolean => typeof Request !== 'undefined' && 'keepalive' in Request.prototype;

/**
 * `fetch`, but where it has no keepalive and the page is hidden, `sendBeacon`. A beacon sends the collector's cookies,
 * if it has any, and has no answer: it counts as unanswered, and its batch is sent again later, under the same id,
 * which the collector counts once.
 *
 * @example createTelemetry({ schema, endpoint, transport: beaconTransport });
 */
export const beaconTransport: Transport = async (upload) => {
  if (outlives() || document.visibilityState === 'visible') return fetchTransport(upload);
  navigator.sendBeacon(upload.url, upload.body);
  return { status: 0 };
};
