/**
 * Every way in which a collector refuses a batch, with its HTTP status. This is the one list: the collector answers from it, and devices go
 * by it. In no case was anything of the batch counted.
 */

/**
 * Refusals for what the batch says. Every retry sends the same bytes, so devices drop the batch. They do so for nothing else: a host that is
 * no collector, or a proxy on the way, may answer anything.
 */
export const FINAL_REFUSALS = {
  malformed: 400,
  'future-day': 400,
  'unknown-metric': 400,
  'bad-segment': 400,
  'bad-report': 400,
  'too-many-reports': 400,
  conflict: 409,
  'stale-day': 410,
  retired: 410,
  'too-large': 413,
} as const;

/** Refusals for how, when or to whom the batch came. Devices keep it and send it again later. */
const OTHER_REFUSALS = {
  'bad-request': 400,
  'bad-origin': 403,
  'unknown-key': 403,
  'past-relay': 403,
  'bad-token': 403,
  'unknown-schema': 404,
  timeout: 408,
  'length-required': 411,
  'bad-expectation': 417,
  'too-many': 429,
  'headers-too-large': 431,
  busy: 503,
  'clock-in-doubt': 503,
  'store-away': 503,
  'disk-full': 507,
  'no-room': 507,
} as const;

/** All refusals of a batch. */
export const REFUSALS: typeof FINAL_REFUSALS & typeof OTHER_REFUSALS = /* @__PURE__ */ Object.assign({}, FINAL_REFUSALS, OTHER_REFUSALS);

/** The collector's code in the response to a batch; undefined if it was taken, or if a proxy or another host answered. */
export function refusalIn({ status, body = '' }: { readonly status: number; readonly body?: string | undefined }): string | undefined {
  try {
    const code: unknown = JSON.parse(body).error;
    return typeof code === 'string' && REFUSALS[code as keyof typeof REFUSALS] === status ? code : undefined;
  } catch {
    return undefined;
  }
}
