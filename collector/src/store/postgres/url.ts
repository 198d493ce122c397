/** URLs of databases. They may hold a password, so no error and no log ever shows one as it is. */

import { UnfitDatabase } from './errors.ts';

const EXAMPLE = 'postgres://user@host:5432/database';

/** Whether a password may be where none is looked for: a `/`, `?` or `#` in it ends the host, and without a host all is the path. */
const isUnclear = ({ host, pathname, search, hash }: URL): boolean => host === '' || `${pathname}${search}${hash}`.includes('@');

/** A URL without its password, for logs and messages; nothing of it where it is not a URL. */
export function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return '(not a URL)';
  const url = new URL(text);
  if (isUnclear(url)) return '(not a URL)';
  if (url.password !== '') url.password = '***';
  if (url.searchParams.has('password')) url.searchParams.set('password', '***');
  return url.href;
}

/** @throws {UnfitDatabase} when a text is not the URL of a database */
export function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const expected = `--postgres: expected a URL such as ${EXAMPLE}`;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol))
    throw new UnfitDatabase(`${expected}, got ${url === undefined ? 'none' : url.protocol}`);
  if (isUnclear(url))
    throw new UnfitDatabase(`${expected}, got one with no host or with @ after it: write / ? # @ of a password as %2F %3F %23 %40`);
}
