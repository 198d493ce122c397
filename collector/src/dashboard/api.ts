// What the dashboard asks the collector, by the reader that other programs use, too, and signing in. Addresses are relative to the page, so
// that the dashboard also works behind a path prefix. A failure becomes one sentence that a person can act on.

import { createReader, type EstimatesAsked, ReadError } from '../api/reader/reader.ts';
import type { Association, Estimates, Metric, Progress, Reader, Refusal, Strings } from '../api/shown.ts';

const SESSION = 'v1/session';
const LIST_TIMEOUT = 5_000; // a list that takes longer than this is a lost connection, and the page should say so
const ESTIMATES_TIMEOUT = 30_000; // decoding a long list of candidates may take a while
const MAX_AGE = 2; // seconds between two lists: dashboards that are open at the same time share their answers
const MOST_ANSWERS = 10_000;
const MOST_STRINGS = 1_000; // beyond the found ones, which come first, nobody looks at more that look like chance

/** What is asked of a metric. */
export type Asked = EstimatesAsked<undefined>;

const readerWith = (timeout: number) => createReader(undefined, { url: new URL('.', document.baseURI), maxAge: MAX_AGE, timeout });

/** Where clients send their reports: the address that serves this page. */
export function collectorAddress(): string {
  return new URL('.', document.baseURI).href.replace(/\/$/, '');
}

/** Every metric that is published at this collector. */
export function fetchMetrics(signal: AbortSignal): Promise<readonly Metric[]> {
  return readerWith(LIST_TIMEOUT).metrics(signal);
}

/** Who is signed in. */
export async function fetchReader(signal: AbortSignal): Promise<Reader> {
  const response = await session({ signal: AbortSignal.any([signal, AbortSignal.timeout(LIST_TIMEOUT)]) });
  return (await response.json()) as Reader;
}

/** Signs in. The answer sets a cookie that scripts can't read, and the token is not kept. */
export async function signIn(token: string): Promise<void> {
  const body = JSON.stringify({ token });
  await session({ method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch((problem: unknown) => {
    throw isSignedOut(problem) ? new ReadError(401, null, 'The collector does not know this token. It may be revoked.') : problem;
  });
}

export async function signOut(): Promise<void> {
  await session({ method: 'DELETE' });
}

/** The metric's estimates. */
export function fetchEstimates(metric: Metric, asked: Asked, signal: AbortSignal): Promise<Estimates> {
  return readerWith(ESTIMATES_TIMEOUT).estimates(metric.metric, { ...asked, app: metric.app, limit: MOST_ANSWERS, signal });
}

/** How the metric's text goes with the lists that are asked together with it. */
export function fetchAssociation(metric: Metric, asked: Asked, signal: AbortSignal): Promise<Association> {
  return readerWith(ESTIMATES_TIMEOUT).association(metric.metric, { ...asked, app: metric.app, signal });
}

/** The address of a metric's estimates, relative to the page. */
export function estimatesAddress(metric: Metric, asked: Asked): string {
  return readerWith(ESTIMATES_TIMEOUT).addressOf(metric.metric, { ...asked, app: metric.app });
}

/** What is asked of a metric with strings. */
export type StringsAsked = Omit<Asked, 'among'>;

const allOf = (metric: Metric, asked: StringsAsked) => ({ ...asked, app: metric.app, all: true });

/** The strings of a metric, the found ones first. */
export function fetchStrings(
  metric: Metric,
  asked: StringsAsked,
  signal: AbortSignal,
  onProgress: (how: Progress) => void,
): Promise<Strings> {
  const limits = { limit: MOST_STRINGS, signal, onProgress };
  return readerWith(ESTIMATES_TIMEOUT).decode(metric.metric, { ...allOf(metric, asked), ...limits });
}

/** The address of a metric's strings, relative to the page. */
export function decodeAddress(metric: Metric, asked: StringsAsked): string {
  return readerWith(ESTIMATES_TIMEOUT).addressOf(metric.metric, allOf(metric, asked), 'decode');
}

/** Whether a problem is that nobody is signed in. */
export const isSignedOut = (problem: unknown): boolean => problem instanceof ReadError && problem.status === 401;

/** Whether a problem comes from the collector rather than from the connection. */
export function isAnswer(problem: unknown): boolean {
  return problem instanceof ReadError;
}

/** The collector's word for a problem that is a refusal. */
export const refusalOf = (problem: unknown): string | null => (problem instanceof ReadError ? (problem.code ?? null) : null);

/** An error in words. */
export function inWords(problem: unknown): string {
  if (problem instanceof DOMException && problem.name === 'TimeoutError') return 'The collector did not answer in time.';
  if (problem instanceof TypeError) return 'The collector can’t be reached.';
  return problem instanceof Error ? problem.message : String(problem);
}

/** A request about who is signed in. */
async function session(init: RequestInit): Promise<Response> {
  const response = await fetch(new URL(SESSION, document.baseURI), { signal: AbortSignal.timeout(LIST_TIMEOUT), ...init });
  if (!response.ok) throw new ReadError(response.status, (await response.json().catch(() => null)) as Refusal | null);
  return response;
}
