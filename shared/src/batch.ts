/** The batch: what a device uploads, version 1, for ever; and every answer that it can get instead of 204. */

/** The largest body, in bytes: a browser's keepalive quota. */
export const MAX_BODY_BYTES = 65_536;
/** The most reports in one batch. */
export const MAX_REPORTS = 1_000;
/** A batch is accepted from so many days before the collector's day, to so many after. */
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

/**
 * Every way in which the collector can refuse a batch, with its HTTP status. Devices send a batch again after 408, 429 and
 * 5xx, and never after another 4xx: nothing of it was counted either way.
 */
export const REFUSALS = {
  'bad-request': 400,
  malformed: 400,
  'future-day': 400,
  'unknown-metric': 400,
  'bad-segment': 400,
  'bad-report': 400,
  'too-many-reports': 400,
  'bad-origin': 403,
  'unknown-schema': 404,
  timeout: 408,
  conflict: 409,
  'stale-day': 410,
  'length-required': 411,
  'too-large': 413,
  'bad-expectation': 417,
  'too-many': 429,
  'headers-too-large': 431,
  busy: 503,
  'disk-full': 507,
} as const;

/** What came, as text. What is nested too deeply to be written is only named. */
function show(got: unknown): string {
  if (typeof got === 'string') return got;
  try {
    return JSON.stringify(got) ?? String(got);
  } catch {
    return `an ${typeof got}`;
  }
}

/** A refusal: one line of JSON for the device, nothing counted. */
export class Refusal extends Error {
  readonly code: keyof typeof REFUSALS;
  readonly expected: string;
  readonly got: string;

  constructor(code: keyof typeof REFUSALS, expected: string, got: unknown) {
    // The body is an outsider's: a short piece of it is enough to find the mistake.
    const shown = show(got).slice(0, 80);
    super(`${code}: expected ${expected}, got ${shown}`);
    this.code = code;
    this.expected = expected;
    this.got = shown;
  }
}
