/** `GET /v1/metrics` and `GET /v1/metrics/:name/estimates`: the published metrics and their estimates. */

import { type About, dayText, type Law, type MetricDocument, parseDay, type SchemaDocument } from '@murmuration/shared';
import { type RequestHandler, Router } from 'express';
import { z } from 'zod';
import { takesCandidates } from '../estimates/candidates.ts';
import { gather, type Settings } from '../estimates/estimates.ts';
import type { Estimating } from '../estimates/estimates-thread.ts';
import { askedOf } from '../estimates/query.ts';
import { AMONG } from '../estimators/people.ts';
import type { Catalog, PublishedMetric } from '../schemas/catalog.ts';
import { inWords } from '../schemas/otherwise.ts';
import type { Store } from '../store/store.ts';
import { visible } from './access.ts';
import { Refusal } from './refusal.ts';

const day = z.string().transform((text, context) => {
  const number = parseDay(text);
  if (number === undefined) context.addIssue({ code: 'custom', message: 'a day such as 2026-11-20', input: text });
  return number as number;
});

const query = z.strictObject({
  app: z.string().optional(),
  from: day.optional(),
  to: day.optional(),
  candidate: z.union([z.string(), z.array(z.string())]).optional(),
  ranges: z.string().optional(),
  quantiles: z.string().optional(),
  among: z.enum(AMONG, { error: `one of ${AMONG.join(', ')}` }).optional(),
});

/** Splits `segment.<name>=<value>` from the other parameters. */
function parseQuery(parameters: object): { readonly rest: z.infer<typeof query>; readonly segment: { readonly [name: string]: string } } {
  const entries = Object.entries(parameters as { readonly [key: string]: unknown });
  const isSegment = ([key]: readonly [string, unknown]): boolean => key.startsWith('segment.');
  const parsed = query.safeParse(Object.fromEntries(entries.filter((entry) => !isSegment(entry))));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Refusal(
      400,
      'bad-query',
      `${issue?.path.join('.') || 'parameters'}: ${issue?.message}`,
      JSON.stringify(parameters).slice(0, 200),
    );
  }
  const segment = Object.fromEntries(entries.filter(isSegment).map(([key, value]) => [key.slice('segment.'.length), String(value)]));
  return { rest: parsed.data, segment };
}

function find(metrics: readonly PublishedMetric[], name: string, app: string | undefined): PublishedMetric {
  const found = metrics.filter((each) => each.metric === name && (app === undefined || each.app === app));
  const [metric] = found;
  if (metric === undefined) throw new Refusal(404, 'unknown-metric', 'a published metric', app === undefined ? name : `${app}/${name}`);
  if (found.length > 1) throw new Refusal(400, 'ambiguous-metric', `app: one of ${found.map((each) => each.app).join(', ')}`, 'none');
  return metric;
}

function checkSegment({ segments }: PublishedMetric, segment: { readonly [name: string]: string }): void {
  for (const [name, value] of Object.entries(segment)) {
    const values = Object.hasOwn(segments, name) ? segments[name] : undefined;
    if (!values?.includes(value))
      throw new Refusal(400, 'bad-segment', values ? `${name}: one of ${values.join(', ')}` : 'a declared segment', `${name}=${value}`);
  }
}

/** Throws unless the days form a range and the metric has a string wherever candidates are given. */
function checkAsked({ document }: PublishedMetric, { from, to, candidate }: z.infer<typeof query>): void {
  if (from !== undefined && to !== undefined && from > to)
    throw new Refusal(400, 'bad-query', `from: a day up to ${dayText(to)}, which is asked as to`, dayText(from));
  if (candidate !== undefined && !takesCandidates(document))
    throw new Refusal(400, 'bad-query', 'candidate: of a text, or a joint question with one, only', `a ${document.type}`);
}

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

/** The read side of the API, for readers that passed `requireReader`. `settingsOf` gives a metric's candidates and what else its estimates need. */
export function metricsRouter(
  catalog: Catalog,
  store: Store,
  { estimate }: Estimating,
  settingsOf: (metric: PublishedMetric) => Settings,
): Router {
  const list: RequestHandler = async (_request, response) => {
    const metrics = visible(response, catalog.metrics).map(
      async ({ app, metric, version, document, about, segments, assign, schemas }): Promise<MetricSummary> => {
        const { type, law, epsilon, every, permanent, otherwise } = document;
        const { reports, from, to } = await store.read({ schemas, metric });
        const day = (number: number | null): string | null => (number === null ? null : dayText(number));
        const participation = { ...(otherwise !== undefined && { otherwise: inWords(otherwise) }), ...(assign && { assign }) };
        const asked = { type, mechanism: law.mechanism, epsilon, every, ...(permanent && { permanent }), ...participation };
        return { app, metric, version, ...about, ...asked, reports, from: day(from), to: day(to), segments };
      },
    );
    response.json({ metrics: await Promise.all(metrics) });
  };
  const estimates: RequestHandler<{ name: string }> = async (request, response) => {
    const { rest, segment } = parseQuery(request.query);
    const metric = find(visible(response, catalog.metrics), request.params.name, rest.app);
    checkSegment(metric, segment);
    checkAsked(metric, rest);
    const settings = settingsOf(metric);
    const candidates = rest.candidate === undefined ? settings.candidates : [rest.candidate].flat();
    const range = { ...(rest.from !== undefined && { from: rest.from }), ...(rest.to !== undefined && { to: rest.to }), segment };
    const asked = askedOf(metric.document, rest.ranges, rest.quantiles);
    response.json(await estimate(await gather(store, metric, range, { ...settings, candidates, asked, among: rest.among })));
  };
  return Router().get('/v1/metrics', list).get('/v1/metrics/:name/estimates', estimates);
}
