/** What the routes of releases answer, and refuse: a body that is not as described, and what budgets and ledgers refuse. */

import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { OverBudget } from '../../release/budget/limits.ts';
import { checkNames } from '../../release/query/names.ts';
import { StreamOver } from '../../release/streams/ask.ts';
import { InDoubt } from '../../storage/release-ledger.ts';

/** The refusal that answers an error. Messages name what was expected, and quote little of what came. */
function refusalOf(error: unknown): unknown {
  if (error instanceof OverBudget) return new Refusal(403, 'over-budget', 'a question within the budget', error.message.slice(0, 500));
  if (error instanceof InDoubt) return new Refusal(409, 'ledger-in-doubt', 'a ledger that is whole', error.message);
  if (error instanceof StreamOver) return new Refusal(409, 'stream-over', 'a stream that still answers', error.message.slice(0, 500));
  if (!(error instanceof RangeError)) return error;
  const [expected = '', got = 'another'] = error.message.split(', got ');
  return new Refusal(400, 'bad-question', expected.replace(': expected ', ': ').slice(0, 300), got.slice(0, 200));
}

/** Answers with JSON, or with text as CSV. */
export const refusing =
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
export function bodyOf<T>(request: Request, form: z.ZodType<T>): T {
  if (!request.is('application/json')) throw new Refusal(415, 'bad-type', 'application/json', request.get('content-type') ?? 'none');
  checkNames(request.body);
  const { success, data, error } = form.safeParse(request.body);
  if (success) return data;
  const [issue] = error.issues;
  const field = issue?.path.join('.').slice(0, 80) || 'a question';
  throw new Refusal(400, 'bad-question', `${field}: ${issue?.message}`.slice(0, 300), 'another');
}
