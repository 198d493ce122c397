// What the page of releases asks the collector. Addresses are relative to the page. A failure becomes one sentence.

import { ReadError } from '../api/reader/requests.ts';
import type { Preview, Question, Refusal, Release, ReleaseTable, Stream, StreamWithAnswers } from '../api/shown.ts';

const TIMEOUT = 30_000;

/** Message of a refused question. A question of the editor has one measurement, which needs no number. */
function saidOf(refusal: Refusal | null): string | undefined {
  if (refusal?.error === 'over-budget') return `${refusal.got.charAt(0).toUpperCase()}${refusal.got.slice(1)}.`;
  if (refusal?.error !== 'bad-question') return undefined;
  return `Expected ${refusal.expected.replace(/^(question\.)?measures\.0\./, '')}, got ${refusal.got}.`;
}

async function ask<T>(path: string, signal: AbortSignal | null, body?: unknown): Promise<T> {
  const late = AbortSignal.timeout(TIMEOUT);
  const response = await fetch(new URL(`v1/release/${path}`, document.baseURI), {
    signal: signal === null ? late : AbortSignal.any([signal, late]),
    ...(body !== undefined && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const json: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new ReadError(response.status, json as Refusal | null, saidOf(json as Refusal | null));
  return json as T;
}

/** The tables that have a budget. */
export const fetchTables = async (signal: AbortSignal): Promise<readonly ReleaseTable[]> =>
  (await ask<{ readonly tables: readonly ReleaseTable[] }>('tables', signal)).tables;

/** The answers that the reader may see, newest first. */
export const fetchAnswers = async (signal: AbortSignal): Promise<readonly Release[]> =>
  (await ask<{ readonly answers: readonly Release[] }>('answers', signal)).answers.toReversed();

/** The newest streams that the reader may see are shown, so many of them. */
const MOST_STREAMS = 10;

/** Of their answers, the newest are shown, so many of them. */
const MOST_ANSWERS = 100;

/** The newest streams with their answers, newest first. */
export async function fetchStreams(signal: AbortSignal): Promise<readonly StreamWithAnswers[]> {
  const { streams } = await ask<{ readonly streams: readonly Stream[] }>('streams', signal);
  return Promise.all(
    streams
      .slice(-MOST_STREAMS)
      .toReversed()
      .map(({ stream }) => ask<StreamWithAnswers>(`streams/${stream}?newest=${MOST_ANSWERS}`, signal)),
  );
}

/** Cost of a question and its expected error. Spends nothing. */
export const fetchPreview = (question: Question, signal: AbortSignal): Promise<Preview> => ask('preview', signal, { question });

/** Answers a question, and charges for it. */
export const fetchAnswer = (question: Question): Promise<Release> => ask('ask', null, { question });
