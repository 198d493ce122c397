/**
 * Twins: two answers whose coins give equal reports. All that is sent must then be equal, byte by byte and moment by moment: reports, and
 * whatever else the page sends. A difference counts if both visits, made again, show it again.
 */

import { type Check, listed, type Row, row } from '../check.ts';
import type { Investigation, Script, Seen } from '../investigation.ts';
import type { Message } from '../messages.ts';

/** All that can be compared of a visit, as texts. */
interface Trace {
  readonly reports: readonly string[];
  readonly others: readonly string[];
}

/** A message as the relay sees it. */
const sealedOf = ({ url, headers, bytes }: Message): unknown => [url, headers, bytes.length, bytes];

function traceOf({ sent, scripts }: Seen, own: readonly string[]): Trace {
  const isOwn = (url: string): boolean => own.some((each) => url.includes(each));
  const messages = new Map(sent.flatMap(({ message }) => (message ? [[message.bytes, message] as const] : [])));
  const isReport = (url: string): boolean => /\/v1\/reports\/?(\?|$)/.test(url);
  const others = sent.filter(({ url, isReport }) => !isReport && !isOwn(url));
  return {
    reports: [
      ...sent
        .filter((each) => each.isReport)
        .map(({ method, url, headers, body, step, message }) =>
          JSON.stringify([method, url, body, step, headers, message && sealedOf(message)]),
        ),
      ...scripts
        .filter(({ to, text }) => isReport(to) || messages.has(text))
        .map(({ by, time, to, text }) => {
          const message = messages.get(text);
          return JSON.stringify([by, time, to, message ? sealedOf(message) : text]);
        }),
      // The order among all requests, and how many others came before.
      JSON.stringify(sent.filter(({ url }) => !isOwn(url)).map((each) => each.isReport)),
    ],
    others: [
      ...others.map(
        ({ method, url, body, from, message }) => `${from} ${method} ${url} ${body} ${message ? JSON.stringify(sealedOf(message)) : ''}`,
      ),
      ...scripts
        .filter(({ to, text }) => !isReport(to) && !isOwn(to) && !messages.has(text))
        .map(({ by, to, text }) => `${by} ${to} ${text}`),
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
  const [one, two] = both.map((each) => traceOf(each, own)) as [Trace, Trace];
  const parts = ['reports', 'others'] as const;
  const differing = parts.filter((part) => !isSame(one[part], two[part]));
  let again: readonly Trace[] = [];
  if (differing.length > 0) {
    const tell = async (script: Script): Promise<Trace> => traceOf(await investigation.twinStory(script, webdriver), own);
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
    const isStable = isSame(one[part], again[0]?.[part] ?? []) && isSame(two[part], again[1]?.[part] ?? []);
    const evidence = difference(one[part], two[part])
      .map((each) => listed([each]))
      .join(' and ');
    if (!isStable) return row(name, 'not tested', `the page's requests differ from visit to visit with the same answers: ${evidence}`);
    if (part === 'reports') return row(name, 'failed', `the answer shows in what is sent, though the reports are equal: ${evidence}`);
    return row(
      name,
      'failed',
      `a request that is no report tells the answer: ${evidence}. If the page needs it, name its address under "own" in the plan`,
    );
  });
}

const NAMES = ['twins', 'other requests'] as const;
const DRIVEN = ['twins, driven', 'other requests, driven'] as const;

export const twins: Check = { name: NAMES[0], run: (investigation) => compare(investigation, false, NAMES) };

/** The same in a browser that says it is driven by a program. */
export const drivenTwins: Check = { name: DRIVEN[0], run: (investigation) => compare(investigation, true, DRIVEN) };
