/** @module A typed reader of a collector's API, for browsers, Node and every other platform with `fetch`. It imports nothing of Node. */

import type { Sign } from '../../answers/signs.ts';
import type { MetricSummary } from '../../answers/summary.ts';
import type { PlanOf } from '../../planning/plan/plan-of.ts';
import type { Others } from '../forms/answers.ts';
import type { ShownAnnotation } from '../openapi/annotations.ts';
import { createRequests } from './requests.ts';
import type {
  AnswerOf,
  AnySchema,
  Asked,
  AssociationOf,
  CompareAsked,
  ComparisonOf,
  DecodeAsked,
  EstimatesAsked,
  EstimatesOf,
  MetricOf,
  PlanAsked,
  Selection,
  SeriesAsked,
  SeriesOf,
  StringsOf,
} from './types.ts';

export type { Sign } from '../../answers/signs.ts';
export type { MetricSummary } from '../../answers/summary.ts';
export type { PlanOf } from '../../planning/plan/plan-of.ts';
export type { Other, Others } from '../forms/answers.ts';
export type { ShownAnnotation as Annotation } from '../openapi/annotations.ts';
export { ReadError } from './requests.ts';
export type {
  AnswerOf,
  AnySchema,
  Asked,
  AssociationOf,
  CompareAsked,
  ComparisonOf,
  DecodeAsked,
  DecodeProgress,
  EstimatesAsked,
  EstimatesOf,
  MetricOf,
  PlanAsked,
  Selection,
  SeriesAsked,
  SeriesOf,
  StringsOf,
} from './types.ts';

/** How to reach a collector. */
export interface ReaderOptions {
  /** The collector's address, with the path under which it is served. */
  readonly url: string | URL;
  /** An access token. A browser that has signed in needs none. */
  readonly token?: string;
  /** Seconds that an answer may be old. Answers of that age are shared with other readers. Default: 0. */
  readonly maxAge?: number;
  /** Milliseconds until a request is given up; where progress is wanted, without a word from the collector. Default: 60,000. */
  readonly timeout?: number;
  readonly fetch?: typeof fetch;
}

/** Reads a collector. Methods reject with a `ReadError` when it refuses, and with what `fetch` throws when it can't be reached. */
export interface Reader<S extends AnySchema> {
  /** The published metrics, of the schema's app where there is a schema. */
  readonly metrics: (signal?: AbortSignal) => Promise<readonly MetricSummary[]>;
  /** Signs that reports are not what they seem, of the schema's app where there is a schema. */
  readonly signs: (signal?: AbortSignal) => Promise<readonly Sign[]>;
  /** What is written on days, and the versions of an app that arrived: of the schema's app, of one app, or of all. */
  readonly annotations: (asked?: Pick<Asked<S>, 'app' | 'signal'>) => Promise<readonly ShownAnnotation[]>;
  readonly estimates: <K extends MetricOf<S>>(metric: K, asked?: EstimatesAsked<S>) => Promise<EstimatesOf<AnswerOf<S, K>>>;
  /** Only of a joint question: a text, or its first list, with the other lists. */
  readonly association: (metric: MetricOf<S>, asked?: Omit<Asked<S>, 'looks'>) => Promise<AssociationOf>;
  /**
   * Which strings are in the reports of a text or a discover, and what the whole distribution looks like. With `onProgress` it may take as long as the
   * collector decodes; otherwise the timeout holds.
   */
  readonly decode: <K extends MetricOf<S>>(metric: K, asked?: DecodeAsked<S>) => Promise<StringsOf<AnswerOf<S, K>>>;
  readonly series: <K extends MetricOf<S>>(metric: K, asked?: SeriesAsked<S>) => Promise<SeriesOf<AnswerOf<S, K>>>;
  /** b minus a. What is asked beside them holds for both. */
  readonly compare: <K extends MetricOf<S>>(
    metric: K,
    a: Selection<S>,
    b: Selection<S>,
    asked?: CompareAsked<S>,
  ) => Promise<ComparisonOf<AnswerOf<S, K>>>;
  /** The other metrics of the app between the same two selections, all judged together. */
  readonly others: (
    metric: MetricOf<S>,
    a: Selection<S>,
    b: Selection<S>,
    asked?: Omit<CompareAsked<S>, 'candidates' | 'limit' | 'offset'>,
  ) => Promise<Others>;
  /** The plan of a new question, by the app's newest schema and its traffic. */
  readonly plan: (asked: PlanAsked) => Promise<PlanOf>;
  readonly planAddressOf: (asked: PlanAsked) => string;
  /** The address of an answer about a metric, relative to the collector's. `a` and `b` are the sides of a comparison. */
  readonly addressOf: (
    metric: MetricOf<S>,
    asked?: EstimatesAsked<S> & SeriesAsked<S> & DecodeAsked<S> & CompareAsked<S>,
    kind?: 'estimates' | 'decode' | 'series' | 'compare' | 'others',
    a?: Selection<S>,
    b?: Selection<S>,
  ) => string;
}

