/**
 * `GET /v1/metrics/:name/others`: which other metrics of the app differ between the same two selections.
 *
 * The family is all that is said about the other metrics of the app, M of them, whether or not they can be compared. What is said of one
 * metric is a family at 5 % / M (answers/compare.ts). So with a probability of at least 95 % nothing is named that does not differ
 * (Bonferroni; Holm's test over metrics would give the answers within one a larger level than they may have together). Where a comparison
 * holds at every look, so does this: p-values that hold at every look are only summed. A pair of selections is one family, and a reader who
 * opens many pairs has many.
 *
 * Metrics are compared one after the other, as tasks of the thread of estimates, so that other readers wait for one of them at most. Each
 * answer is kept until the reports of its metric change. Metrics that are not compared in time are named, and are quick the next time.
 */

import type { RequestHandler, Response } from 'express';
import { takesCandidates } from '../../answers/candidates.ts';
import type { Comparison, Difference } from '../../answers/compare.ts';
import { type Estimating, wholeAnswer } from '../../answers/estimates-thread.ts';
import { isGiven, verdictsOf } from '../../answers/verdict.ts';
import type { Other, Others } from '../../api/forms/answers.ts';
import { type CompareAsked, othersParameters, parseQuery, type Segment } from '../../api/forms/parameters.ts';
import { Refusal } from '../../base/refusal.ts';
import { LEVEL } from '../../estimation/statistics/looks.ts';
import type { Catalog, PublishedMetric } from '../../schemas/catalog.ts';
import { findMetric, selectTwo, type TwoSelected } from './select.ts';
import { endOf, maxAgeOf } from './send.ts';

/** Milliseconds after which no further metric is compared. */
const PATIENCE = 10_000;

/** Parts of the route. */
interface OthersParts {
  /** Published schemas that the reader of a request may see. */
  readonly catalogOf: (response: Response) => Catalog;
  readonly estimating: Pick<Estimating, 'answer'>;
  readonly minimum: number;
}

/** The same two selections of another metric; undefined where it was not asked in both. */
function sidesOf(catalog: Catalog, metric: PublishedMetric, asked: CompareAsked, segments: readonly Segment[]): TwoSelected | undefined {
  try {
    return selectTwo(catalog, metric, asked, segments);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** The route. */
export const othersHandler =
  ({ catalogOf, estimating, minimum }: OthersParts): RequestHandler<{ name: string }> =>
  async (request, response) => {
    const { rest, segments } = parseQuery(othersParameters, request.query, ['', 'a.', 'b.']);
    const catalog = catalogOf(response);
    const newest = findMetric(catalog, request.params.name, rest.app);
    const { app, metric: name, devices } = newest;
    const asked: CompareAsked = { ...rest, offset: 0, limit: 1 };
    const { a, b } = selectTwo(catalog, newest, asked, segments);
    const exclude = [a, b].flatMap(({ range }) => range.exclude ?? []);
    const judging = verdictsOf({ looks: rest.looks, exclude }, devices);
    if (!isGiven(judging)) throw new Refusal(400, 'bad-query', 'looks=once, where days are left out', 'another');
    const others = catalog.metrics.filter((each) => each.app === app && each.metric !== name);
    const level = LEVEL / Math.max(1, others.length);
    const [signal, until] = [endOf(response), performance.now() + PATIENCE];
    const compared = async (metric: PublishedMetric): Promise<Other> => {
      const about = { metric: metric.metric, description: metric.about.description };
      const sides = sidesOf(catalog, metric, asked, segments);
      if (sides === undefined) return { ...about, state: 'not-asked' };
      if (takesCandidates(metric.document)) return { ...about, state: 'strings' };
      if (performance.now() > until) return { ...about, state: 'not-compared' };
      const verdicts = { ...judging, planned: metric.devices };
      const settings = { minimum, verdicts, ...(rest.among && { among: rest.among }) };
      const { a: first, b: second, wording } = sides;
      const task = { kind: 'compare', of: [first, second], settings, wording, experiment: rest.experiment, level } as const;
      const found = await wholeAnswer<Comparison & { readonly differences: readonly Difference[] }>(
        estimating,
        task,
        maxAgeOf(request),
        signal,
      );
      if (found.sampleRatio?.isBroken) return { ...about, state: 'void' };
      if (found.looks === undefined) return { ...about, state: 'few' };
      const isClear = [found.mean, found.median, ...found.differences].some((each) => each?.isClear);
      return isClear ? { ...about, state: 'differs', verdict: found.verdict } : { ...about, state: 'unclear' };
    };
    const all: Other[] = [];
    try {
      for (const metric of others) all.push(await compared(metric));
      response.json({ app, metric: name, looks: judging.looks, level, others: all } satisfies Others);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
