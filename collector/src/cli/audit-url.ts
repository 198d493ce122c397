/** `murmuration audit --url` and `--bundle`: a deployed app, checked by what it does (docs/audit-url.md). */

import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { inOneLine, UsageError } from '../base/fault.ts';
import { print } from '../base/usage.ts';
import type { askPlan } from '../planning/audit/deployed/asking.ts';
import type { Plan } from '../planning/audit/deployed/plan.ts';
import { readWitness } from './witness.ts';

type AskPlan = typeof askPlan;

/** The options. */
export interface PageOptions {
  readonly url?: string;
  readonly bundle?: string;
  readonly plan?: string;
  readonly storageState?: string;
  readonly engines?: string;
  readonly acceptLarge?: boolean;
  readonly report?: readonly string[];
  readonly witness?: string;
  readonly json?: boolean;
}

/** Throws unless the report can be written in the form that its name says. */
function checkReports(files: readonly string[]): void {
  const other = files.find((file) => !/\.(md|html)$/.test(file));
  if (other !== undefined) throw new UsageError(`--report: expected a file whose name ends in .md or .html, got ${JSON.stringify(other)}`);
}

/** True if there is a person, and a screen to show a page on. */
const canAsk = (): boolean =>
  process.stdin.isTTY === true &&
  (process.platform !== 'linux' || process.env['DISPLAY'] !== undefined || process.env['WAYLAND_DISPLAY'] !== undefined);

/** A plan that the reviewer makes by clicks. It is printed, to be kept in a file. */
async function planByClicks(page: Parameters<AskPlan>[1]): Promise<Plan> {
  const { askPlan } = await import('../planning/audit/deployed/asking.ts');
  const { launch } = await import('../planning/audit/deployed/browser.ts');
  const shown = await launch({ isShown: true });
  try {
    const plan = await askPlan(shown, page);
    process.stderr.write(`The plan, to be kept for --plan:\n${JSON.stringify(plan, null, 2)}\n`);
    return plan;
  } finally {
    await shown.close();
  }
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
  witness: seen,
  json,
}: PageOptions): Promise<void> {
  checkReports(report);
  const { auditDeployed, describeDeployed, ENGINES } = await import('../planning/audit/deployed/deployed.ts');
  const { deployedHtml, deployedMarkdown } = await import('../planning/audit/deployed/report.ts');
  const { loadPlan } = await import('../planning/audit/deployed/plan.ts');
  const { bundlePage, pageUrl } = await import('../planning/audit/deployed/page.ts');
  const witness = seen === undefined ? undefined : readWitness(seen);
  const wanted = engines.split(',').filter((engine) => engine !== '');
  const unknown = wanted.find((engine) => !ENGINES.includes(engine));
  if (unknown !== undefined) throw new UsageError(`--engines: expected some of ${ENGINES.join(', ')}, got ${JSON.stringify(unknown)}`);
  const page = bundle === undefined ? { url: pageUrl(url ?? ''), files: new Map() } : await bundlePage(bundle);
  const clicked = plan === undefined && canAsk() ? await planByClicks({ ...page, storageState }) : {};
  const result = await auditDeployed({
    ...page,
    plan: plan === undefined ? clicked : await loadPlan(plan),
    acceptLarge: acceptLarge === true,
    witness,
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
    .option(
      '--witness <file>',
      'with --url: the log of the collector must be that which `log verify` has seen, and have what the page asks',
    )
    .option('--engines <list>', 'with --url: kill and back in these engines, separated by commas: chromium, firefox, webkit');
}
