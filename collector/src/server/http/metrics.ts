/** `GET /v1/metrics` and what is below it: the published metrics and their estimates; and `GET /v1/signs` of their reports. */

import type { Request, RequestHandler, Response, Router } from 'express';
import type { Decoding } from '../../answers/decode-thread.ts';
import type { DecodeTask, Progress } from '../../answers/decoded-strings.ts';
import { askedOf } from '../../answers/distribution.ts';
import type { Truth } from '../../answers/estimates.ts';
import type { Estimating } from '../../answers/estimates-thread.ts';
import type { HeldAnswer } from '../../answers/packed-answer.ts';
import { type PackedAnswer, type Page, pack, tagOf } from '../../answers/packed-answer.ts';
import type { Totals } from '../../answers/summary.ts';
import { summaryOf } from '../../answers/summary.ts';
import type { Selected, Task } from '../../answers/tasks.ts';
import { verdictsOf } from '../../answers/verdict.ts';
import type { Watching } from '../../answers/watching.ts';
import {
  appParameters,
  associationParameters,
  compareParameters,
  decodeParameters,
  estimatesParameters,
  listParameters,
  type Parameters,
  parseQuery,
  type RangeAsked,
  seriesParameters,
} from '../../api/forms/parameters.ts';
import { describeApi, pageOf } from '../../api/openapi/openapi.ts';
import type { Among } from '../../estimation/estimate.ts';
import type { Plans } from '../../planning/plan/plan-thread.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import { othersHandler } from './others.ts';
import { planHandler } from './plan.ts';
import { exactRouter } from './routing.ts';
import { candidatesAsked, checkAssociation, checkDecode, checkLater, findMetric, partsOf, select, selectTwo, truthOf } from './select.ts';
import { endOf, maxAgeOf, sendEvents, sendPage, sendTagged, wantsEvents } from './send.ts';

/** Options of the read side of the API. */
export interface ReadOptions {
  /** Published schemas that the reader of a request may see. */
  readonly catalogOf: (response: Response) => Catalog;
  readonly estimating: Estimating;
  readonly decoding: Decoding;
  readonly watching: Pick<Watching, 'signs'>;
  readonly plans: Plans;
  readonly minimum: number;
  readonly truth?: Truth | undefined;
}

/** The parameters of every question about one metric. */
interface MetricAsked extends RangeAsked, Page {
  readonly app?: string | undefined;
  readonly candidate?: string | readonly string[] | undefined;
}

type MetricRequest = Request<{ name: string }>;

/**
 * A question about one metric: its parameters, the reports that they select, and the strings to look for.
 *
 * @param check refuses metrics that can't be asked so
 */
function questionOf<T extends MetricAsked>(
  catalog: Catalog,
  form: Parameters<T>,
  { query, params }: MetricRequest,
  check: (selected: Selected) => void = () => undefined,
): { readonly rest: T; readonly selected: Selected; readonly candidates: readonly string[] | undefined } {
  const { rest, segments } = parseQuery(form, query);
  const selected = select(catalog, findMetric(catalog, params.name, rest.app), rest, segments[0] ?? {});
  check(selected);
  return { rest, selected, candidates: candidatesAsked(selected, rest.candidate) };
}

/** Settings of a task, without those that nobody asked for. */
const settingsOf = (
  minimum: number,
  { among }: { readonly among?: Among | undefined },
  candidates: readonly string[] | undefined,
): { readonly minimum: number; readonly among?: Among; readonly candidates?: readonly string[] } => ({
  minimum,
  ...(among && { among }),
  ...(candidates && { candidates }),
});

