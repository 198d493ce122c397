/** Nothing is created, stored or sent before the person agrees, nor where a browser sends Global Privacy Control. */

import { readFile } from 'node:fs/promises';
import { type Check, listed, type Row, row } from '../check.ts';
import type { Seen } from '../investigation.ts';

const SDK = 'before consent';
const PAGE = "the page's own storage before consent";
const CONTROL = 'Global Privacy Control';

/** Things in storage, each with its content. */
type Kept = readonly (readonly [name: string, content: string])[];

function keptOf({ stored, databases }: Seen): Kept {
  return stored.flatMap(({ local, session, cookie, databases: names, caches }) => [
    ...Object.entries(local).map(([key, value]) => [`localStorage ${key}`, value] as const),
    ...Object.entries(session).map(([key, value]) => [`sessionStorage ${key}`, value] as const),
    ...(cookie ? cookie.split('; ').map((each) => [`cookie ${each.split('=')[0]}`, each] as const) : []),
    ...names.map((name) => [`database ${name}`, databases] as const),
    ...caches.map((name) => [`cache ${name}`, ''] as const),
  ]);
}

/** The names of all that a browser has from `--storage-state`. */
async function givenBy(file: string | undefined): Promise<ReadonlySet<string>> {
  if (file === undefined) return new Set();
  const { cookies = [], origins = [] } = JSON.parse(await readFile(file, 'utf8')) as {
    readonly cookies?: readonly { readonly name: string }[];
    readonly origins?: readonly { readonly localStorage?: readonly { readonly name: string }[] }[];
  };
  const items = origins.flatMap(({ localStorage = [] }) => localStorage);
  return new Set([...cookies.map(({ name }) => `cookie ${name}`), ...items.map(({ name }) => `localStorage ${name}`)]);
}

const isOfSdk = ([name]: Kept[number]): boolean => /^\w+ murmuration/i.test(name);

/** Things that the SDK keeps and sends where it may do neither. */
function ofSdk(seen: readonly Seen[]): readonly string[] {
  return seen.flatMap((each) => [
    ...keptOf(each)
      .filter(isOfSdk)
      .map(([name]) => `stored ${name}`),
    ...each.sent.filter(({ isReport }) => isReport).map(({ body }) => `sent ${body}`),
  ]);
}

export const beforeConsent: Check = {
  name: SDK,
  run: async (investigation) => {
    const { plan } = investigation.site;
    const { loaded, clicked } = await investigation.quiet();
    const { devices } = await investigation.known();
    const found = [...new Set(ofSdk([loaded, clicked]))];
    const reads = `It read ${listed(loaded.reads, 8) || 'nothing'}.`;
    if (found.length > 0) {
      const isByDefault = devices.some(({ fallback }) => fallback === 'granted') && plan.consent === undefined;
      if (isByDefault) return [row(SDK, 'not tested', 'the app agrees by default, and the plan names no consent')];
      return [row(SDK, 'failed', `before anybody agreed, the telemetry ${listed(found)}`)];
    }
    const acted = plan.acts ? ', also when answers were clicked' : '';
    if (devices.length === 0) return [row(SDK, 'not tested', 'no telemetry was found')];
    return [row(SDK, 'passed', `the telemetry stored and sent nothing${acted}. ${reads}`)];
  },
};

export const pageStorage: Check = {
  name: PAGE,
  run: async (investigation) => {
    const { plan, storageState } = investigation.site;
    const { own } = plan;
    const { loaded, clicked } = await investigation.quiet();
    const given = await givenBy(storageState);
    const isOwn = ([name]: Kept[number]): boolean => given.has(name) || (own ?? []).some((each) => name.includes(each));
    const kept = [...new Map([...keptOf(loaded), ...keptOf(clicked)]).entries()].filter((each) => !isOfSdk(each) && !isOwn(each));
    if (kept.length === 0) return [row(PAGE, 'passed', 'it stored nothing, or only what the plan names')];
    const names = listed(kept.map(([name]) => name));
    const drawn = clicked.given.filter((text) => text.length >= 8);
    const random = kept.filter(([, content]) => drawn.some((text) => content.includes(text)));
    const rows: Row[] = [];
    if (random.length > 0)
      rows.push(
        row(
          PAGE,
          'failed',
          `it stored random numbers, as an identifier would be: ${listed(random.map(([name]) => name))}. If the page needs it, name it under "own" in the plan`,
        ),
      );
    else if (own !== undefined) rows.push(row(PAGE, 'failed', `it stored ${names}, which the plan does not name`));
    else
      rows.push(
        row(PAGE, 'not tested', `it stored ${names}. Only people can tell if the page needs it: name that under "own" in the plan`),
      );
    return rows;
  },
};

export const privacyControl: Check = {
  name: CONTROL,
  run: async (investigation) => {
    const { devices } = await investigation.known();
    if (devices.length === 0) return [row(CONTROL, 'not tested', 'no telemetry was found')];
    const found = ofSdk([await investigation.controlled()]);
    if (found.length > 0)
      return [row(CONTROL, 'failed', `with Global Privacy Control, and before anybody agreed, the telemetry ${listed(found)}`)];
    return [
      row(
        CONTROL,
        'passed',
        'with it, and without an agreement, nothing was stored or sent. An agreement that a person gives on the page counts',
      ),
    ];
  },
};
