/**
 * Twins: two answers whose coins give equal reports. All that is sent must then be equal, byte by byte and moment by moment: reports, and
 * whatever else the page sends. A difference counts if both visits, made again, show it again.
 */

import { batchesOf } from '../batches.ts';
import { type Check, listed, type Row, row } from '../check.ts';
import type { Investigation, Script, Seen } from '../investigation.ts';
import type { Message } from '../messages.ts';

const EXCUSE = 'If the page needs it, name its address under "own" in the plan';

/** All that can be compared of a visit, as texts. */
interface Trace {
  readonly reports: readonly string[];
  readonly others: readonly string[];
}

/** A message as the relay sees it. */
const sealedOf = ({ url, headers, bytes }: Message): unknown => [url, headers, bytes.length, bytes];

/** A body without what was drawn for some metrics. */
function without(metrics: readonly string[], body: string): string {
  const [sent] = batchesOf([{ isReport: true, method: 'POST', body }]);
  if (metrics.length === 0 || sent?.batch === undefined) return body;
  const reports = sent.batch.reports.map(([metric, report]) => [metric, metrics.includes(metric) ? 'drawn' : report]);
  return JSON.stringify({ ...sent.batch, reports });
}

function traceOf({ sent, scripts, stored }: Seen, own: readonly string[], derived: readonly string[]): Trace {
  const isOwn = (url: string): boolean => own.some((each) => url.includes(each));
  const messages = new Map(sent.flatMap(({ message }) => (message ? [[message.bytes, message] as const] : [])));
  const isReport = (url: string): boolean => /\/v1\/reports\/?(\?|$)/.test(url);
  const others = sent.filter(({ url, isReport }) => !isReport && !isOwn(url));
  // A cookie goes with each request to its origin. Where the plan names what the page needs for itself, no other one may tell.
  const cookies = own.length === 0 ? [] : stored.flatMap(({ cookie }) => cookie.split('; ')).filter((each) => each !== '' && !isOwn(each));
  return {
    reports: [
      ...sent
        .filter((each) => each.isReport)
        .map(({ method, url, headers, body, step, message }) =>
          JSON.stringify([method, url, without(derived, body), step, headers, message && sealedOf(message)]),
        ),
      ...scripts
        .filter(({ to, text }) => isReport(to) || messages.has(text))
        .map(({ by, time, to, text }) => {
          const message = messages.get(text);
          return JSON.stringify([by, time, to, message ? sealedOf(message) : without(derived, text)]);
        }),
      // The order among all requests, and how many others came before.
      JSON.stringify(sent.filter(({ url }) => !isOwn(url)).map((each) => each.isReport)),
    ],
    others: [
      ...others.map(
        ({ method, url, body, from, message, headers: { referer, cookie, ...headers } }) =>
          `${from} ${method} ${url} ${body} ${message ? JSON.stringify(sealedOf(message)) : ''}${JSON.stringify(headers)}`,
      ),
      ...scripts
        .filter(({ to, text }) => !isReport(to) && !isOwn(to) && !messages.has(text))
        .map(({ by, to, text }) => `${by} ${to} ${text}`),
      ...cookies.map((each) => `cookie ${each}`),
    ],
  };
}

/** The first texts in which two lists differ, from a little before the place where they do. */
function difference(one: readonly string[], two: readonly string[]): readonly string[] {
  const at = Array.from({ length: Math.max(one.length, two.length) }, (_, i) => i).find((i) => one[i] !== two[i]) ?? 0;
  const pair = [one[at] ?? 'nothing', two[at] ?? 'nothing'] as const;
  const place = [...pair[0]].findIndex((character, i) => character !== pair[1][i]);
  const start = Math.max(0, place - 40);
  return pair.map((text) => (start > 0 ? `...${text.slice(start)}` : text));
}

const isSame = (one: readonly string[], two: readonly string[]): boolean => JSON.stringify(one) === JSON.stringify(two);

/** Why the reports of two visits can't be compared. */
function unequal([one, two]: readonly [Seen, Seen], metrics: readonly string[]): string | undefined {
  const bytes = ({ draws }: Seen, metric: string): string | undefined => draws.find((each) => each.armed && each.metric === metric)?.bytes;
  const apart = metrics.filter((metric) => bytes(one, metric) !== bytes(two, metric));
  if (apart.length > 0) return `the page made different reports of coins that should give equal ones: ${apart.join(', ')}`;
  return metrics.every((metric) => bytes(one, metric) === undefined) ? 'no answer was recorded' : undefined;
}

/** Metrics that follow from an answer, as one that joins two of them does: their coins are not set, so their reports may differ. */
function derivedOf([one, two]: readonly [Seen, Seen]): readonly string[] {
  const inputs = ({ draws }: Seen, name: string): string =>
    JSON.stringify(draws.flatMap(({ metric, armed, stage, input }) => (metric === name && !armed ? [[stage, input]] : [])));
  const names = [...new Set([...one.draws, ...two.draws].map(({ metric }) => metric))];
  return names.filter((name) => inputs(one, name) !== inputs(two, name));
}

