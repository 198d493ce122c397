// What the dashboard asks the collector, by the reader that other programs use, too: the list of metrics, one answer, and signing in. Addresses are relative to the page, so that the dashboard also works behind a path prefix. A failure becomes one sentence.

import { useEffect, useRef, useState } from 'preact/hooks';
import { type CompareAsked, createReader, type EstimatesAsked, ReadError, type Selection, type SeriesAsked } from '../api/reader/reader.ts';
import type {
  Annotation,
  Association,
  Comparison,
  Estimates,
  Metric,
  Others,
  Plan,
  PlanAsked,
  Progress,
  PublicApps,
  PublicQuestion,
  Reader,
  Refusal,
  Series,
  Sign,
  Strings,
} from '../api/shown.ts';

const SESSION = 'v1/session';
const LIST_TIMEOUT = 5_000; // a list that takes longer than this is late, and the page should say so
const ESTIMATES_TIMEOUT = 30_000; // decoding a long list of candidates may take a while
const MAX_AGE = 2; // seconds between two lists: dashboards that are open at the same time share their answers
const MOST_ANSWERS = 10_000;
const MOST_STRINGS = 1_000; // beyond the found ones, which come first, nobody looks at more that look like chance

/** Request for a metric. */
export type Asked = EstimatesAsked<undefined>;

const readerWith = (timeout: number, send: typeof fetch = fetch) =>
  createReader(undefined, { url: new URL('.', document.baseURI), maxAge: MAX_AGE, timeout, fetch: send });

/** Where clients send their reports: the address that serves this page. */
export function collectorAddress(): string {
  return new URL('.', document.baseURI).href.replace(/\/$/, '');
}

let lists: ReturnType<typeof readerWith> | undefined;
let isFirst = true;

/** Takes the list that index.html has begun to fetch. Browsers give it to a request with the same headers alone. */
const takeFirst: typeof fetch = (url, init) => {
  const asked = isFirst ? { signal: init?.signal ?? null } : init;
  isFirst = false;
  return fetch(url, asked);
};

/** Every metric that is published at this collector. Asked by one reader, which remembers the list, so that it is sent only if it has changed. */
export function fetchMetrics(signal: AbortSignal): Promise<readonly Metric[]> {
  lists ??= readerWith(LIST_TIMEOUT, takeFirst);
  return lists.metrics(signal);
}

/** Fetches the reader who is signed in. */
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

/** Signs that reports are not what they seem. */
export const fetchSigns = (): Promise<readonly Sign[]> => readerWith(ESTIMATES_TIMEOUT).signs();

/** Annotations on days of the metric's app, and the versions of the app that arrived. */
export const fetchAnnotations = ({ app }: Metric, signal: AbortSignal): Promise<readonly Annotation[]> =>
  readerWith(ESTIMATES_TIMEOUT).annotations({ app, signal });
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

/** Request for a metric over time. */
export type OverTime = SeriesAsked<undefined>;

/** The metric's estimates over time. */
export function fetchSeries(metric: Metric, asked: OverTime, signal: AbortSignal): Promise<Series> {
  return readerWith(ESTIMATES_TIMEOUT).series(metric.metric, { ...asked, app: metric.app, limit: MOST_ANSWERS, signal });
}

export function seriesAddress(metric: Metric, asked: OverTime): string {
  return readerWith(ESTIMATES_TIMEOUT).addressOf(metric.metric, { ...asked, app: metric.app }, 'series');
}

/** The plan of a new question. */
export const fetchPlan = (asked: PlanAsked, signal: AbortSignal): Promise<Plan> => readerWith(ESTIMATES_TIMEOUT).plan({ ...asked, signal });

export const planAddress = (asked: PlanAsked): string => readerWith(ESTIMATES_TIMEOUT).planAddressOf(asked);

/** The two selections of a comparison. */
export interface Compared {
  readonly a: Selection<undefined>;
  readonly b: Selection<undefined>;
}

/** Request for a comparison of a metric. */
export type ComparisonAsked = CompareAsked<undefined>;

