/** The plan of an audit: what to click on the page. All selectors are those of Playwright, so CSS selectors and `text=Agree`. */

import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { UsageError } from '../../../base/fault.ts';
import { unreadBecause } from '../../../base/usage.ts';

/** Elements to click, and facts about the page. */
export interface Plan {
  /** Agrees. */
  readonly consent?: string | undefined;
  /** Refuses. */
  readonly deny?: string | undefined;
  /** Makes the page forget. */
  readonly forget?: string | undefined;
  /** By metric and answer: what records it. A field is filled with the answer or set to it; anything else is clicked. */
  readonly acts?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /** Clicked after the acts, such as a button that saves. */
  readonly also?: readonly string[] | undefined;
  /** A text that the page knows and must not send. */
  readonly canary?: string | undefined;
  /** Names in storage, and parts of addresses, that the page needs for itself. */
  readonly own?: readonly string[] | undefined;
}

const selector = z.string().min(1);
const plan: z.ZodType<Plan> = z.strictObject({
  consent: selector.optional(),
  deny: selector.optional(),
  forget: selector.optional(),
  acts: z.record(z.string(), z.record(z.string(), selector)).optional(),
  also: z.array(selector).optional(),
  canary: z.string().min(4, 'expected a text of at least 4 characters').optional(),
  own: z.array(z.string().min(1)).optional(),
});

/** Reads a plan. @throws {UsageError} */
export async function loadPlan(file: string): Promise<Plan> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--plan: ${unreadBecause(error)}`);
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new UsageError(`--plan: expected JSON, got ${text.slice(0, 40)}`);
  }
  const parsed = plan.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(`--plan: ${[...(issue?.path ?? []), issue?.message].join(': ')}`);
}