/** How many answers were drawn, and of how many words. */
const amountOf = ({ draws, words }: Seen): string => `${draws.length} ${words.reduce((sum, { drawn }) => sum + drawn, 0)}`;

async function compare(investigation: Investigation, webdriver: boolean, names: readonly [string, string]): Promise<readonly Row[]> {
  const twins = await investigation.twins();
  const both = await investigation.twinStories(webdriver);
  if (twins === undefined || both === undefined)
    return names.map((name) =>
      row(name, 'not tested', 'no telemetry was found, or the plan names no two answers whose coins can give equal reports'),
    );
  const metrics = Object.keys(twins[0].answers);
  const why = unequal(both, metrics);
  const own = investigation.site.plan.own ?? [];
  const derived = derivedOf(both);
  const [one, two] = both.map((each) => traceOf(each, own, derived)) as [Trace, Trace];
  const parts = ['reports', 'others'] as const;
  const differing = parts.filter((part) => !isSame(one[part], two[part]));
  let again: readonly Trace[] = [];
  if (differing.length > 0) {
    const tell = async (script: Script): Promise<Trace> => traceOf(await investigation.twinStory(script, webdriver), own, derived);
    again = [await tell(twins[0]), await tell(twins[1])];
  }
  return parts.map((part, i) => {
    const name = names[i] as string;
    if (part === 'reports' && why !== undefined) return row(name, 'not tested', why);
    if (!differing.includes(part)) {
      const count = `${one[part].length === 0 ? 'no' : one[part].length} ${part === 'reports' ? 'traces of reports' : 'other requests'}`;
      if (part === 'reports' && !both[0].sent.some(({ isReport }) => isReport)) return row(name, 'not tested', 'no report was sent');
      return row(name, 'passed', `two visits with other answers to ${metrics.join(', ')} had ${count}, all equal`);
    }
    if (part === 'reports' && derived.length > 0 && amountOf(both[0]) !== amountOf(both[1]))
      return row(name, 'not tested', `answers decide what else is asked: ${derived.join(', ')}`);
    const isStable = isSame(one[part], again[0]?.[part] ?? []) && isSame(two[part], again[1]?.[part] ?? []);
    const evidence = difference(one[part], two[part])
      .map((each) => listed([each]))
      .join(' and ');
    if (!isStable) return row(name, 'not tested', `the page's requests differ from visit to visit with the same answers: ${evidence}`);
    if (part === 'reports') return row(name, 'failed', `the answer shows in what is sent, though the reports are equal: ${evidence}`);
    return row(name, 'failed', `a request that is no report tells the answer: ${evidence}. ${EXCUSE}`);
  });
}

const MONTHS = 'other requests over 60 days';

/** The visits of the ledger, made again with other answers: what a page sends besides reports must be equal, however often it was opened before. */
export const monthTwins: Check = {
  name: MONTHS,
  run: async (investigation) => {
    const { acts = {}, own = [] } = investigation.site.plan;
    const { devices } = await investigation.known();
    if (devices.length === 0 || Object.values(acts).every((answers) => Object.keys(answers).length < 2))
      return [row(MONTHS, 'not tested', 'no telemetry was found, or the plan names no two answers')];
    if (await investigation.isRelayed()) return [row(MONTHS, 'not tested', 'reports go through a relay')];
    const tell = async (later: number): Promise<readonly [string[], string]> => {
      const seen = (await (later === 0 ? investigation.months() : investigation.monthsOf(later))).at(-1)?.[1] as Seen;
      return [[...traceOf(seen, own, []).others], amountOf(seen)];
    };
    const [[one, coins], [two, others]] = [await tell(0), await tell(1)];
    if (isSame(one, two)) return [row(MONTHS, 'passed', `twice ${one.length} other requests, with other answers, all equal`)];
    const evidence = difference(one, two)
      .map((each) => listed([each]))
      .join(' and ');
    const [again] = await tell(1);
    if (coins !== others || !isSame(two, again))
      return [row(MONTHS, 'not tested', `the page's requests differ from visit to visit, or with its coins: ${evidence}`)];
    return [row(MONTHS, 'failed', `a request that is no report tells the answer: ${evidence}. ${EXCUSE}`)];
  },
};

const NAMES = ['twins', 'other requests'] as const;
const DRIVEN = ['twins, driven', 'other requests, driven'] as const;

export const twins: Check = { name: NAMES[0], run: (investigation) => compare(investigation, false, NAMES) };

/** The same in a browser that says it is driven by a program. */
export const drivenTwins: Check = { name: DRIVEN[0], run: (investigation) => compare(investigation, true, DRIVEN) };
