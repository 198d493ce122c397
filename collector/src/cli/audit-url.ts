/** `murmuration audit --url` and `--bundle`: a deployed app, checked by what it does (docs/audit-url.md). */

import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { inOneLine, UsageError } from '../base/fault.ts';
import { print } from '../base/usage.ts';

/** The options. */
export interface PageOptions {
  readonly url?: string;
  readonly bundle?: string;
  readonly plan?: string;
  readonly storageState?: string;
  readonly engines?: string;
  readonly acceptLarge?: boolean;
  readonly report?: readonly string[];
  readonly json?: boolean;
}

/** Throws unless the report can be written in the form that its name says. */
function checkReports(files: readonly string[]): void {
  const other = files.find((file) => !/\.(md|html)$/.test(file));
  if (other !== undefined) throw new UsageError(`--report: expected a file whose name ends in .md or .html, got ${JSON.stringify(other)}`);
}

/** Audits a page and prints what was found. Its modules are loaded only here: no other command drives a browser. */
export async function auditPage({
  url,
  bundle,
  plan,
  acceptLarge,
  storageState,
  engines = '',
  report = [],
  json,
}: PageOptions): Promise<void> {
  checkReports(report);
  const { auditDeployed, describeDeployed, ENGINES } = await import('../planning/audit/deployed/deployed.ts');
  const { deployedHtml, deployedMarkdown } = await import('../planning/audit/deployed/report.ts');
  const { loadPlan } = await import('../planning/audit/deployed/plan.ts');
  const { bundlePage, pageUrl } = await import('../planning/audit/deployed/page.ts');
  const wanted = engines.split(',').filter((engine) => engine !== '');
  const unknown = wanted.find((engine) => !ENGINES.includes(engine));
  if (unknown !== undefined) throw new UsageError(`--engines: expected some of ${ENGINES.join(', ')}, got ${JSON.stringify(unknown)}`);
  const result = await auditDeployed({
    ...(bundle === undefined ? { url: pageUrl(url ?? '') } : await bundlePage(bundle)),
    plan: plan === undefined ? {} : await loadPlan(plan),
    acceptLarge: acceptLarge === true,
    storageState,
    engines: wanted,
    progress: (check) => process.stderr.write(`${check}\n`),
  });
  if (result.verdict === 'failed') process.exitCode = 1;
  print(json, result, () => describeDeployed(result));
  for (const file of report) await inOneLine(() => writeFile(file, file.endsWith('.md') ? deployedMarkdown(result) : deployedHtml(result)));
}

/** Adds the options to `audit`. */
export function addPage(command: Command): void {
  command
    .option('--url <url>', 'in place of a schema, the page of a deployed app: needs playwright-core and a Chromium')
    .option('--bundle <file>', 'in place of a page, the script of an app')
    .option('--plan <file>', 'with --url: JSON that says what to click on the page')
    .option('--storage-state <file>', "with --url: cookies and storage to begin with, in Playwright's form, for a page behind a login")
    .option('--report <file...>', 'with --url: write the result as a document, too, by the end of its name: .md or .html')
    .option('--engines <list>', 'with --url: kill and back in these engines, separated by commas: chromium, firefox, webkit');
}
