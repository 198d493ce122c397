/** URLs of databases. They may hold a password, so no error and no log ever shows one as it is. */

import { UnfitDatabase } from './errors.ts';

const EXAMPLE = 'postgres://user@host:5432/database';

/** A URL without its password, for logs and messages; nothing of it where it is not a URL. */
export function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return '(not a URL)';
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  if (url.searchParams.has('password')) url.searchParams.set('password', '***');
  return url.href;
}

/** @throws {UnfitDatabase} when a text is not the URL of a database */
export function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^postgres(ql)?:$/.test(url.protocol)) return;
  throw new UnfitDatabase(`--postgres: expected a URL such as ${EXAMPLE}, got ${url === undefined ? 'none' : url.protocol}`);
}
