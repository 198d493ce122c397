/** What waits to be sent, as it is stored. */

import type { Batch } from '@murmuration/shared';

/** Metric, the bytes of its report in base64url, and of a metric with `otherwise` the day on which its slot began. */
export type QueuedReport = readonly [metric: string, bytes: string, since?: number | undefined];

/** A batch as it is kept: what is sent, and what its device knows of it. */
export interface QueuedBatch extends Pick<Batch, 'schema' | 'batch'> {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly segment?: Batch['segment'] | undefined;
  reports: QueuedReport[];
  /** The first day on which it may be sent. */
  readonly from: number;
  /** About how many characters its reports take. */
  size: number;
  /** The context that may add to it and send it at once; none when it has been sent. */
  by: string;
  /** How often it has been sent. */
  tries: number;
  /** Milliseconds since 1970 before which no other context sends it, nor this one again. */
  notBefore: number;
}