/** Metrics of one page of the list. */
const PAGE = 1_000;

type Pairs = [name: string, value: string][];

/** The parameters of a selection. */
function selectionPairs({ from, to, version, exclude, segment = {} }: Selection<AnySchema>, prefix = ''): Pairs {
  const range = Object.entries({ from, to, version, exclude: exclude?.length === 0 ? undefined : exclude?.join() }).flatMap(
    ([name, value]): Pairs => (value === undefined ? [] : [[name, String(value)]]),
  );
  const segments = Object.entries(segment).flatMap(([name, value]): Pairs => (value === undefined ? [] : [[`segment.${name}`, value]]));
  return [...range, ...segments].map(([name, value]) => [prefix + name, value]);
}

type PairsAsked = EstimatesAsked<AnySchema> & SeriesAsked<AnySchema> & DecodeAsked<AnySchema> & CompareAsked<AnySchema>;

/** The parameters of a request. */
function pairsOf(asked: PairsAsked, app: string | undefined): Pairs {
  const { candidates = [], ranges, quantiles, among, looks, together, orLater, limit, offset, interval, top, fdr, all, experiment } = asked;
  const single = {
    app: app ?? asked.app,
    among,
    looks,
    together,
    orLater,
    limit,
    offset,
    interval,
    top,
    fdr: fdr?.toFixed(9),
    all,
    experiment,
  };
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
  const headers: Record<string, string> = {};
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  if (maxAge > 0) headers['cache-control'] = `max-age=${Math.floor(maxAge)}`;
  const { get, follow } = createRequests({ base, headers, timeout, send });
  /** The parameter of what is asked of an app: the schema's, another one, or all. */
  const ofApp = (other?: string): URLSearchParams => {
    const one = app ?? other;
    return new URLSearchParams(one === undefined ? {} : { app: one });
  };
  const addressOf = (
    metric: string,
    asked: PairsAsked,
    kind: string,
    a: Selection<AnySchema> = {},
    b: Selection<AnySchema> = {},
  ): string => {
    const pairs = [...pairsOf(asked, app), ...selectionPairs(a, 'a.'), ...selectionPairs(b, 'b.')];
    return `v1/metrics/${encodeURIComponent(metric)}/${kind}?${new URLSearchParams(pairs)}`;
  };

  const planAddressOf = ({ wishes = {}, signal: _signal, ...asked }: PlanAsked): string => {
    const pairs = Object.entries({ ...asked, app: app ?? asked.app }).flatMap(
      ([name, value]): Pairs => (value === undefined ? [] : [[name, String(value)]]),
    );
    const wished = Object.entries(wishes).map(([metric, error]): Pairs[number] => ['wish', `${metric}:${error}`]);
    return `v1/plan?${new URLSearchParams([...pairs, ...wished])}`;
  };

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
    signs: async (signal) => (await get<{ readonly signs: readonly Sign[] }>(`v1/signs?${ofApp()}`, signal)).signs,
    annotations: async (asked = {}) => {
      const address = `v1/annotations?${ofApp(asked.app)}`;
      return (await get<{ readonly annotations: readonly ShownAnnotation[] }>(address, asked.signal)).annotations;
    },
    estimates: (metric, asked = {}) => get(addressOf(metric, asked, 'estimates'), asked.signal),
    association: (metric, asked = {}) => get(addressOf(metric, asked, 'association'), asked.signal),
    decode: (metric, asked = {}) => {
      const address = addressOf(metric, asked, 'decode');
      return asked.onProgress ? follow(address, asked.signal, asked.onProgress) : get(address, asked.signal);
    },
    series: (metric, asked = {}) => get(addressOf(metric, asked, 'series'), asked.signal),
    compare: (metric, a, b, asked = {}) => get(addressOf(metric, asked, 'compare', a, b), asked.signal),
    others: (metric, a, b, asked = {}) => get(addressOf(metric, asked, 'others', a, b), asked.signal),
    plan: (asked) => get(planAddressOf(asked), asked.signal),
    planAddressOf,
    addressOf: (metric, asked = {}, kind = 'estimates', a, b) => addressOf(metric, asked, kind, a, b),
  };
}
