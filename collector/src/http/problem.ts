/** Errors over HTTP: one line of JSON that says what was expected and what came. */

import type { Response } from 'express';

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

/** One line of JSON. */
export const problemText = (error: string, expected: string, got: string): string => `${JSON.stringify({ error, expected, got })}\n`;

/** Sends one. */
export function sendProblem(response: Response, status: number, error: string, expected: string, got: string): void {
  response
    .status(status)
    .type('application/json')
    .send(problemText(error, expected, got));
}
