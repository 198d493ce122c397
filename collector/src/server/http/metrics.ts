/** `GET /v1/metrics` and what is below it: the published metrics and their estimates. */

import type { RequestHandler, Response, Router } from 'express';
import { takesCandidates } from '../../answers/candidates.ts';
import type { Decoding } from '../../answers/decode-thread.ts';
import type { DecodeTask, Progress } from '../../answers/decoded-strings.ts';
import { askedOf } from '../../answers/distribution.ts';
import type { Truth } from '../../answers/estimates.ts';
import type { Estimating } from '../../answers/estimates-thread.ts';
import type { HeldAnswer } from '../../answers/packed-answer.ts';
import { type PackedAnswer, type Page, pack } from '../../answers/packed-answer.ts';
import type { Totals } from '../../answers/summary.ts';
import { summaryOf } from '../../answers/summary.ts';
import type { Task } from '../../answers/tasks.ts';
import {
  associationParameters,
  compareParameters,
  decodeParameters,
  estimatesParameters,
  listParameters,
  parseQuery,
  seriesParameters,
} from '../../api/forms/parameters.ts';
import { describeApi, pageOf } from '../../api/openapi/openapi.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import { exactRouter } from './routing.ts';
import { candidatesAsked, checkAssociation, findMetric, partsOf, select, selectTwo, truthOf } from './select.ts';
import { endOf, maxAgeOf, sendEvents, sendPage, wantsEvents } from './send.ts';

// `GET /v1/metrics/:name/decode`: which strings are in a metric's reports. With `Accept: text/event-stream`, also how far that is.

/** Options of the route. */
interface DecodeOptions {
  /** Published schemas that the reader of a request may see. */
  readonly catalogOf: (response: Response) => Catalog;
  readonly decoding: Decoding;
  readonly minimum: number;
  readonly truth?: Truth | undefined;
}

/** Answers decodes. */
const decodeRoute =
  ({ catalogOf, decoding, minimum, truth }: DecodeOptions): RequestHandler<{ name: string }> =>
  async (request, response) => {
    const { rest, segments } = parseQuery(decodeParameters, request.query);
    const published = catalogOf(response);
    const selected = select(published, findMetric(published, request.params.name, rest.app), rest, segments[0] ?? {});
    const { document } = selected.metric;
    if (!takesCandidates(document))
      throw new Refusal(400, 'bad-query', 'a text, a discover, or a joint question with a text', `a ${document.type}`);
    const candidates = candidatesAsked(selected, rest.candidate);
    const shares = truthOf(truth, selected, rest.version);
    const { fdr, all } = rest;
    const task: DecodeTask = {
      of: [selected],
      settings: { minimum, fdr, all, ...(candidates && { candidates }) },
      ...(shares && { shares }),
    };
    const signal = endOf(response);
    const compute = (onProgress?: (how: Progress) => void): Promise<HeldAnswer> =>
      decoding.answer(task, maxAgeOf(request), signal, onProgress);
    try {
      if (wantsEvents(request)) return await sendEvents(response, rest, compute);
      const { answer, release } = await compute();
      try {
        await sendPage(response, answer, rest);
      } finally {
        release();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };

/** Options of the read side of the API. */
export interface ReadOptions extends DecodeOptions {
  readonly estimating: Estimating;
}

/** The read side of the API, for readers that passed `requireReader`. */
export function metricsRouter({ catalogOf, estimating, decoding, minimum, truth }: ReadOptions): Router {
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
    const shares = truthOf(truth, selected, rest.version);
    const settings = { minimum, asked, ...(rest.among && { among: rest.among }), ...(candidates && { candidates }) };
    const task: Task = { kind: 'estimates', of: [selected], settings, ...(shares && { shares }) };
    await answer(task, rest, maxAgeOf(request), response);
  };

  const series: RequestHandler<{ name: string }> = async (request, response) => {
    const { rest, segments } = parseQuery(seriesParameters, request.query);
    const published = catalogOf(response);
    const selected = select(published, findMetric(published, request.params.name, rest.app), rest, segments[0] ?? {});
    const candidates = candidatesAsked(selected, rest.candidate);
    const settings = { minimum, ...(rest.among && { among: rest.among }), ...(candidates && { candidates }) };
    const maxAge = maxAgeOf(request);
    const parts = partsOf(selected, await estimating.totals(maxAge), rest.interval);
    const task: Task = { kind: 'series', of: [selected], settings, parts, top: rest.top };
    await answer(task, rest, maxAge, response);
  };

  const association: RequestHandler<{ name: string }> = async (request, response) => {
    const { rest, segments } = parseQuery(associationParameters, request.query);
    const published = catalogOf(response);
    const selected = select(published, findMetric(published, request.params.name, rest.app), rest, segments[0] ?? {});
    checkAssociation(selected);
    const candidates = candidatesAsked(selected, rest.candidate);
    const settings = { minimum, ...(rest.among && { among: rest.among }), ...(candidates && { candidates }) };
    await answer({ kind: 'association', of: [selected], settings }, rest, maxAgeOf(request), response);
  };

  const compare: RequestHandler<{ name: string }> = async (request, response) => {
    const { rest, segments } = parseQuery(compareParameters, request.query, ['', 'a.', 'b.']);
    const published = catalogOf(response);
    const { a, b, wording } = selectTwo(published, findMetric(published, request.params.name, rest.app), rest, segments);
    const candidates = candidatesAsked(a, rest.candidate);
    const settings = { minimum, ...(rest.among && { among: rest.among }), ...(candidates && { candidates }) };
    await answer({ kind: 'compare', of: [a, b], settings, wording }, rest, maxAgeOf(request), response);
  };

  const description = describeApi();
  const page = pageOf(description);
  return exactRouter()
    .get('/v1/openapi.json', (_request, response) => void response.json(description))
    .get('/v1/docs', (_request, response) => void response.type('html').send(page))
    .get('/v1/metrics', list)
    .get('/v1/metrics/:name/estimates', estimates)
    .get('/v1/metrics/:name/decode', decodeRoute({ catalogOf, decoding, minimum, truth }))
    .get('/v1/metrics/:name/series', series)
    .get('/v1/metrics/:name/association', association)
    .get('/v1/metrics/:name/compare', compare);
}
