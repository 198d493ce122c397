/**
 * The Content Security Policies of a page, and whether they let it send to a collector: `connect-src`, or `default-src` in its place (CSP 3,
 * sections 6.1.3 and 6.7.2).
 */

/** The sources that a policy's directive for connections lists; undefined if it has none, so that all are allowed. */
function sourcesOf(policy: string): readonly string[] | undefined {
  const directives = new Map<string, readonly string[]>();
  for (const directive of policy.split(';')) {
    const [name, ...sources] = directive.trim().split(/\s+/);
    if (name && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources); // the first of a name counts
  }
  return directives.get('connect-src') ?? directives.get('default-src');
}

/** The policies of a page: those of its headers, and those of its `<meta>` elements. */
export function policiesOf(headers: Headers, html: string): readonly string[] {
  const metas = [...html.matchAll(/<meta\b[^>]*>/gi)].map(([element]) => element);
  const attribute = (element: string, name: string): string =>
    new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(element)?.slice(1).join('') ?? '';
  return [
    ...(headers.get('content-security-policy') ?? '').split(','),
    ...metas
      .filter((element) => attribute(element, 'http-equiv').toLowerCase() === 'content-security-policy')
      .map((element) => attribute(element, 'content').replaceAll('&#39;', "'").replaceAll('&quot;', '"')),
  ].filter((policy) => policy.trim() !== '');
}

const PORTS: { readonly [scheme: string]: string } = { 'http:': '80', 'https:': '443' };
const portOf = ({ port, protocol }: URL): string => port || (PORTS[protocol] as string);

/** True if a scheme is the same or its secure form. */
const isScheme = (scheme: string, url: URL): boolean => scheme === url.protocol || (scheme === 'http:' && url.protocol === 'https:');

/** True if a source of a policy matches an address to which a page sends. */
function matches(source: string, url: URL, page: URL): boolean {
  if (source === '*') return url.protocol in PORTS;
  if (source.toLowerCase() === "'self'")
    return isScheme(page.protocol, url) && page.hostname === url.hostname && portOf(page) === portOf(url);
  if (/^[a-z][a-z0-9+.-]*:$/i.test(source)) return isScheme(source.toLowerCase(), url);
  const parts = /^(?:([a-z][a-z0-9+.-]*:)\/\/)?([^/:']+|\[[^\]]*\])(?::(\d+|\*))?(\/.*)?$/i.exec(source);
  if (!parts) return false;
  const [, scheme = page.protocol, host = '', port, path = ''] = parts;
  const name = host.toLowerCase();
  const isHost = name.startsWith('*.') ? url.hostname.endsWith(name.slice(1)) : name === '*' || name === url.hostname;
  const isPort = port === '*' || portOf(url) === (port ?? PORTS[url.protocol]);
  const isPath = path === '' || (path.endsWith('/') ? url.pathname.startsWith(path) : url.pathname === path);
  return isScheme(scheme.toLowerCase(), url) && isHost && isPort && isPath;
}

/**
 * The sources of the first policy that keeps a page from sending to an address; undefined if none does.
 *
 * @param policies as `policiesOf` returns them; a page obeys all of them
 */
export function refusing(policies: readonly string[], url: URL, page: URL): readonly string[] | undefined {
  return policies.map(sourcesOf).find((sources) => sources !== undefined && !sources.some((source) => matches(source, url, page)));
}
