/**
 * Why an upload of a page got no answer, as far as the page can tell: `fetch` says the same of a policy, of an ad blocker and of a server that is
 * off. Like explain.ts, which asks for it, this file is not part of production bundles.
 */

import { attempt } from './maybe.ts';

/** The part of an app's options that is used here. */
export interface Uploading {
  readonly endpoint: string;
  readonly transport?: unknown;
}

/** An upload that may get no answer. Either function ends the watch. */
export interface Watched {
  readonly answered: () => void;
  /** Resolves with a sentence or two for developers. */
  readonly unanswered: () => Promise<string>;
}

/** Milliseconds until the event of a violated policy has come, which a failed `fetch` does not wait for. */
const PAUSE = 50;

/** Tries to read what an endpoint publishes for everybody: `readable` for a page of this origin, `reached` if a server answers. */
async function reach(endpoint: string): Promise<'readable' | 'reached' | undefined> {
  const read = (mode: RequestMode): Promise<Response> =>
    fetch(`${endpoint}/.well-known/murmuration.json`, { mode, cache: 'no-store', credentials: 'omit' });
  if ((await attempt(() => read('cors')))?.ok) return 'readable';
  return (await attempt(() => read('no-cors'))) && 'reached';
}

async function reasonOf(endpoint: string, origin: string, isForbidden: () => boolean): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE));
  if (isForbidden()) return `The Content Security Policy of this page forbids the upload: add ${origin} to its \`connect-src\`.`;
  if (navigator.onLine === false) return 'This device is offline.';
  const reached = await reach(endpoint);
  return reached === 'readable'
    ? 'The collector answers this page, but the upload did not get there: an ad blocker or another extension stops it. Try a window without extensions, or an `endpoint` on the page’s own server.'
    : reached
      ? 'A server answers at `endpoint`, but this page may not read it: it is no collector, or a proxy takes `access-control-allow-origin` away.'
      : 'Nobody answered the upload. Is the collector running at `endpoint`? If it is, an extension stops all requests to it.';
}

/** Watches an upload from now on; undefined outside of pages and workers, and where the app has a transport of its own. */
export function watchUpload({ endpoint, transport }: Uploading): Watched | undefined {
  const { addEventListener, removeEventListener, location } = globalThis;
  if (transport || !addEventListener || !location) return undefined;
  const { origin } = new URL(endpoint, location.href);
  let isForbidden = false;
  const hear = ({ blockedURI, disposition }: SecurityPolicyViolationEvent): void => {
    isForbidden ||= disposition === 'enforce' && blockedURI.startsWith(origin);
  };
  const answered = (): void => removeEventListener('securitypolicyviolation', hear);
  addEventListener('securitypolicyviolation', hear);
  return {
    answered,
    unanswered: () => reasonOf(endpoint.replace(/\/+$/, ''), origin, () => isForbidden).finally(answered),
  };
}
