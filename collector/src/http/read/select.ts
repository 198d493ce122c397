/** Finds the metric and the reports that a reader asks for, and refuses what is not there. */

import { dayText, wireName } from '@murmuration/shared';
import { takesCandidates } from '../../estimates/candidates.ts';
import type { Selected } from '../../estimates/tasks.ts';
import type { Catalog, PublishedMetric } from '../../schemas/catalog.ts';
import { Refusal } from '../refusal.ts';
import type { RangeAsked, Segment } from './parameters.ts';

/** Text from outside, as far as it is quoted. */
const quoted = (text: string): string => text.slice(0, 80);

/**
 * The metric of this name.
 *
 * @throws {Refusal} 404 when there is none, 400 when several apps have one
 */
export function findMetric({ metrics }: Catalog, name: string, app: string | undefined): PublishedMetric {
  const found = metrics.filter((each) => each.metric === name && (app === undefined || each.app === app));
  const [metric] = found;
  if (metric === undefined)
    throw new Refusal(404, 'unknown-metric', 'a published metric', quoted(app === undefined ? name : `${app}/${name}`));
  if (found.length > 1) throw new Refusal(400, 'ambiguous-metric', `app: one of ${found.map((each) => each.app).join(', ')}`, 'none');
  return metric;
}

/** The metric as one version of the schema asks it, with the reports of this version alone. */
function inVersion({ schemas }: Catalog, metric: PublishedMetric, version: number): PublishedMetric {
  const document = [...schemas.values()].find((each) => each.app === metric.app && each.version === version);
  const asked = document !== undefined && Object.hasOwn(document.metrics, metric.metric) ? document.metrics[metric.metric] : undefined;
  if (document === undefined || asked === undefined)
    throw new Refusal(404, 'unknown-version', `a published version of ${metric.app} that asks ${metric.metric}`, `${version}`);
  return { ...metric, version, document: asked, segments: document.segments ?? {}, schemas: [wireName(document)] };
}

function checkSegment({ segments }: PublishedMetric, segment: Segment): void {
  for (const [name, value] of Object.entries(segment)) {
    const values = Object.hasOwn(segments, name) ? segments[name] : undefined;
    if (!values?.includes(value))
      throw new Refusal(
        400,
        'bad-segment',
        values ? `${name}: one of ${values.join(', ')}` : 'a declared segment',
        quoted(`${name}=${value}`),
      );
  }
}

/**
 * The reports that are asked for.
 *
 * @throws {Refusal} 400 when the days form no range or a segment is not declared, 404 when the version is not published
 */
export function select(catalog: Catalog, newest: PublishedMetric, { from, to, version }: RangeAsked, segment: Segment): Selected {
  const metric = version === undefined ? newest : inVersion(catalog, newest, version);
  checkSegment(metric, segment);
  if (from !== undefined && to !== undefined && from > to)
    throw new Refusal(400, 'bad-query', `from: a day up to ${dayText(to)}, which is asked as to`, dayText(from));
  const { app, metric: name, version: asked, document, schemas } = metric;
  return {
    metric: { app, metric: name, version: asked, document, schemas },
    range: { ...(from !== undefined && { from }), ...(to !== undefined && { to }), segment },
  };
}

/**
 * The candidates that are asked for; undefined for those of the collector.
 *
 * @throws {Refusal} 400 when the metric takes none
 */
export function candidatesAsked(
  { metric: { document } }: Selected,
  candidate: string | readonly string[] | undefined,
): readonly string[] | undefined {
  if (candidate === undefined) return undefined;
  if (takesCandidates(document)) return [...new Set([candidate].flat())];
  throw new Refusal(400, 'bad-query', 'candidate: of a text, or a joint question with one, only', `a ${document.type}`);
}
