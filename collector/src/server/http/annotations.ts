/** `/v1/annotations`: what people write on days of an app, and the versions of the app that arrived. */

import type { DatabaseSync } from 'node:sqlite';
import { dayText, parseDay } from '@murmuration/shared';
import type { RequestHandler, Response, Router } from 'express';
import type { Arrivals } from '../../answers/arrivals.ts';
import { appParameters, parseQuery } from '../../api/forms/parameters.ts';
import { annotationForm, MOST_ANNOTATED, type NewAnnotation, type ShownAnnotation } from '../../api/openapi/annotations.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import type { Administration } from '../../storage/admin/administration.ts';
import { type Annotation, addAnnotation, removeAnnotation } from '../../storage/admin/annotations.ts';
import { maySee, readerOf, requireRole } from './access.ts';
import { exactRouter, jsonBody } from './routing.ts';
import { findMetric } from './select.ts';

/** Parts of the routes. */
interface AnnotationParts {
  readonly admin: Administration;
  readonly arrivals: Pick<Arrivals, 'of'>;
  /** Published schemas that the reader of a request may see. */
  readonly catalogOf: (response: Response) => Catalog;
}

const shownNote = ({ day, ...note }: Annotation): ShownAnnotation => ({ kind: 'note', ...note, day: dayText(day) });

/** Changes the administration. What it refuses is wrong in the request. */
async function changing(admin: Administration, work: (database: DatabaseSync) => Annotation): Promise<ShownAnnotation> {
  try {
    return shownNote(await admin.change(work));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const [expected = '', got = 'another'] = error.message.replace(': expected ', ': ').split(', got ');
    throw new Refusal(400, 'bad-annotation', expected, got.slice(0, 200));
  }
}

/** The body of a request. @throws {Refusal} when it is not as described, or its app or metric is not published */
function wantedOf(body: unknown, { metrics, ...catalog }: Catalog): NewAnnotation {
  const { data, error } = annotationForm.safeParse(body);
  if (data === undefined) {
    const [issue] = error.issues;
    throw new Refusal(400, 'bad-annotation', `${issue?.path.join('.') || 'a body'}: ${issue?.message}`.slice(0, 200), 'another');
  }
  if (!metrics.some(({ app }) => app === data.app)) throw new Refusal(404, 'unknown-app', 'a published app', data.app.slice(0, 80));
  if (data.metric !== undefined) findMetric({ metrics, ...catalog }, data.metric, data.app);
  return data;
}

/** The routes. They come after `requireReader`, and are for viewers and above. */
export function annotationsRouter({ admin, arrivals, catalogOf }: AnnotationParts): Router {
  const list: RequestHandler = async (request, response) => {
    const { rest } = parseQuery(appParameters, request.query, []);
    const isAsked = (app: string): boolean => (rest.app === undefined || rest.app === app) && maySee(readerOf(response), app);
    const apps = [...new Set(catalogOf(response).metrics.map(({ app }) => app))].filter(isAsked);
    const arrived = apps.map(async (app): Promise<readonly ShownAnnotation[]> => {
      const found = await arrivals.of(app);
      return found.map(({ version, day }) => ({ kind: 'version', app, day: dayText(day), text: version }));
    });
    const notes = admin.annotations.filter(({ app }) => isAsked(app)).map(shownNote);
    const annotations = [...(await Promise.all(arrived)).flat(), ...notes].sort((one, other) => (one.day < other.day ? -1 : 1));
    response.json({ annotations });
  };
  const add: RequestHandler = async (request, response) => {
    if (!request.is('application/json')) throw new Refusal(415, 'bad-type', 'application/json', request.get('content-type') ?? 'none');
    const { day, ...wanted } = wantedOf(request.body, catalogOf(response));
    const { who } = readerOf(response);
    response.json(await changing(admin, (database) => addAnnotation(database, who, { ...wanted, day: parseDay(day) as number })));
  };
  const remove: RequestHandler<{ n: string }> = async ({ params }, response) => {
    const reader = readerOf(response);
    const found = admin.annotations.find(({ n, app }) => `${n}` === params.n && maySee(reader, app));
    if (found === undefined) throw new Refusal(404, 'unknown-annotation', 'the number of an annotation', params.n.slice(0, 80));
    response.json(await changing(admin, (database) => removeAnnotation(database, reader.who, found.n)));
  };
  return exactRouter()
    .get('/v1/annotations', list)
    .post('/v1/annotations', requireRole('reviewer'), jsonBody(MOST_ANNOTATED), add)
    .delete('/v1/annotations/:n', requireRole('reviewer'), remove);
}
