/** Refusals: every error that a request can receive, as one line of JSON that says what was expected and what came. */

import { REFUSALS } from '@murmuration/shared';
import { Fault } from './fault.ts';

/** True if the same request may be accepted later, so that the refusal says when to try again. */
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
export class Refusal extends Fault {
  /** The HTTP status. */
  readonly status: number;
  readonly code: string;
  readonly expected: string;
  readonly got: string;
  /** Tells a device to stop answering all metrics of the batch's schema. */
  readonly stop: true | undefined;

  constructor(status: number, code: string, expected: string, got: string, stop?: true) {
    super('refused', `${code}: expected ${expected}, got ${got}`);
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
