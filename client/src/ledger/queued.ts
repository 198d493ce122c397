/** Batches that wait to be sent, as they are stored. */

import type { Batch } from '@murmuration/shared';

/** A metric and the bytes of its report in base64url. For a metric with `otherwise`, also the day on which its slot began. */
export type QueuedReport = readonly [metric: string, bytes: string, since?: number | undefined];

/** A stored batch: the part that is sent, and the device's own bookkeeping. */
export interface QueuedBatch extends Pick<Batch, 'schema' | 'batch'> {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly segment?: Batch['segment'] | undefined;
  reports: QueuedReport[];
  /** The first day on which it may be sent. */
  readonly from: number;
  /** The approximate size of its reports, in characters. */
  size: number;
  /** The id of the context that may add to the batch and send it at once; empty once it has been sent. */
  by: string;
  /** The number of times that it has been sent. */
  tries: number;
  /** Until this time, in milliseconds since 1970, no other context sends the batch, and this one does not send it again. */
  notBefore: number;
}