/** The difference of two selections, b minus a. */
export function fetchComparison(metric: Metric, { a, b }: Compared, asked: ComparisonAsked, signal: AbortSignal): Promise<Comparison> {
  return readerWith(ESTIMATES_TIMEOUT).compare(metric.metric, a, b, { ...asked, app: metric.app, limit: MOST_ANSWERS, signal });
}

export function comparisonAddress(metric: Metric, { a, b }: Compared, asked: ComparisonAsked): string {
  return readerWith(ESTIMATES_TIMEOUT).addressOf(metric.metric, { ...asked, app: metric.app }, 'compare', a, b);
}

/** The number of metrics for which an answer had no time. */
const waitingIn = ({ others }: Others): number => others.filter(({ state }) => state === 'not-compared').length;

/** Which other metrics of the app differ between the two selections. An answer that had no time for all is asked for again, and goes on. */
export async function fetchOthers(metric: Metric, { a, b }: Compared, asked: ComparisonAsked, signal: AbortSignal): Promise<Others> {
  const ask = (): Promise<Others> => readerWith(ESTIMATES_TIMEOUT).others(metric.metric, a, b, { ...asked, app: metric.app, signal });
  let [found, before] = [await ask(), Number.POSITIVE_INFINITY];
  while (waitingIn(found) > 0 && waitingIn(found) < before) {
    before = waitingIn(found);
    found = await ask();
  }
  return found;
}

export const othersAddress = (metric: Metric, { a, b }: Compared, asked: ComparisonAsked): string =>
  readerWith(ESTIMATES_TIMEOUT).addressOf(metric.metric, { ...asked, app: metric.app }, 'others', a, b);

/** Request for a metric with strings. */
export type StringsAsked = Omit<Asked, 'among'>;

const allOf = (metric: Metric, asked: StringsAsked) => ({ ...asked, app: metric.app, all: true });

/** The strings of a metric, the found ones first. */
export function fetchStrings(
  metric: Metric,
  asked: StringsAsked,
  signal: AbortSignal,
  onProgress: (how: Progress) => void,
  limit: number = MOST_STRINGS,
): Promise<Strings> {
  const limits = { limit, signal, onProgress };
  return readerWith(ESTIMATES_TIMEOUT).decode(metric.metric, { ...allOf(metric, asked), ...limits });
}

/** The address of a metric's strings, relative to the page. */
export function decodeAddress(metric: Metric, asked: StringsAsked): string {
  return readerWith(ESTIMATES_TIMEOUT).addressOf(metric.metric, allOf(metric, asked), 'decode');
}

/** True if a problem is that nobody is signed in. */
export const isSignedOut = (problem: unknown): boolean => problem instanceof ReadError && problem.status === 401;

/** True if a problem comes from the collector rather than from the connection. */
export function isAnswer(problem: unknown): boolean {
  return problem instanceof ReadError;
}

/** The collector's word for a problem that is a refusal. */
export const refusalOf = (problem: unknown): string | null => (problem instanceof ReadError ? (problem.code ?? null) : null);

/** True if an answer took too long. The connection may be there. */
export const isLate = (problem: unknown): boolean => problem instanceof DOMException && problem.name === 'TimeoutError';

/** An error in words. */
export function problemInWords(problem: unknown): string {
  if (isLate(problem)) return 'The collector did not answer in time.';
  if (problem instanceof TypeError) return 'The collector can’t be reached.';
  return problem instanceof Error ? problem.message : String(problem);
}

/** A request about who is signed in. */
const session = (init: RequestInit): Promise<Response> => request(SESSION, { signal: AbortSignal.timeout(LIST_TIMEOUT), ...init });

/** The address of a question that is published, relative to the page: for programs, as a page, and for frames of other sites. */
export const publicAddress = ({ app, metric }: Pick<Metric, 'app' | 'metric'>, place: 'v1/public' | 'public' | 'embed'): string =>
  `${place}/${app}/${metric}`;

/** A question that is published. It is asked for as by anybody, whoever is signed in. */
export async function fetchPublic(of: Pick<Metric, 'app' | 'metric'>, signal: AbortSignal): Promise<PublicQuestion> {
  const late = AbortSignal.timeout(ESTIMATES_TIMEOUT);
  const response = await request(publicAddress(of, 'v1/public'), { credentials: 'omit', signal: AbortSignal.any([signal, late]) });
  return (await response.json()) as PublicQuestion;
}