/** Sends a page of the answer that `compute` resolves to, unless the client goes meanwhile. */
async function sendAnswer(response: Response, page: Page, compute: (signal: AbortSignal) => Promise<HeldAnswer>): Promise<void> {
  const signal = endOf(response);
  try {
    const { answer, release } = await compute(signal);
    try {
      await sendPage(response, answer, page);
    } finally {
      release();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The read side of the API, for readers that passed `requireReader`. */
export function metricsRouter({ catalogOf, estimating, decoding, watching, plans, minimum, truth }: ReadOptions): Router {
  /** The list of each catalog, made once for the same totals. */
  const lists = new WeakMap<Catalog, { readonly totals: Totals; readonly answer: PackedAnswer; readonly tag: string }>();
  const list: RequestHandler = async (request, response) => {
    const { rest } = parseQuery(listParameters, request.query, []);
    const [totals, published] = [await estimating.totals(maxAgeOf(request)), catalogOf(response)];
    let known = lists.get(published);
    if (known?.totals !== totals) {
      const metrics = published.metrics.map((metric) => summaryOf(metric, published.schemas, totals));
      const answer = pack('metrics', metrics, {});
      known = { totals, answer, tag: tagOf(answer) };
      lists.set(published, known);
    }
    await sendTagged(response, known.answer, rest, known.tag);
  };

  const answer = (task: Task, page: Page, request: MetricRequest, response: Response): Promise<void> =>
    sendAnswer(response, page, (signal) => estimating.answer(task, maxAgeOf(request), signal));

  const estimates: RequestHandler<{ name: string }> = async (request, response) => {
    const { rest, selected, candidates } = questionOf(catalogOf(response), estimatesParameters, request);
    const asked = askedOf(selected.metric.document, rest.ranges, rest.quantiles);
    const shares = truthOf(truth, selected, rest.version);
    const verdicts = verdictsOf(rest, selected.metric.devices);
    if (rest.orLater) checkLater(selected);
    const wanted = { ...(rest.together && { together: true }), ...(rest.orLater && { orLater: true }) };
    const settings = { ...settingsOf(minimum, rest, candidates), asked, verdicts, ...wanted };
    await answer({ kind: 'estimates', of: [selected], settings, ...(shares && { shares }) }, rest, request, response);
  };

  const series: RequestHandler<{ name: string }> = async (request, response) => {
    const { rest, selected, candidates } = questionOf(catalogOf(response), seriesParameters, request);
    const parts = partsOf(selected, await estimating.totals(maxAgeOf(request)), rest.interval);
    const settings = { ...settingsOf(minimum, rest, candidates), verdicts: verdictsOf(rest, selected.metric.devices) };
    await answer({ kind: 'series', of: [selected], settings, parts, top: rest.top }, rest, request, response);
  };

  const association: RequestHandler<{ name: string }> = async (request, response) => {
    const { rest, selected, candidates } = questionOf(catalogOf(response), associationParameters, request, checkAssociation);
    await answer({ kind: 'association', of: [selected], settings: settingsOf(minimum, rest, candidates) }, rest, request, response);
  };

  const compare: RequestHandler<{ name: string }> = async (request, response) => {
    const { rest, segments } = parseQuery(compareParameters, request.query, ['', 'a.', 'b.']);
    const published = catalogOf(response);
    const { a, b, wording } = selectTwo(published, findMetric(published, request.params.name, rest.app), rest, segments);
    // The days of a comparison are named one by one, so they are taken to stay the same.
    const exclude = [a, b].flatMap(({ range }) => range.exclude ?? []);
    const verdicts = verdictsOf({ looks: rest.looks, exclude }, a.metric.devices);
    const settings = { ...settingsOf(minimum, rest, candidatesAsked(a, rest.candidate)), verdicts };
    await answer({ kind: 'compare', of: [a, b], settings, wording, experiment: rest.experiment }, rest, request, response);
  };

  /** Which strings are in a metric's reports. With `Accept: text/event-stream`, also how far that is. */
  const decode: RequestHandler<{ name: string }> = async (request, response) => {
    const { rest, selected, candidates } = questionOf(catalogOf(response), decodeParameters, request, checkDecode);
    const shares = truthOf(truth, selected, rest.version);
    const verdicts = verdictsOf(rest, selected.metric.devices);
    const settings = { minimum, fdr: rest.fdr, all: rest.all, verdicts, ...(candidates && { candidates }) };
    const task: DecodeTask = { of: [selected], settings, ...(shares && { shares }) };
    const compute = (signal: AbortSignal, onProgress?: (how: Progress) => void): Promise<HeldAnswer> =>
      decoding.answer(task, maxAgeOf(request), signal, onProgress);
    if (!wantsEvents(request)) return sendAnswer(response, rest, compute);
    const signal = endOf(response);
    await sendEvents(response, rest, (onProgress) => compute(signal, onProgress)).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  };

  const signs: RequestHandler = async (request, response) => {
    const { rest } = parseQuery(appParameters, request.query, []);
    const apps = new Set(catalogOf(response).metrics.map(({ app }) => app));
    const found = (await watching.signs()).filter(({ app }) => apps.has(app) && (rest.app === undefined || rest.app === app));
    response.json({ signs: found });
  };

  const description = describeApi();
  const [described, page] = [JSON.stringify(description), pageOf(description)];
  return exactRouter()
    .get('/v1/openapi.json', (_request, response) => void response.type('json').send(described))
    .get('/v1/docs', (_request, response) => void response.type('html').send(page))
    .get('/v1/signs', signs)
    .get('/v1/plan', planHandler({ catalogOf, estimating, plans }))
    .get('/v1/metrics', list)
    .get('/v1/metrics/:name/estimates', estimates)
    .get('/v1/metrics/:name/decode', decode)
    .get('/v1/metrics/:name/series', series)
    .get('/v1/metrics/:name/association', association)
    .get('/v1/metrics/:name/compare', compare)
    .get('/v1/metrics/:name/others', othersHandler({ catalogOf, estimating, minimum }));
}
