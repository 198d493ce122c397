/** Refusals: every error that a request can receive, as one line of JSON that says what was expected and what came. */

/**
 * Every way in which the collector can refuse a batch, with its HTTP status. Devices keep a batch after 403, 404, 408, 429 and 5xx, and
 * send it again later. In either case, nothing of it was counted.
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
  'unknown-key': 403,
  'unknown-schema': 404,
  timeout: 408,
  conflict: 409,
  'stale-day': 410,
  retired: 410,
  'length-required': 411,
  'too-large': 413,
  'bad-expectation': 417,
  'too-many': 429,
  'headers-too-large': 431,
  busy: 503,
  'clock-in-doubt': 503,
  'store-away': 503,
  'disk-full': 507,
  'no-room': 507,
} as const;

/** Whether the same request may be accepted later, so that the refusal says when to try again. */
export const isTemporary = (status: number): boolean => status === 429 || status >= 500;

/** The received value as text. A value that is nested too deeply to be printed is only named. */
function show(got: unknown): string {
  if (typeof got === 'string') return got;
  try {
    return JSON.stringify(got) ?? String(got);
  } catch {
    return `an ${typeof got}`;
  }
}

/** An error that refuses a request. Nothing of a refused batch is counted. */
export class Refusal extends Error {
  /** The HTTP status. */
  readonly status: number;
  readonly code: string;
  readonly expected: string;
  readonly got: string;
  /** Tells a device to stop answering all metrics of the batch's schema. */
  readonly stop: true | undefined;

  constructor(status: number, code: string, expected: string, got: string, stop?: true) {
    super(`${code}: expected ${expected}, got ${got}`);
    this.status = status;
    this.code = code;
    this.expected = expected;
    this.got = got;
    this.stop = stop;
  }
}

/**
 * A refusal of a batch, with the status that the format assigns to its code. The body comes from outside, so only a short piece of it is
 * quoted, which is enough to find the mistake.
 */
export const refusal = (code: keyof typeof REFUSALS, expected: string, got: unknown): Refusal =>
  new Refusal(REFUSALS[code], code, expected, show(got).slice(0, 80));

/** A refusal as JSON. */
export interface RefusalBody {
  readonly error: string;
  readonly expected: string;
  readonly got: string;
  readonly stop?: true;
}

/** A refusal as the body of an answer. */
export const bodyOf = ({ code, expected, got, stop }: Refusal): string =>
  `${JSON.stringify({ error: code, expected, got, ...(stop && { stop }) } satisfies RefusalBody)}\n`;
