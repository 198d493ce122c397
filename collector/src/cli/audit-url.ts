/** `murmuration audit --url` and `--bundle`: a deployed app, checked by what it does (docs/audit-url.md). */

import type { Command } from 'commander';
import { print } from '../base/usage.ts';

/** The options. */
export interface PageOptions {
  readonly url?: string;
  readonly bundle?: string;
  readonly plan?: string;
  readonly storageState?: string;
  readonly engines?: string;
  readonly acceptLarge?: boolean;
  readonly json?: boolean;
}

/** Audits a page and prints what was found. Its modules are loaded only here: no other command drives a browser. */
export async function auditPage({ url, bundle, plan, acceptLarge, storageState, engines = '', json }: PageOptions): Promise<void> {
  const { auditDeployed, describeDeployed } = await import('../planning/audit/deployed/deployed.ts');
  const { loadPlan } = await import('../planning/audit/deployed/plan.ts');
  const { bundlePage, pageUrl } = await import('../planning/audit/deployed/page.ts');
  const result = await auditDeployed({
    ...(bundle === undefined ? { url: pageUrl(url ?? '') } : await bundlePage(bundle)),
    plan: plan === undefined ? {} : await loadPlan(plan),
    acceptLarge: acceptLarge === true,
    storageState,
    engines: engines.split(',').filter((engine) => engine !== ''),
    progress: (check) => process.stderr.write(`${check}\n`),
  });
  if (result.verdict === 'failed') process.exitCode = 1;
  print(json, result, () => describeDeployed(result));
}

/** Adds the options to `audit`. */
export function addPage(command: Command): void {
  command
    .option('--url <url>', 'in place of a schema, the page of a deployed app: needs playwright-core and a Chromium')
    .option('--bundle <file>', 'in place of a page, the script of an app')
    .option('--plan <file>', 'with --url: JSON that says what to click on the page')
    .option('--storage-state <file>', "with --url: cookies and storage to begin with, in Playwright's form, for a page behind a login")
    .option('--engines <list>', 'with --url: engines, separated by commas. Only chromium is driven; others are named as not tested');
}
