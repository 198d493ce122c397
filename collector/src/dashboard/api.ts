// The requests that the dashboard sends to the collector. Addresses are relative to the page, so that the dashboard
// also works behind a path prefix. A failure becomes one sentence that a person can act on.

import type { Estimates, Metric, Reader, Refusal } from './types.ts';

const SESSION = 'v1/session';
const LIST_TIMEOUT = 5_000; // a list that takes longer than this is a lost connection, and the page should say so
const ESTIMATES_TIMEOUT = 30_000; // decoding a long list of candidates may take a while

/** Where clients send their reports: the address that serves this page. */
export function collectorAddress(): string {
  return new URL('.', document.baseURI).href.replace(/\/$/, '');
}

/** Every metric that is published at this collector. */
export async function fetchMetrics(signal: AbortSignal): Promise<readonly Metric[]> {
  const body = await get<{ readonly metrics: readonly Metric[] }>('v1/metrics', signal, LIST_TIMEOUT);
  return body.metrics;
}

/** Who is signed in. */
export function fetchReader(signal: AbortSignal): Promise<Reader> {
  return get<Reader>(SESSION, signal, LIST_TIMEOUT);
}

/** Signs in. The answer sets a cookie that scripts can't read, and the token is not kept. */
export async function signIn(token: string): Promise<void> {
  const response = await fetch(new URL(SESSION, document.baseURI), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
    signal: AbortSignal.timeout(LIST_TIMEOUT),
  });
  if (response.status === 401) throw new SignedOut('The collector does not know this token. It may be revoked.');
  if (!response.ok) throw new AnsweredWithError(await refusalInWords(response));
}

export async function signOut(): Promise<void> {
  const response = await fetch(new URL(SESSION, document.baseURI), { method: 'DELETE', signal: AbortSignal.timeout(LIST_TIMEOUT) });
  if (!response.ok) throw new AnsweredWithError(await refusalInWords(response));
}

/** The estimates at an address returned by `estimatesAddress`. */
export function fetchEstimates(address: string, signal: AbortSignal): Promise<Estimates> {
  return get<Estimates>(address, signal, ESTIMATES_TIMEOUT);
}

/** The address of a metric's estimates, relative to the page. */
export function estimatesAddress(metric: Metric, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams({ app: metric.app, ...parameters });
  return `v1/metrics/${encodeURIComponent(metric.metric)}/estimates?${query}`;
}

/** The collector answered, but with an error. */
class AnsweredWithError extends Error {}

/** The collector wants a token first. */
class SignedOut extends AnsweredWithError {}

/** Whether a problem is that nobody is signed in. */
export const isSignedOut = (problem: unknown): boolean => problem instanceof SignedOut;

/** Whether a problem comes from the collector rather than from the connection. */
export function isAnswer(problem: unknown): boolean {
  return problem instanceof AnsweredWithError;
}

/** An error in words. */
export function inWords(problem: unknown): string {
  if (problem instanceof DOMException && problem.name === 'TimeoutError') return 'The collector did not answer in time.';
  if (problem instanceof TypeError) return 'The collector can’t be reached.';
  return problem instanceof Error ? problem.message : String(problem);
}

async function get<Body>(address: string, signal: AbortSignal, timeout: number): Promise<Body> {
  const response = await fetch(new URL(address, document.baseURI), {
    headers: { accept: 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
  });
  if (response.status === 401) throw new SignedOut('Signed out.');
  if (!response.ok) throw new AnsweredWithError(await refusalInWords(response));
  return (await response.json().catch(() => {
    throw new AnsweredWithError('The collector’s answer is not JSON. Does something else serve this address?');
  })) as Body;
}

async function refusalInWords(response: Response): Promise<string> {
  const refusal = (await response.json().catch(() => null)) as Refusal | null;
  if (!refusal?.error) return `The collector answered ${response.status}.`;
  const expected = refusal.expected === undefined ? '' : ` Expected ${show(refusal.expected)}.`;
  const got = refusal.got === undefined ? '' : ` Got ${show(refusal.got)}.`;
  return `The collector answered ${response.status}, ${refusal.error}.${expected}${got}`;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
