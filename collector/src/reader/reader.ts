/** @module A typed reader of a collector's API, for browsers, Node and every other platform with `fetch`. It imports nothing of Node. */

import type { MetricSummary } from '../http/read/summary.ts';
import type { RefusalBody } from '../http/refusal.ts';
import type {
  AnswerOf,
  AnySchema,
  Asked,
  AssociationOf,
  ComparisonOf,
  EstimatesAsked,
  EstimatesOf,
  MetricOf,
  Selection,
  SeriesAsked,
  SeriesOf,
} from './types.ts';

export type { MetricSummary } from '../http/read/summary.ts';
export type {
  AnswerOf,
  AnySchema,
  Asked,
  AssociationOf,
  ComparisonOf,
  EstimatesAsked,
  EstimatesOf,
  MetricOf,
  Selection,
  SeriesAsked,
  SeriesOf,
} from './types.ts';

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

/** How to reach a collector. */
export interface ReaderOptions {
  /** The collector's address, with the path under which it is served. */
  readonly url: string | URL;
  /** An access token. A browser that has signed in needs none. */
  readonly token?: string;
  /** Seconds that an answer may be old. Answers of that age are shared with other readers. Default: 0. */
  readonly maxAge?: number;
  /** Milliseconds until a request is given up. Default: 60,000. */
  readonly timeout?: number;
  readonly fetch?: typeof fetch;
}

/** Reads a collector. Methods reject with a `ReadError` when it refuses, and with what `fetch` throws when it can't be reached. */
export interface Reader<S extends AnySchema> {
  /** The published metrics, of the schema's app where there is a schema. */
  readonly metrics: (signal?: AbortSignal) => Promise<readonly MetricSummary[]>;
  readonly estimates: <K extends MetricOf<S>>(metric: K, asked?: EstimatesAsked<S>) => Promise<EstimatesOf<AnswerOf<S, K>>>;
  /** Only of a text asked together with lists. */
  readonly association: (metric: MetricOf<S>, asked?: Asked<S>) => Promise<AssociationOf>;
  readonly series: <K extends MetricOf<S>>(metric: K, asked?: SeriesAsked<S>) => Promise<SeriesOf<AnswerOf<S, K>>>;
  /** b minus a. What is asked beside them holds for both. */
  readonly compare: <K extends MetricOf<S>>(
    metric: K,
    a: Selection<S>,
    b: Selection<S>,
    asked?: Asked<S>,
  ) => Promise<ComparisonOf<AnswerOf<S, K>>>;
  /** The address of a metric's estimates, relative to the collector's. */
  readonly addressOf: (metric: MetricOf<S>, asked?: EstimatesAsked<S>) => string;
}

/** Metrics of one page of the list. */
const PAGE = 1_000;

type Pairs = [name: string, value: string][];

/** The parameters of a selection. */
function selectionPairs({ from, to, version, segment = {} }: Selection<AnySchema>, prefix = ''): Pairs {
  const range = Object.entries({ from, to, version }).flatMap(
    ([name, value]): Pairs => (value === undefined ? [] : [[name, String(value)]]),
  );
  const segments = Object.entries(segment).flatMap(([name, value]): Pairs => (value === undefined ? [] : [[`segment.${name}`, value]]));
  return [...range, ...segments].map(([name, value]) => [prefix + name, value]);
}

/** The parameters of a request. */
function pairsOf(asked: EstimatesAsked<AnySchema> & SeriesAsked<AnySchema>, app: string | undefined): Pairs {
  const { candidates = [], ranges, quantiles, among, limit, offset, interval, top } = asked;
  const single = { app: app ?? asked.app, among, limit, offset, interval, top };
  return [
    ...Object.entries(single).flatMap(([name, value]): Pairs => (value === undefined ? [] : [[name, String(value)]])),
    ...selectionPairs(asked),
    ...candidates.map((candidate): Pairs[number] => ['candidate', candidate]),
    ...(ranges ? [['ranges', ranges.map((range) => range.join('..')).join()] as Pairs[number]] : []),
    ...(quantiles ? [['quantiles', quantiles.join()] as Pairs[number]] : []),
  ];
}

/**
 * Creates a reader. With a schema, misspelt metrics and segments do not compile, and answers have their types.
 *
 * @example
 * const reader = createReader(schema, { url: 'https://t.example.com', token: 'mr_...' });
 * const { answers } = await reader.estimates('plan', { from: '2026-11-01', segment: { platform: 'web' } });
 */
export function createReader<S extends AnySchema>(schema: S, options: ReaderOptions): Reader<S> {
  const { url, token, maxAge = 0, timeout = 60_000, fetch: send = fetch } = options;
  const base = new URL(url);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const app = schema?.document.app;
  const headers: Record<string, string> = { accept: 'application/json' };
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  if (maxAge > 0) headers['cache-control'] = `max-age=${Math.floor(maxAge)}`;

  const get = async <T>(address: string, signal: AbortSignal | undefined): Promise<T> => {
    const late = AbortSignal.timeout(timeout);
    const response = await send(new URL(address, base), { headers, signal: signal ? AbortSignal.any([signal, late]) : late });
    const text = await response.text();
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      if (response.ok)
        throw new ReadError(response.status, null, 'The collector’s answer is not JSON. Does something else serve this address?');
    }
    if (!response.ok) throw new ReadError(response.status, (body ?? null) as Partial<RefusalBody> | null);
    return body as T;
  };
  const addressOf = (metric: string, kind: string, pairs: Pairs): string =>
    `v1/metrics/${encodeURIComponent(metric)}/${kind}?${new URLSearchParams(pairs)}`;

  return {
    metrics: async (signal) => {
      const all: MetricSummary[] = [];
      for (let total = 1; all.length < total; ) {
        const address = `v1/metrics?limit=${PAGE}&offset=${all.length}`;
        const { metrics, page } = await get<{ readonly metrics: readonly MetricSummary[]; readonly page: { readonly total: number } }>(
          address,
          signal,
        );
        all.push(...metrics);
        total = metrics.length === 0 ? 0 : page.total;
      }
      return app === undefined ? all : all.filter((metric) => metric.app === app);
    },
    estimates: (metric, asked = {}) => get(addressOf(metric, 'estimates', pairsOf(asked, app)), asked.signal),
    association: (metric, asked = {}) => get(addressOf(metric, 'association', pairsOf(asked, app)), asked.signal),
    series: (metric, asked = {}) => get(addressOf(metric, 'series', pairsOf(asked, app)), asked.signal),
    compare: (metric, a, b, asked = {}) => {
      const pairs = [...pairsOf(asked, app), ...selectionPairs(a, 'a.'), ...selectionPairs(b, 'b.')];
      return get(addressOf(metric, 'compare', pairs), asked.signal);
    },
    addressOf: (metric, asked = {}) => addressOf(metric, 'estimates', pairsOf(asked, app)),
  };
}
