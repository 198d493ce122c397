/**
 * `/.well-known/murmuration-log/`: the transparency log of schemas, for anybody, in the files of C2SP tlog-tiles. `schema/` has each document
 * that was ever published, by its fingerprint.
 */

import type { RequestHandler, Response, Router } from 'express';
import { Refusal } from '../../base/refusal.ts';
import { checkpointText, signNote } from '../../schemas/log/note.ts';
import { LOG } from '../../schemas/log/read.ts';
import { leafOf, placeOf, rootOf, tileOf } from '../../schemas/log/tree.ts';
import type { SchemaLog } from '../../storage/admin/schema-log.ts';
import { exactRouter } from './routing.ts';

/** Seconds for which a checkpoint may be kept, and for which what never changes may. */
const FRESH = 60;
const FOR_EVER = 31_536_000;

/** Options of the routes. */
export interface SchemaLogParts {
  readonly log: () => SchemaLog | undefined;
  readonly loggedDocument: (fingerprint: string) => string | undefined;
}

/** A log, prepared for its readers. */
interface Prepared {
  readonly of: SchemaLog;
  readonly note: string;
  readonly entries: readonly Buffer[];
}

function prepare(log: SchemaLog): Prepared {
  const entries = log.entries.map((entry) => Buffer.from(entry));
  const root = rootOf(entries.map(leafOf));
  return { of: log, entries, note: signNote(checkpointText({ origin: log.key.name, size: entries.length, root }), log.key) };
}

/** Sends what anybody may have, on any page. */
function send(response: Response, type: string, body: string | Buffer, maxAge: number): void {
  response
    .type(type)
    .set({
      'cache-control': `public, max-age=${maxAge}${maxAge === FOR_EVER ? ', immutable' : ''}`,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    })
    .send(body);
}

/** Creates the routes. */
export function schemaLogRouter({ log, loggedDocument }: SchemaLogParts): Router {
  let prepared: Prepared | undefined;
  const current = (): Prepared => {
    const now = log();
    if (now === undefined) throw new Refusal(404, 'not-found', 'a log with an entry', 'an empty one');
    if (prepared?.of !== now) prepared = prepare(now);
    return prepared;
  };
  const checkpoint: RequestHandler = (_request, response) => send(response, 'text/plain; charset=utf-8', current().note, FRESH);
  const tile: RequestHandler = ({ path }, response) => {
    const asked = path.slice(LOG.length + 1);
    const place = placeOf(asked);
    const bytes = place && tileOf(current().entries, place);
    if (bytes === undefined) throw new Refusal(404, 'not-found', 'a tile of the log', asked.slice(0, 80));
    send(response, 'application/octet-stream', bytes, FOR_EVER);
  };
  const document: RequestHandler = (request, response) => {
    const { fingerprint } = request.params as { readonly fingerprint: string };
    const text = loggedDocument(fingerprint);
    if (text === undefined) throw new Refusal(404, 'not-found', 'the fingerprint of a schema in the log', fingerprint.slice(0, 80));
    send(response, 'json', text, FOR_EVER);
  };
  return exactRouter()
    .get(`${LOG}/checkpoint`, checkpoint)
    .get(`${LOG}/tile/:level/:index`, tile)
    .get(`${LOG}/tile/:level/:index/:width`, tile)
    .get(`${LOG}/schema/:fingerprint`, document);
}