/** All schemas, as anybody may read them. */
export async function fetchAsked(signal: AbortSignal): Promise<PublicApps> {
  const late = AbortSignal.timeout(ESTIMATES_TIMEOUT);
  const response = await request('.well-known/murmuration.json', { credentials: 'omit', signal: AbortSignal.any([signal, late]) });
  return (await response.json()) as PublicApps;
}

async function request(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(new URL(path, document.baseURI), init);
  if (!response.ok) throw new ReadError(response.status, (await response.json().catch(() => null)) as Refusal | null);
  return response;
}

// The answer about one metric, requested again when its number of reports or the filter has changed.
// A slow response is never requested twice, nor at once again. A failed request is retried.

/** An answer that took a while is asked for again after this many times as long. */
const PATIENCE = 4;

/** Milliseconds until a failed request is made again. */
const RETRY = 2_000;

export interface AnswerState<T> {
  readonly value: T | null;
  readonly problem: string | null;
  /** The collector's word for the problem, if it is a refusal. */
  readonly refusal: string | null;
  /** True if the value shown belongs to the previous filter. */
  readonly outdated: boolean;
  /** How far the answer to what is asked now is; null when it is there, or nothing is known. */
  readonly progress: Progress | null;
}

interface Held<T> {
  readonly address: string | null;
  readonly value: T | null;
  readonly problem: string | null;
  readonly refusal: string | null;
}

interface Request {
  readonly address: string;
  readonly reports: number;
  readonly control: AbortController;
  readonly began: number;
  state: 'asked' | 'answered' | 'failed';
  /** When it may be asked again. */
  again: number;
}

/** Asks, and tells how far the answer is if that is known. */
type Ask<T> = (signal: AbortSignal, onProgress: (how: Progress) => void) => Promise<T>;

/**
 * `address` is that of what is asked, null where nothing is. It is asked for again when the metric has other reports, at the earliest `least` milliseconds after the
 * last answer.
 */
export function useAnswer<T>(metric: Pick<Metric, 'reports'>, address: string | null, ask: Ask<T>, least = 0): AnswerState<T> {
  const [held, setHeld] = useState<Held<T>>({ address, value: null, problem: null, refusal: null });
  const [progress, setProgress] = useState<Progress | null>(null);
  const [turn, setTurn] = useState(0);
  const last = useRef<Request | null>(null);
  const { reports } = metric;

  useEffect(() => {
    const before = last.current;
    if (address === null) {
      before?.control.abort();
      last.current = null;
      setHeld({ address, value: null, problem: null, refusal: null });
      return undefined;
    }
    if (before?.address === address) {
      if (before.state === 'asked' || (before.state === 'answered' && before.reports === reports)) return undefined;
      const wait = before.again - performance.now();
      if (wait > 0) {
        const timer = setTimeout(() => setTurn((count) => count + 1), wait);
        return () => clearTimeout(timer);
      }
    }
    before?.control.abort();
    const request: Request = { address, reports, control: new AbortController(), began: performance.now(), state: 'asked', again: 0 };
    last.current = request;
    const isLast = (): boolean => last.current === request;
    const end = (state: Request['state']): void => {
      const now = performance.now();
      request.state = state;
      request.again = now + (state === 'failed' ? RETRY : Math.max(least, PATIENCE * (now - request.began)));
      if (!isLast()) return;
      setProgress(null);
      setTurn((count) => count + 1); // the effect runs again: more reports may have come meanwhile
    };
    ask(request.control.signal, (how) => isLast() && setProgress(how)).then(
      (value) => {
        end('answered');
        if (isLast()) setHeld({ address, value, problem: null, refusal: null });
      },
      (problem) => {
        end('failed');
        if (isLast()) setHeld((held) => ({ ...held, problem: problemInWords(problem), refusal: refusalOf(problem) }));
      },
    );
    return undefined;
  }, [reports, address, turn]);

  useEffect(
    () => () => {
      last.current?.control.abort();
      last.current = null;
    },
    [],
  );
  const outdated = held.address !== address;
  return { value: outdated && held.problem ? null : held.value, problem: held.problem, refusal: held.refusal, outdated, progress };
}
