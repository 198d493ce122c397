/** The site of an audit, its requests, and what the audit puts in its way: the script that runs before the page's own, and its answers. */

import { createHash } from 'node:crypto';
import type { Response } from 'playwright-core';
import { agent } from './agent.ts';
import type { AgentOptions } from './agent-api.ts';
import { watchKeys } from './agent-keys.ts';
import { watchSending } from './agent-sending.ts';
import type { Launched } from './browser.ts';
import type { Message } from './messages.ts';
import type { Plan } from './plan.ts';
import { seededWords } from './reference.ts';
import type { WorkerAnswer } from './workers.ts';

/** A request as the browser made it. */
export interface Sent {
  readonly from: 'page' | 'worker';
  readonly method: string;
  readonly url: string;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** True for a report, and for a message that could not be opened. */
  readonly isReport: boolean;
  /** Steps of the clock before it. */
  readonly step: number;
  /** The time of the page's clock, in milliseconds since 1970. */
  readonly time: number;
  /** The message through a relay that this request was in. */
  readonly message?: Message;
}

/** Settings of a visit. */
export interface VisitOptions {
  readonly seed?: number;
  readonly webdriver?: boolean;
  readonly privacyControl?: boolean;
}

/** The page and the browser, which all visits of an audit share. */
export interface Site extends Pick<Launched, 'browser' | 'workers'> {
  readonly url: string;
  readonly plan: Plan;
  /** Storage that the browser begins with. */
  readonly storageState?: string | undefined;
  /** Files that are served in place of the network, by address. */
  readonly files: ReadonlyMap<string, { readonly type: string; readonly text: string }>;
  readonly secret: string;
  /** SHA-256 of each script, by address. */
  readonly hashes: Map<string, string>;
  /** Requests that are always open, such as one that waits for news. */
  readonly background: { pending: number };
  /** Addresses of workers in which no hooks ran, or that ended before they were read. */
  readonly unwatched: Set<string>;
}

/** True for the address to which reports go. */
export const isReport = (url: string): boolean => /\/v1\/reports\/?$/.test(new URL(url).pathname);

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type',
} as const;

/** The audit's own answer to a request: a file, or that of a collector; undefined leaves it to the network. */
export function answerOf(files: Site['files'], url: string): WorkerAnswer | undefined {
  const file = files.get(url);
  if (file) return { status: 200, headers: { 'content-type': file.type }, body: file.text };
  return isReport(url) ? { status: 204, headers: CORS, body: '' } : undefined;
}

/** The answer to a preflight of a shared worker, as Playwright gives it to pages. */
export const preflightOf = (headers: Sent['headers']): WorkerAnswer => ({
  status: 204,
  headers: { ...CORS, 'access-control-allow-headers': headers['Access-Control-Request-Headers'] ?? '*' },
  body: '',
});

/** Keeps the hash of a script. */
export async function hashScript({ hashes }: Site, response: Response): Promise<void> {
  const url = response.url();
  if (response.request().resourceType() !== 'script' || hashes.has(url)) return;
  const body = await response.body().catch(() => undefined);
  if (body) hashes.set(url, createHash('sha256').update(body).digest('hex'));
}

/** The script that a page runs before its own. */
export const hooksOf = (options: AgentOptions): string =>
  `(${agent})(${JSON.stringify(options)}, ${seededWords}, ${watchKeys}, ${watchSending})`;
