/** Builds an app, serves it on 127.0.0.1 and audits it. */

import type { RequestListener } from 'node:http';
import { auditDeployed, type Deployed } from '#collector/planning/audit/deployed/deployed.ts';
import type { Plan } from '#collector/planning/audit/deployed/plan.ts';
import { builders, type Files, type Parts, PLAN, script, serveFiles, workerScripts } from './apps.ts';

/** The result of an audit. */
export type Audited = Deployed;

async function build(builder: string, text: string): Promise<Files> {
  const made = builders[builder];
  if (made === undefined) throw new Error(`expected one of ${Object.keys(builders).join(', ')}, got ${builder}`);
  return made(text);
}

/** How an app is audited, where not as all others. */
interface Manner {
  readonly plan?: Plan;
  /** Answers POST requests. */
  readonly post?: RequestListener;
}

async function auditFiles(files: Files, { plan = PLAN, post }: Manner = {}): Promise<Audited> {
  const { url, close } = await serveFiles(files, post);
  try {
    return await auditDeployed({ url, plan });
  } finally {
    await close();
  }
}

/** Audits the app of a builder, with a cheat's parts. */
export async function audited(builder: string, parts: Parts = {}, manner: Manner = {}): Promise<Audited> {
  const files = await build(builder, script(parts));
  return auditFiles({ ...files, ...(parts.worker !== undefined && { '/worker.js': parts.worker }) }, manner);
}

/** Audits the app whose telemetry is in a worker of a kind, with a cheat's parts. */
export async function auditedIn(kind: string, parts: Parts = {}): Promise<Audited> {
  const { page, worker } = workerScripts(kind, parts);
  const { '/app.js': inner = '' } = await build('esbuild, classic script', worker);
  const outer = `const inner = new Worker('/worker.js'); onmessage = ({ data }) => inner.postMessage(data);`;
  return auditFiles({ ...(await build('esbuild', page)), '/worker.js': inner, '/outer.js': outer });
}

/** The evidence of a check. */
export const plainly = ({ rows }: Audited, check: string): string => rows.find((each) => each.check === check)?.evidence ?? '';

/** The checks that failed. */
export const failed = ({ rows }: Audited): readonly string[] =>
  rows.filter(({ verdict }) => verdict === 'failed').map(({ check }) => check);
