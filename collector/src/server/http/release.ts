/**
 * `/v1/release`: answers about participation that may leave the team. An analyst is a reader with a budget; the name of the token or of the
 * user is the name on the budget. Bodies must be JSON and the session's cookie is `SameSite=Strict`, so another site's page can spend nothing
 * in a visitor's name.
 */

import type { Request, RequestHandler, Response, Router } from 'express';
import type { z } from 'zod';
import { askedForm, MOST_ASKED, type ReleaseTable } from '../../api/openapi/release.ts';
import { openForm, questionForm } from '../../api/openapi/release-streams.ts';
import { Refusal } from '../../base/refusal.ts';
import { answerCsv, answerOf, assertTabular } from '../../release/answer.ts';
import { budgetsOf, limitJson, spendingOf } from '../../release/budget/budgets.ts';
import { checkNames } from '../../release/query/question.ts';
import type { Asked, Releases } from '../../release/release.ts';
import { StreamOver } from '../../release/streams/ask.ts';
import type { Opening } from '../../release/streams/open.ts';
import type { Reader as StreamReader } from '../../release/streams/stream.ts';
import type { Streams } from '../../release/streams/streams.ts';
import { mostReports, tableOf } from '../../release/table/columns.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import { includesRole } from '../../storage/admin/credentials.ts';
import type { Ledger } from '../../storage/release-ledger.ts';
import { maySee, readerOf } from './access.ts';
import { exactRouter, jsonBody } from './routing.ts';

// What the routes of releases answer, and refuse: a body that is not as described, and what budgets and ledgers refuse.

/** The refusal of an invalid question; other errors as they are. Messages name what was expected, and quote little of what came. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  const [expected = '', got = 'another'] = error.message.split(', got ');
  return new Refusal(400, 'bad-question', expected.replace(': expected ', ': ').slice(0, 300), got.slice(0, 200));
}

/** Answers with JSON, or with text as CSV. */
const refusing =
  (work: (request: Request, response: Response) => Promise<unknown>): RequestHandler =>
  async (request, response) => {
    try {
      const answer = await work(request, response);
      if (typeof answer === 'string') response.type('text/csv').send(answer);
      else response.json(answer);
    } catch (error) {
      throw refusalOf(error);
    }
  };

/** The body of a request. @throws {Refusal} when it is not as described */
function bodyOf<T>(request: Request, form: z.ZodType<T>): T {
  if (!request.is('application/json')) throw new Refusal(415, 'bad-type', 'application/json', request.get('content-type') ?? 'none');
  checkNames(request.body);
  const { success, data, error } = form.safeParse(request.body);
  if (success) return data;
  const [issue] = error.issues;
  const field = issue?.path.join('.').slice(0, 80) || 'a question';
  throw new Refusal(400, 'bad-question', `${field}: ${issue?.message}`.slice(0, 300), 'another');
}

/** Parts of the routes. */
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
  const body = jsonBody(MOST_ASKED);
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

// `/v1/release/streams`: streams of counting questions. An analyst opens one for themselves, since whoever may ask is charged; an admin for
// several. Nobody but a stream's analysts may ask it, and only they, reviewers and admins see its answers.

/** Parts of the routes. */
interface StreamRouteParts {
  readonly streams: Streams;
  readonly catalogOf: (response: Response) => Catalog;
}

/** Streams that the reader may see: all of them, for reviewers and admins. */
function seenBy(response: Response): StreamReader {
  const { who, role, apps } = readerOf(response);
  return { apps, ...(!includesRole(role, 'reviewer') && { analyst: who }) };
}

/** The number of the path. @throws {RangeError} when it is none */
function numberOf({ params }: Request): number {
  const text = String(params['stream']);
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new RangeError(`stream: expected the number of a stream, got ${JSON.stringify(text.slice(0, 20))}`);
  return Number(text);
}

/** How many answers are wanted; all without it. @throws {RangeError} when it is no such number */
function newestOf({ query }: Request): number | undefined {
  const text = query['newest'];
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !/^[1-9]\d{0,4}$/.test(text))
    throw new RangeError(`newest: expected a whole number from 1 to 99999, got ${JSON.stringify(text).slice(0, 20)}`);
  return Number(text);
}

/** The routes. They come after `requireReader`. */
function streamRouter({ streams, catalogOf }: StreamRouteParts): Router {
  /** @throws {Refusal} when the reader may not charge one of the analysts */
  const openingOf = (request: Request, response: Response): Opening & { readonly who: string; readonly again: boolean } => {
    const { who, role } = readerOf(response);
    const { analysts = [who], again = false, stream } = bodyOf(request, openForm);
    const others = analysts.filter((analyst) => analyst !== who);
    if (others.length > 0 && !includesRole(role, 'admin'))
      throw new Refusal(403, 'forbidden', 'an admin, to charge other analysts', `${who}, ${role}`);
    return { analysts, request: stream, catalog: catalogOf(response), who, again };
  };
  const list = async (_request: Request, response: Response): Promise<unknown> => ({ streams: await streams.list(seenBy(response)) });
  const show = async (request: Request, response: Response): Promise<unknown> =>
    streams.show(seenBy(response), numberOf(request), newestOf(request));
  const ask = async (request: Request, response: Response): Promise<unknown> => {
    const { who, apps } = readerOf(response);
    const { where = {} } = bodyOf(request, questionForm);
    return streams.ask({ analyst: who, apps, stream: numberOf(request), where });
  };
  /** Closes a stream: for the analyst who paid alone, or an admin. */
  const close = async (request: Request, response: Response): Promise<unknown> => {
    const stream = await streams.show(seenBy(response), numberOf(request), 0);
    const { who, role } = readerOf(response);
    const isOwn = stream.analysts.length === 1 && stream.analysts[0] === who;
    if (!isOwn && !includesRole(role, 'admin'))
      throw new Refusal(403, 'forbidden', 'its only analyst or an admin, to close a stream', `${who}, ${role}`);
    if (stream.ended !== undefined) throw new StreamOver(stream); // its counts were deleted when it was found
    return streams.close(who, stream.stream);
  };
  const body = jsonBody(MOST_ASKED);
  return exactRouter()
    .get('/v1/release/streams', refusing(list))
    .get('/v1/release/streams/:stream', refusing(show))
    .post(
      '/v1/release/streams/preview',
      body,
      refusing((request, response) => streams.preview(openingOf(request, response))),
    )
    .post(
      '/v1/release/streams',
      body,
      refusing((request, response) => streams.open(openingOf(request, response))),
    )
    .post('/v1/release/streams/:stream/ask', body, refusing(ask))
    .post('/v1/release/streams/:stream/close', refusing(close));
}
