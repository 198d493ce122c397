/** The batch, version 1: the JSON that a device uploads. The format never changes. */

/** The largest body, in bytes: a browser's keepalive quota. */
export const MAX_BODY_BYTES = 65_536;
/** The most reports in one batch. */
export const MAX_REPORTS = 1_000;
/** The most batches of a device with one day's date, unless the app says otherwise. */
export const BATCHES_PER_DAY = 8;
/** The days before and after the collector's day on which a batch is accepted. */
export const ACCEPTED_DAYS = { before: 14, after: 1 } as const;

/** A batch as JSON. */
export interface Batch {
  readonly v: 1;
  /** `app/version/checksum` */
  readonly schema: string;
  /** The UTC day on which the reports were recorded. */
  readonly day: string;
  /** 128 random bits, 32 hex digits. */
  readonly batch: string;
  readonly segment?: { readonly [name: string]: string };
  /** Metric and report, as base64url. */
  readonly reports: readonly (readonly [metric: string, report: string])[];
}
