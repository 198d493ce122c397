/**
 * `/v1/release`: answers about participation that may leave the team. An analyst is a reader with a budget; the name of the token or of the
 * user is the name on the budget. Bodies must be JSON and the session's cookie is `SameSite=Strict`, so another site's page can spend nothing
 * in a visitor's name.
 */

import express, { type Request, type Response, type Router } from 'express';
import { askedForm, MOST_ASKED, type ReleaseTable } from '../../api/openapi/release-answers.ts';
import { answerOf } from '../../release/answer.ts';
import { answerCsv, assertTabular } from '../../release/answer-csv.ts';
import { budgetsOf, limitJson, spendingOf } from '../../release/budget/budgets.ts';
import type { Asked, Releases } from '../../release/release.ts';
import { tableOf } from '../../release/table/columns.ts';
import { mostReports } from '../../release/table/contribution.ts';
import { includesRole } from '../../storage/admin/credentials.ts';
import type { Ledger } from '../../storage/release-ledger.ts';
import { maySee, readerOf } from './access.ts';
import { exactRouter } from './exact-router.ts';
import { bodyOf, refusing } from './release-refusals.ts';
import { type StreamRouteParts, streamRouter } from './release-streams.ts';

/** What the routes need. */
export interface ReleaseRouteParts extends StreamRouteParts {
  readonly releases: Releases;
  readonly ledger: Ledger;
}

/** The routes. They come after `requireReader`. */
export function releaseRouter({ releases, ledger, streams, catalogOf }: ReleaseRouteParts): Router {
  const askedBy = (request: Request, response: Response): Asked => {
    const data = bodyOf(request, askedForm);
    return { analyst: readerOf(response).who, catalog: catalogOf(response), ...data };
  };
  /** The apps whose tables were given a budget, and what the reader may know of it. */
  const tables = async (_request: Request, response: Response): Promise<{ readonly tables: readonly ReleaseTable[] }> => {
    const [catalog, reader] = [catalogOf(response), readerOf(response)];
    const apps = [...new Set([...catalog.schemas.values()].map(({ app }) => app))].sort();
    const seesAll = includesRole(reader.role, 'reviewer');
    const all = await ledger.transact((transaction) => Promise.all(apps.map((app) => budgetsOf(transaction, app))));
    return {
      tables: apps.flatMap((app, i) => {
        const { table } = all[i] as (typeof all)[number];
        if (table === undefined) return [];
        const { columns, schemas } = tableOf(catalog, app);
        const metrics = columns.get('metric')?.values ?? [];
        const spending = spendingOf(all[i] as (typeof all)[number]).filter(({ analyst }) => seesAll || analyst === reader.who);
        return {
          app,
          columns: [...columns.values()].map(({ name, values }) => ({ name, values })),
          colluders: table.colluders,
          batchesPerDay: table.batchesPerDay,
          bound: mostReports([...schemas.values()], metrics, table.batchesPerDay),
          budgets: spending.map(({ analyst, limit, spent }) => ({
            analyst: analyst ?? null,
            limit: limit === undefined ? null : limitJson(limit),
            spent: limitJson(spent),
          })),
        };
      }),
    };
  };
  /** The reader's own answers; of all analysts for reviewers and admins. */
  const answers = async (_request: Request, response: Response): Promise<unknown> => {
    const reader = readerOf(response);
    const wanted = includesRole(reader.role, 'reviewer') ? {} : { analyst: reader.who };
    const entries = await ledger.transact((transaction) => transaction.find({ kind: 'answer', ...wanted }));
    const seen = entries.filter(({ app }) => maySee(reader, app));
    return { answers: seen.map((entry) => answerOf(entry, true)) };
  };
  /** The answer, as CSV for those who prefer it. Whether it can be CSV is checked before anything is spent. */
  const ask = async (request: Request, response: Response): Promise<unknown> => {
    const asked = askedBy(request, response);
    response.vary('Accept');
    const isCsv = request.accepts('json', 'csv') === 'csv';
    if (isCsv) assertTabular(asked.question);
    const answer = await releases.ask(asked);
    return isCsv ? answerCsv(answer) : answer;
  };
  const body = express.json({ limit: MOST_ASKED });
  return exactRouter()
    .get('/v1/release/tables', refusing(tables))
    .get('/v1/release/answers', refusing(answers))
    .post(
      '/v1/release/preview',
      body,
      refusing((request, response) => releases.preview(askedBy(request, response))),
    )
    .post('/v1/release/ask', body, refusing(ask))
    .use(streamRouter({ streams, catalogOf }));
}
