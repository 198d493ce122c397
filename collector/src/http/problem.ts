/** Errors over HTTP: one line of JSON that says what was expected and what came. */

import { REFUSALS } from '@murmuration/shared';
import type { Response } from 'express';
import { StoreFull } from '../store/store.ts';

/** Anything that a request can get wrong, with its status. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly expected: string;
  readonly got: string;

  constructor(status: number, code: string, expected: string, got: string) {
    super(`${code}: expected ${expected}, got ${got}`);
    this.status = status;
    this.code = code;
    this.expected = expected;
    this.got = got;
  }
}

/** What is told of an error: its own words, that a read found no room for what it must write first, or of a failure no more than that it was one. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreFull) return new Problem(REFUSALS['disk-full'], 'disk-full', 'room on the disk', 'none');
  const { status = 500 } = error as { readonly status?: number };
  if (status >= 400 && status < 500) return new Problem(status, 'bad-request', 'a well-formed request', 'another');
  return new Problem(500, 'internal', 'no failure', 'one; the log has it');
}

/** One line of JSON. */
export const problemText = (error: string, expected: string, got: string): string => `${JSON.stringify({ error, expected, got })}\n`;

/** Sends one. */
export function sendProblem(response: Response, { status, code, expected, got }: Problem): void {
  response
    .status(status)
    .type('application/json')
    .send(problemText(code, expected, got));
}
