/** Builds an app, serves it on 127.0.0.1 and audits it. */

import { auditDeployed, type Deployed } from '#collector/planning/audit/deployed/deployed.ts';
import { builders, type Parts, PLAN, script, serveFiles } from './apps.ts';

/** The result of an audit. */
export type Audited = Deployed;

/** Audits the app of a builder, with a cheat's parts. */
export async function audited(builder: string, parts: Parts = {}): Promise<Audited> {
  const build = builders[builder];
  if (build === undefined) throw new Error(`expected one of ${Object.keys(builders).join(', ')}, got ${builder}`);
  const files = { ...(await build(script(parts))), ...(parts.worker !== undefined && { '/worker.js': parts.worker }) };
  const { url, close } = await serveFiles(files);
  try {
    return await auditDeployed({ url, plan: PLAN });
  } finally {
    await close();
  }
}

/** The evidence of a check. */
export const plainly = ({ rows }: Audited, check: string): string => rows.find((each) => each.check === check)?.evidence ?? '';

/** The checks that failed. */
export const failed = ({ rows }: Audited): readonly string[] =>
  rows.filter(({ verdict }) => verdict === 'failed').map(({ check }) => check);
