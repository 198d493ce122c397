/** @module For browsers whose `fetch` does not outlive the page (Firefox before 133): a beacon, as a last resort. */

import { fetchTransport, type Transport } from './adapters/transport.ts';

/** True if `fetch` can outlive the page. */
const outlives = (): boolean => typeof Request !== 'undefined' && 'keepalive' in Request.prototype;

/**
 * Uses `fetch`, but `sendBeacon` if `fetch` has no keepalive and the page is hidden. A beacon sends the collector's cookies, if there are
 * any, and gets no response. Its batch therefore counts as unanswered and is sent again later under the same id, which the collector counts
 * once.
 *
 * @example createTelemetry({ schema, endpoint, transport: beaconTransport });
 */
export const beaconTransport: Transport = async (upload) => {
  if (outlives() || document.visibilityState === 'visible') return fetchTransport(upload);
  navigator.sendBeacon(upload.url, upload.body);
  return { status: 0 };
};
