/** `GET /v1/metrics` and what is below it: the published metrics and their estimates. */

import { type About, dayText, type Law, type MetricDocument, type SchemaDocument } from '@murmuration/shared';
import { type RequestHandler, type Response, Router } from 'express';
import type { Truth } from '../estimates/estimates.ts';
import type { Estimating } from '../estimates/estimates-thread.ts';
import { type Totals, totalKey } from '../estimates/fresh-totals.ts';
import { type PackedAnswer, type Page, pack } from '../estimates/packed-answer.ts';
import { askedOf } from '../estimates/query.ts';
import type { Task } from '../estimates/tasks.ts';
import type { Catalog, PublishedMetric } from '../schemas/catalog.ts';
import { inWords } from '../schemas/otherwise.ts';
import { compareParameters, estimatesParameters, listParameters, parseQuery, seriesParameters } from './read/parameters.ts';
import { candidatesAsked, findMetric, partsOf, select, selectTwo } from './read/select.ts';
import { endOf, maxAgeOf, sendPage } from './read/send.ts';

/** A metric in the answer of `GET /v1/metrics`. */
export interface MetricSummary
  extends About,
    Pick<MetricDocument, 'type' | 'epsilon' | 'every' | 'permanent'>,
    Pick<PublishedMetric, 'app' | 'metric' | 'version' | 'segments'> {
  readonly mechanism: Law['mechanism'];
  /** The answer that is reported for slots in which nothing was recorded, in words. */
  readonly otherwise?: string;
  /** Each device is asked only a random part of the schema's metrics. */
  readonly assign?: NonNullable<SchemaDocument['assign']>;
  readonly reports: number;
  /** The first and the last day with reports; null without any. */
  readonly from: string | null;
  readonly to: string | null;
}

/** What a metric's reports are in all. */
function totalOf(totals: Totals, { schemas, metric }: PublishedMetric): Pick<MetricSummary, 'reports' | 'from' | 'to'> {
  const found = schemas.flatMap((schema) => totals.get(totalKey(schema, metric)) ?? []);
  if (found.length === 0) return { reports: 0, from: null, to: null };
  return {
    reports: found.reduce((sum, { reports }) => sum + reports, 0),
    from: dayText(Math.min(...found.map(({ from }) => from))),
    to: dayText(Math.max(...found.map(({ to }) => to))),
  };
}

function summaryOf(metric: PublishedMetric, totals: Totals): MetricSummary {
  const { type, law, epsilon, every, permanent, otherwise } = metric.document;
  const participation = {
    ...(otherwise !== undefined && { otherwise: inWords(otherwise) }),
    ...(metric.assign && { assign: metric.assign }),
  };
  const asked = { type, mechanism: law.mechanism, epsilon, every, ...(permanent && { permanent }), ...participation };
  const { app, metric: name, version, about, segments } = metric;
  return { app, metric: name, version, ...about, ...asked, ...totalOf(totals, metric), segments };
}

/** What the read side of the API needs. */
export interface ReadOptions {
  /** What the reader of a request may see of the published schemas. */
  readonly catalogOf: (response: Response) => Catalog;
  readonly estimating: Estimating;
  readonly minimum: number;
  readonly truth?: Truth | undefined;
}

/** The read side of the API, for readers that passed `requireReader`. */
export function metricsRouter({ catalogOf, estimating, minimum, truth }: ReadOptions): Router {
  /** The list of each catalog, made once for the same totals. */
  const lists = new WeakMap<Catalog, { readonly totals: Totals; readonly answer: PackedAnswer }>();
  const list: RequestHandler = async (request, response) => {
    const { rest } = parseQuery(listParameters, request.query, []);
    const [totals, published] = [await estimating.totals(maxAgeOf(request)), catalogOf(response)];
    let known = lists.get(published);
    if (known?.totals !== totals) {
      const metrics = published.metrics.map((metric) => summaryOf(metric, totals));
      known = { totals, answer: pack('metrics', metrics, {}) };
      lists.set(published, known);
    }
    await sendPage(response, known.answer, rest);
  };

  /** Sends a page of the answer to a task, unless the client goes before it is computed. */
  const answer = async (task: Task, page: Page, maxAge: number, response: Response): Promise<void> => {
    const signal = endOf(response);
    try {
      const { answer, release } = await estimating.answer(task, maxAge, signal);
      try {
        await sendPage(response, answer, page);
      } finally {
        release();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };

  const estimates: RequestHandler<{ name: string }> = async (request, response) => {
    const { rest, segments } = parseQuery(estimatesParameters, request.query);
    const published = catalogOf(response);
    const selected = select(published, findMetric(published, request.params.name, rest.app), rest, segments[0] ?? {});
    const candidates = candidatesAsked(selected, rest.candidate);
    const asked = askedOf(selected.metric.document, rest.ranges, rest.quantiles);
    const { from, to, segment = {} } = selected.range;
    const isAll = from === undefined && to === undefined && rest.version === undefined && Object.keys(segment).length === 0;
    const shares = isAll ? truth?.(selected.metric.app, selected.metric.metric) : undefined;
    const settings = { minimum, asked, ...(rest.among && { among: rest.among }), ...(candidates && { candidates }) };
    const task: Task = { kind: 'estimates', of: [selected], settings, ...(shares && { shares }) };
    await answer(task, rest, maxAgeOf(request), response);
  };

  const series: RequestHandler<{ name: string }> = async (request, response) => {
    const { rest, segments } = parseQuery(seriesParameters, request.query);
    const published = catalog();
    const selected = select(published, findMetric(published, request.params.name, rest.app), rest, segments[0] ?? {});
    const candidates = candidatesAsked(selected, rest.candidate);
    const settings = { minimum, ...(rest.among && { among: rest.among }), ...(candidates && { candidates }) };
    const maxAge = maxAgeOf(request);
    const parts = partsOf(selected, await estimating.totals(maxAge), rest.interval);
    const task: Task = { kind: 'series', of: [selected], settings, parts, top: rest.top };
    await answer(task, rest, maxAge, response);
  };

  const compare: RequestHandler<{ name: string }> = async (request, response) => {
    const { rest, segments } = parseQuery(compareParameters, request.query, ['', 'a.', 'b.']);
    const published = catalog();
    const { a, b, wording } = selectTwo(published, findMetric(published, request.params.name, rest.app), rest, segments);
    const candidates = candidatesAsked(a, rest.candidate);
    const settings = { minimum, ...(rest.among && { among: rest.among }), ...(candidates && { candidates }) };
    await answer({ kind: 'compare', of: [a, b], settings, wording }, rest, maxAgeOf(request), response);
  };

  return Router()
    .get('/v1/metrics', list)
    .get('/v1/metrics/:name/estimates', estimates)
    .get('/v1/metrics/:name/series', series)
    .get('/v1/metrics/:name/compare', compare);
}
