/** The error of a reader whose request a collector refused. */

import type { RefusalBody } from '../../base/refusal.ts';

/** The collector answered, but not with what was asked: the refusal's fields, as far as it has any. */
export class ReadError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly expected: string | undefined;
  readonly got: string | undefined;

  constructor(status: number, refusal: Partial<RefusalBody> | null, message?: string) {
    const { error, expected, got } = refusal ?? {};
    const parts = [error && `, ${error}`, '.', expected && ` Expected ${expected}.`, got && ` Got ${got}.`];
    super(message ?? `The collector answered ${status}${parts.filter(Boolean).join('')}`);
    this.name = 'ReadError';
    this.status = status;
    this.code = error;
    this.expected = expected;
    this.got = got;
  }
}
