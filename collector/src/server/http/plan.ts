/** `GET /v1/plan`: forecasts of a new question, by the newest schema of an app and its traffic. They are made in a thread of their own. */

import type { SchemaDocument } from '@murmuration/shared';
import type { RequestHandler, Response } from 'express';
import type { Estimating } from '../../answers/estimates-thread.ts';
import { summaryOf } from '../../answers/summary.ts';
import { parseQuery } from '../../api/forms/parameters.ts';
import { planParameters } from '../../api/openapi/plan.ts';
import { kindOf } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Plans } from '../../planning/plan/plan-thread.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import { endOf } from './send.ts';

/** Milliseconds that totals may be old: traffic is that of weeks. */
const MOST_AGE = 60_000;

/** The newest schema of the app. @throws {Refusal} 404 when there is none, 400 when there are several apps */
function newestOf({ schemas }: Catalog, app: string | undefined): SchemaDocument {
  const all = [...schemas.values()].filter((each) => app === undefined || each.app === app);
  const apps = [...new Set(all.map((each) => each.app))];
  if (apps.length > 1) throw new Refusal(400, 'ambiguous-app', `app: one of ${apps.join(', ')}`, 'none');
  const [newest] = all.toSorted((one, other) => other.version - one.version);
  if (newest === undefined) throw new Refusal(404, 'unknown-app', 'a published app', (app ?? 'none').slice(0, 80));
  return newest;
}

/** The refusal for a fault of usage or an error of a range. Options are named as parameters. Any other error is thrown as it is. */
function refusePlan(type: string, error: unknown): never {
  if (kindOf(error) !== 'usage' && !(error instanceof RangeError)) throw error;
  const [expected = '', got = 'another'] = (error as Error).message.split(', got ');
  const named = expected.replace(`--${type}: `, 'of: ').replace(/^schema\.(metrics\.question: )?/, '');
  throw new Refusal(400, 'bad-plan', named.slice(0, 200), got.slice(0, 200));
}

/** Parts of the route. */
interface PlanParts {
  /** Published schemas that the reader of a request may see. */
  readonly catalogOf: (response: Response) => Catalog;
  readonly estimating: Pick<Estimating, 'totals'>;
  readonly plans: Plans;
}

/** The route. */
export const planHandler =
  ({ catalogOf, estimating, plans }: PlanParts): RequestHandler =>
  async (request, response) => {
    const { rest } = parseQuery(planParameters, request.query, []);
    const { type, of = '', atMost, epsilon, wish = [], app, ...planned } = rest;
    const published = catalogOf(response);
    const document = newestOf(published, app);
    const totals = await estimating.totals(MOST_AGE);
    const metrics = published.metrics
      .filter((metric) => metric.app === document.app)
      .map((metric) => summaryOf(metric, published.schemas, totals));
    const wishes = new Map(
      [wish]
        .flat()
        .map((text) => text.split(':') as [string, string])
        .map(([name, error]) => [name, Number(error)]),
    );
    const signal = endOf(response);
    try {
      response.json(await plans({ document, metrics, type, of, atMost, epsilon, planned, wishes }, signal));
    } catch (error) {
      if (!signal.aborted) refusePlan(type, error);
    }
  };
