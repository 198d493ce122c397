/**
 * The files of the dashboard, from memory: an answer opens no file, and a sender who leaves early leaves nothing behind. Names of scripts and
 * styles have a hash of their content (test/setup/build-dashboard.ts), so browsers keep them for ever. Addresses of the plan and of questions
 * are answered with the index page, that of published questions or that of an app, whose base is folders up; the script says which it is.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { RequestHandler, Response } from 'express';
import { type Coded, sendCoded, tagOf } from './send.ts';

const folder = fileURLToPath(new URL('../../../dist/dashboard/', import.meta.url));

const TYPES: { readonly [end: string]: string } = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

const HASHED = /-[A-Z0-9]{8}\.\w+$/;

/** A file in each coding, and the headers that all of them have. */
interface PageFile {
  readonly headers: { readonly [name: string]: string };
  readonly bytes: Coded;
}

function pageFile(name: string, bytes: Coded): PageFile {
  const headers = {
    'content-type': TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    'cache-control': HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: tagOf(bytes),
  };
  return { headers, bytes };
}

function readPageFile(name: string): PageFile {
  const read = (end: string): Buffer => readFileSync(`${folder}${name}${end}`);
  return pageFile(name, { br: read('.br'), gzip: read('.gz'), identity: read('') });
}

/** Addresses below the page, and the name that stands for all of them among the files. Names of apps and metrics need no escapes. */
const BELOW = [
  { pattern: /^\/questions\/[\w.-]+$/, any: '/questions/:name', page: '/index.html', base: '../' },
  { pattern: /^\/public\/[\w.-]+\/[\w.-]+$/, any: '/public/:app/:name', page: '/public.html', base: '../../' },
  { pattern: /^\/embed\/[\w.-]+\/[\w.-]+$/, any: '/embed/:app/:name', page: '/public.html', base: '../../' },
  { pattern: /^\/public\/[\w.-]+$/, any: '/public/:app', page: '/asked.html', base: '../' },
  { pattern: /^\/embed\/[\w.-]+$/, any: '/embed/:app', page: '/asked.html', base: '../' },
] as const;

/** Pages that other sites may show in a frame. */
const EMBEDS: readonly string[] = BELOW.map(({ any }) => any).filter((any) => any.startsWith('/embed/'));

/** The name of a path among the files. */
const nameOf = (path: string): string => BELOW.find(({ pattern }) => pattern.test(path))?.any ?? path;

/** A page for addresses in a deeper folder. */
function deeper({ bytes }: PageFile, base: string): PageFile {
  const identity = Buffer.from(bytes.identity.toString().replace('<base href="./"', `<base href="${base}"`));
  return pageFile('index.html', { br: brotliCompressSync(identity), gzip: gzipSync(identity), identity });
}

/** Lets other sites show the page in a frame, if any may. The names of sites come from the operator. */
function allowFrames(response: Response, ancestors: readonly string[]): void {
  if (ancestors.length === 0) return;
  const policy = String(response.getHeader('content-security-policy'));
  response.set('content-security-policy', policy.replace(/frame-ancestors [^;]*/, `frame-ancestors 'self' ${ancestors.join(' ')}`));
  response.removeHeader('x-frame-options');
}

let files: ReadonlyMap<string, PageFile> | undefined;

/** The files by their paths. They are read once, and not at all where the page has not been built. */
function pageFiles(): ReadonlyMap<string, PageFile> {
  if (files !== undefined) return files;
  let names: readonly string[] = [];
  try {
    names = readdirSync(folder).filter((name) => !/\.(br|gz)$/.test(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const found = new Map(names.map((name) => [`/${name}`, readPageFile(name)]));
  const index = found.get('/index.html');
  if (index !== undefined) found.set('/', index).set('/plan', index);
  for (const { any, page, base } of BELOW) {
    const file = found.get(page);
    if (file !== undefined) found.set(any, deeper(file, base));
  }
  files = found;
  return files;
}

/** The route of the page and its files. Other requests pass. A prefix without its slash is redirected, since the page names its files relatively. */
export function servePage(frameAncestors: readonly string[]): RequestHandler {
  const served = pageFiles();
  return (request, response, next) => {
    const name = nameOf(request.path);
    const file = served.get(name);
    if (file === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return next();
    const rest = request.originalUrl.slice(request.baseUrl.length);
    if (/^(\?|$)/.test(rest)) return response.redirect(301, `${request.baseUrl}/${rest}`);
    response.set(file.headers);
    if (EMBEDS.includes(name)) allowFrames(response, frameAncestors);
    sendCoded(response, file.bytes);
  };
}
