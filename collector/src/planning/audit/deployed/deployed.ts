/** The audit of a deployed app by its behaviour: opens a page, runs the table of checks, and says what was not tested. */

import { randomBytes } from 'node:crypto';
import { canonicalSchema, fingerprint, type SchemaDocument, wireName } from '@murmuration/shared';
import type { Witness } from '../../../schemas/log/witness.ts';
import { launch } from './browser.ts';
import type { Check, Row, Verdict } from './check.ts';
import { canary } from './checks/canary.ts';
import { beforeConsent, pageStorage, privacyControl } from './checks/consent.ts';
import { endToEnd } from './checks/end-to-end.ts';
import { batchIds } from './checks/ids.ts';
import { forgetting, oneName, refusing, slots } from './checks/ledger.ts';
import { published } from './checks/published.ts';
import { relay } from './checks/relay.ts';
import { reportsFit, schema } from './checks/schema.ts';
import { thresholds } from './checks/thresholds.ts';
import { drivenTwins, monthTwins, twins } from './checks/twins.ts';
import { Investigation } from './investigation.ts';
import { killAndBack } from './kill-and-back.ts';
import type { Plan } from './plan.ts';
import type { Site } from './site.ts';

/** The checks, in their order. */
const CHECKS: readonly Check[] = [
  beforeConsent,
  pageStorage,
  privacyControl,
  schema,
  thresholds,
  endToEnd,
  reportsFit,
  batchIds,
  relay,
  published,
  twins,
  drivenTwins,
  canary,
  slots,
  monthTwins,
  oneName,
  refusing,
  forgetting,
];

/** Gaps of every audit of this kind. */
const NEVER_TESTED: readonly string[] = [
  'An app that recognizes the audit: it can behave for it and not for people. The page is not told that a program drives it, and one pair of visits tells it.',
  'Other pages, code that loads later, answers that the plan does not name, and what the app sends to people by other ways than the network.',
  'Coins, thresholds, twins and the ledger in other engines than Chromium.',
  "The SDK's build against published hashes: each app bundles it again, so its bytes are its own. The hashes are those of the app's scripts.",
  "Delays of less than a step of the page's clock that come from computing: they are real time.",
];

/** Engines in which browsers can be killed. */
export const ENGINES: readonly string[] = ['chromium', 'firefox', 'webkit'];

/** Settings of an audit. */
export interface DeployedOptions {
  /** The page. */
  readonly url: string;
  readonly plan: Plan;
  readonly acceptLarge?: boolean;
  /** The collector's log as a witness has seen it. */
  readonly witness?: Witness | undefined;
  readonly storageState?: string | undefined;
  /** Engines in which browsers are killed. */
  readonly engines?: readonly string[];
  /** Files that are served in place of the network, by address. */
  readonly files?: Site['files'];
  /** Told of each check before it runs. */
  readonly progress?: (check: string) => void;
}

/** The result of an audit. */
export interface Deployed {
  readonly verdict: Verdict;
  readonly url: string;
  readonly rows: readonly Row[];
  readonly schema: { readonly name: string; readonly fingerprint: string; readonly document: SchemaDocument } | null;
  /** SHA-256 of each script of the page, by address. */
  readonly hashes: Readonly<Record<string, string>>;
  readonly untested: readonly string[];
}

const verdictOf = (rows: readonly Row[]): Verdict =>
  (['failed', 'passed', 'not tested'] as const).find((verdict) => rows.some((each) => each.verdict === verdict)) ?? 'not tested';

/** Audits a page. @throws {UsageError} if it can't be opened, or the plan does not fit it */
export async function auditDeployed({
  url,
  plan,
  acceptLarge = false,
  witness,
  storageState,
  engines = [],
  files = new Map(),
  progress,
}: DeployedOptions): Promise<Deployed> {
  const { browser, workers, close } = await launch();
  const hashes = new Map<string, string>();
  const secret = `_${randomBytes(8).toString('hex')}`;
  const unwatched = new Set<string>();
  const site = { browser, workers, url, plan, storageState, files, secret, hashes, unwatched, background: { pending: 0 } };
  const investigation = new Investigation(site, acceptLarge, witness);
  try {
    const rows: Row[] = [];
    for (const check of CHECKS) {
      progress?.(check.name);
      rows.push(...(await check.run(investigation)));
    }
    for (const engine of engines) {
      progress?.(`kill and back, ${engine}`);
      rows.push(await killAndBack(engine, site));
    }
    const { devices, documents } = await investigation.known();
    const document = devices[0]?.document ?? documents[0];
    return {
      verdict: verdictOf(rows),
      url,
      rows,
      schema: document ? { name: wireName(document), fingerprint: await fingerprint(canonicalSchema(document)), document } : null,
      hashes: Object.fromEntries([...hashes].sort()),
      untested: [
        ...rows.filter(({ verdict }) => verdict === 'not tested').map(({ check, evidence }) => `${check}: ${evidence}`),
        ...(unwatched.size > 0
          ? [`Storage and coins of workers that ended before they were read; their requests were: ${[...unwatched].join(', ')}`]
          : []),
        ...ENGINES.filter((engine) => !engines.includes(engine)).map((engine) => `Kill and back in ${engine}, which --engines runs.`),
        ...NEVER_TESTED,
      ],
    };
  } finally {
    await investigation.close();
    await close();
  }
}

const WORDS: Readonly<Record<Verdict, string>> = { passed: 'passed', failed: 'FAILED', 'not tested': 'not tested' };

/** The result in words. */
export function describeDeployed({ url, verdict, rows, schema, untested }: Deployed): string {
  const width = Math.max(...rows.map(({ check }) => check.length));
  const summary = { failed: 'A CHECK FAILED', passed: 'nothing failed', 'not tested': 'nothing could be tested' }[verdict];
  return [
    `page         ${url}`,
    ...(schema ? [`schema       ${schema.name}`, `fingerprint  ${schema.fingerprint}`] : []),
    '',
    ...rows.map(({ check, verdict: each, evidence }) => `${check.padEnd(width)}  ${WORDS[each].padEnd(10)}  ${evidence}`),
    '',
    'Not tested:',
    ...untested.map((each) => `- ${each}`),
    '',
    summary,
  ].join('\n');
}
