/** `GET /v1/metrics/:name/decode`: which strings are in a metric's reports. With `Accept: text/event-stream`, also how far that is. */

import type { RequestHandler, Response } from 'express';
import type { HeldAnswer } from '../../../answers/answer-cache.ts';
import { takesCandidates } from '../../../answers/candidates.ts';
import type { DecodeTask, Progress } from '../../../answers/decode-task.ts';
import type { Decoding } from '../../../answers/decode-thread.ts';
import type { Truth } from '../../../answers/estimates.ts';
import { decodeParameters } from '../../../api/forms/decode-parameters.ts';
import { parseQuery } from '../../../api/forms/parameters.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { Catalog } from '../../../schemas/catalog.ts';
import { sendEvents, wantsEvents } from './events.ts';
import { candidatesAsked, findMetric, select, truthOf } from './select.ts';
import { endOf, maxAgeOf, sendPage } from './send.ts';

/** What the route needs. */
export interface DecodeOptions {
  /** What the reader of a request may see of the published schemas. */
  readonly catalogOf: (response: Response) => Catalog;
  readonly decoding: Decoding;
  readonly minimum: number;
  readonly truth?: Truth | undefined;
}

/** Answers decodes. */
export const decodeRoute =
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
