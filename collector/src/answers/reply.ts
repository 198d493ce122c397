/** How threads reply with an answer or an error. An error loses its class on the way to another thread. */

import { StoreAway } from '../storage/store.ts';
import type { PackedAnswer } from './packed-answer.ts';

/** The result of a task. */
export type Reply = { readonly answer: PackedAnswer } | { readonly error: unknown; readonly isAway: boolean };

/** The reply to a task that failed. */
export const failure = (error: unknown): Reply => ({ error, isAway: error instanceof StoreAway });

/** The answer of a reply. @throws its error */
export function answerOf(reply: Reply): PackedAnswer {
  if ('answer' in reply) return reply.answer;
  throw reply.isAway ? new StoreAway((reply.error as Error).message) : reply.error;
}
