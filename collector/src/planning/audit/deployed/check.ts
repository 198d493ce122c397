/** A check of a deployed app, and its rows. */

import type { Investigation } from './investigation.ts';

/** `not tested` is never a failure: a row says why. */
export type Verdict = 'passed' | 'failed' | 'not tested';

export interface Row {
  readonly check: string;
  readonly verdict: Verdict;
  readonly evidence: string;
}

export interface Check {
  readonly name: string;
  readonly run: (investigation: Investigation) => Promise<readonly Row[]>;
}

export const row = (check: string, verdict: Verdict, evidence: string): Row => ({ check, verdict, evidence });

/** Texts in a sentence, the first few of many. */
export function listed(texts: readonly string[], most = 5): string {
  const short = texts.slice(0, most).map((text) => (text.length > 120 ? `${text.slice(0, 117)}...` : text));
  return `${short.join(', ')}${texts.length > most ? ` and ${texts.length - most} more` : ''}`;
}
