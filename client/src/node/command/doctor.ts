/**
 * `doctor`: whether a collector would take what an app's devices send, and where not, why and how to fix it. It sends one batch, of a metric
 * that no schema can have, so that every collector refuses it and nothing is ever counted.
 */

import { randomBytes } from 'node:crypto';
import { ACCEPTED_DAYS, dayNumber, dayText, refusalIn, type SchemaDocument, wireName } from '@murmuration/shared';
import { bundleFindings } from './bundle.ts';
import { type Finding, fault, fine, open } from './finding.ts';
import { policiesOf, refusing } from './policy.ts';
import { sizeFinding } from './size.ts';

/** The options of the command. */
export interface DoctorOptions {
  readonly schema?: SchemaDocument | undefined;
  /** The file that the schema came from, as it was named. */
  readonly file?: string | undefined;
  readonly key?: string | undefined;
  /** The address of a page of the app, or its origin. */
  readonly origin?: string | undefined;
  /** A file or a folder of what was built. */
  readonly bundle?: string | undefined;
}

/** Milliseconds until an answer, as devices wait. */
const PATIENCE = 10_000;
/** Seconds by which clocks may differ. Batches are accepted for days, so this is about a clock that nobody sets. */
const MOST_SECONDS = 300;
/** A name that `defineSchema` refuses. */
const NO_METRIC = '?';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const ask = async (url: string, request: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE), ...request });
  return { status: response.status, headers: response.headers, body: await response.text() };
};

/** The part of the public statement that is read here. */
interface Statement {
  readonly format: number;
  readonly apps: readonly { readonly app: string; readonly schemas: readonly { readonly schema: string; readonly inForce: boolean }[] }[];
}

const statementIn = ({ status, body }: Answer): Statement | undefined => {
  try {
    const read = JSON.parse(body) as Statement;
    return status === 200 && typeof read.format === 'number' && Array.isArray(read.apps) ? read : undefined;
  } catch {
    return undefined;
  }
};

/** A batch that is refused by every collector, after all checks of its sender, its schema and its day. */
const probe = (schema: string): string =>
  JSON.stringify({
    v: 1,
    schema,
    day: dayText(dayNumber(Date.now())),
    batch: randomBytes(16).toString('hex'),
    reports: [[NO_METRIC, '']],
  });

/** Why nobody answered, from the cause that Node names. */
function silence(endpoint: string, error: unknown): Finding {
  const { name, cause } = error as { readonly name: string; readonly cause?: { readonly code?: string; readonly message?: string } };
  const { code = name, message = '' } = cause ?? {};
  const [why, fix] =
    code === 'ECONNREFUSED'
      ? ['no program listens there', 'start the collector: npx @murmuration/collector serve --schema src/schema.ts --open']
      : code === 'ENOTFOUND' || code === 'EAI_AGAIN'
        ? ['the name has no address', 'look for a typing error in the host, or wait for DNS']
        : /CERT|SSL|TLS|SIGNED/.test(code)
          ? [`the certificate is not trusted: ${message}`, 'renew the certificate, or use http on your own machine']
          : code === 'TimeoutError'
            ? [`no answer within ${PATIENCE / 1_000} s`, 'look whether a firewall or a proxy holds the request']
            : [`${code} ${message}`.trim(), 'look whether the server speaks HTTP there'];
  return fault('server', `nobody answers at ${endpoint}`, why, fix);
}

/** The finding of a server that is no collector; undefined for a collector. */
function stranger(endpoint: string, { status, headers, body }: Answer): Finding | undefined {
  if (refusalIn({ status, body }) !== undefined) return undefined;
  const to = headers.get('location');
  if (to !== null && status > 299 && status < 400)
    return fault('server', `it redirects to ${to}`, 'devices follow no redirect', `use the address to which it leads as endpoint`);
  const program = headers.get('server');
  const why =
    status === 204
      ? 'it took a batch that can never be counted, so reports would be lost'
      : `POST ${new URL(endpoint).pathname.replace(/\/$/, '')}/v1/reports got ${status}${program ? ` from ${program}` : ''}, not a collector's answer`;
  return fault(
    'server',
    `${endpoint} answers, but is no collector`,
    why,
    'use the address that `murmuration serve` prints, or let the proxy before it pass on /v1/reports and /.well-known',
  );
}

/** The clock of the server beside this one, and its day beside the batch's. */
function clockFinding({ headers }: Answer, code: string | undefined): Finding {
  const seconds = Math.round((Date.parse(headers.get('date') ?? '') - Date.now()) / 1_000);
  const days = `batches are taken from ${ACCEPTED_DAYS.before} days before its day to ${ACCEPTED_DAYS.after} after`;
  if (code === 'stale-day' || code === 'future-day' || code === 'clock-in-doubt')
    return fault('clock', `the collector refuses today's date (${code})`, days, 'set the clock of its machine, or of this one');
  if (Number.isNaN(seconds)) return open('clock', 'the answers have no date', 'a proxy has taken it away');
  if (Math.abs(seconds) > MOST_SECONDS)
    return fault(
      'clock',
      `the server is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} this machine`,
      days,
      'set the clock that is wrong',
    );
  return fine('clock', 'the server and this machine agree on the time');
}

/** Compares a schema with those that the collector has published, laws included. */
function schemaFinding({ schema, file }: DoctorOptions, code: string | undefined, statement: Statement | undefined): Finding {
  if (!schema) return open('schema', 'not compared', 'pass --schema src/schema.ts');
  const wire = wireName(schema);
  const known = statement?.apps.find(({ app }) => app === schema.app)?.schemas ?? [];
  const publish = `restart it with --schema ${file}, or run npx @murmuration/collector schemas publish ${file} beside it`;
  const same = known.find((each) => each.schema === wire);
  if (code === 'retired' || same?.inForce === false)
    return fault('schema', `${wire} is retired there`, 'somebody has taken it out of force', 'ship a new version, or publish it again');
  if (same || (code !== 'unknown-schema' && statement === undefined)) return fine('schema', `${wire} is published there`);
  const version = known.find((each) => each.schema.startsWith(`${schema.app}/${schema.version}/`));
  if (version)
    return fault(
      'schema',
      `${wire} is not the one that is published there`,
      `it knows version ${schema.version} as ${version.schema}: the questions or their laws have changed since`,
      `give the schema version ${schema.version + 1}, then ${publish}`,
    );
  const others = known.map((each) => each.schema).join(', ');
  return fault('schema', `${wire} is not published there`, `of this app it knows ${others || 'none'}; reports wait on devices`, publish);
}

function keyFinding(key: string | undefined, code: string | undefined, body: string): Finding {
  if (key?.startsWith('at_'))
    return fault('key', 'an access token is no write key', 'it reads estimates, and an app is public', 'revoke it, and pass a pk_ key');
  if (code === 'unknown-key')
    return fault(
      'key',
      key ? 'the collector does not take this key' : 'the collector wants a key',
      body.trim(),
      'run npx @murmuration/collector keys create --app NAME beside it, and pass what it prints as `key`',
    );
  return fine('key', key ? 'the collector takes this key, or needs none' : 'the collector needs none');
}

/** Findings of a page: whether it may send there and read the answers. */
async function pageFindings(endpoint: string, page: URL, code: string | undefined, { headers }: Answer): Promise<readonly Finding[]> {
  const url = new URL(`${endpoint}/v1/reports`);
  const { origin } = page;
  const allowed = headers.get('access-control-allow-origin');
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  const findings = [
    code === 'bad-origin'
      ? fault('origin', `the collector takes nothing from ${origin}`, 'its --origin names others', `restart it with --origin ${origin}`)
      : fine('origin', `the collector takes reports from ${origin}`),
    url.origin === origin || allowed === '*' || allowed === origin
      ? fine('cors', 'pages may read the answers; no preflight is sent, since reports are text/plain')
      : fault(
          'cors',
          `a page of ${origin} may not read the answers`,
          `access-control-allow-origin is ${allowed ?? 'missing'}, so delivered reports are sent again`,
          'let the proxy pass on the headers of the collector',
        ),
  ];
  if (page.protocol === 'https:' && url.protocol === 'http:' && !isLocal)
    findings.push(fault('page', 'browsers block it', 'a page over https may not send to http', 'give the collector a certificate'));
  const shown = await ask(page.href, { redirect: 'follow' }).catch(() => undefined);
  if (!shown || shown.status > 299) return [...findings, open('csp', `${page.href} could not be read`, 'its policy is not known')];
  const sources = refusing(policiesOf(shown.headers, shown.body), url, page);
  findings.push(
    sources
      ? fault(
          'csp',
          `the policy of ${page.href} forbids it`,
          `connect-src is ${sources.join(' ') || "'none'"}`,
          `add ${url.origin} to connect-src of Content-Security-Policy`,
        )
      : fine('csp', `the policy of ${page.href} allows it`),
  );
  return findings;
}

/**
 * Examines a collector.
 *
 * @param endpoint as the app passes it to `createTelemetry`, but never a path alone
 */
export async function examine(endpoint: string, options: DoctorOptions): Promise<readonly Finding[]> {
  const { schema, key, origin, bundle } = options;
  const base = endpoint.replace(/\/+$/, '');
  const page = origin === undefined ? undefined : new URL(origin);
  const local = [
    ...(schema ? [sizeFinding(schema)] : []),
    ...(bundle === undefined ? [] : await bundleFindings(bundle, base, schema && wireName(schema))),
  ];
  const send = (wire: string, from: URL | undefined): Promise<Answer> =>
    ask(`${base}/v1/reports${key ? `?key=${encodeURIComponent(key)}` : ''}`, {
      method: 'POST',
      body: probe(wire),
      headers: { 'content-type': 'text/plain', ...(from && { origin: from.origin }) },
    });
  try {
    const mine = schema && wireName(schema);
    const asPage = await send(mine ?? 'none/1/0', page);
    const no = stranger(base, asPage);
    if (no) return [no, ...local];
    const pageCode = refusalIn(asPage);
    // The first reader of the statement waits for the audit that it states.
    const signal = AbortSignal.timeout(6 * PATIENCE);
    const statement = await ask(`${base}/.well-known/murmuration.json`, { signal }).then(statementIn, () => undefined);
    const inForce = statement?.apps.flatMap(({ schemas }) => schemas).find((each) => each.inForce)?.schema;
    // Refusals of an origin, and of a schema that nobody asked about, hide what is wrong with the key.
    const isHidden = pageCode === 'bad-origin' || (mine === undefined && inForce !== undefined);
    const answer = isHidden ? await send(mine ?? inForce ?? 'none/1/0', undefined) : asPage;
    const code = refusalIn(answer);
    return [
      fine('server', `${base} is a collector${statement ? ` of ${statement.apps.map(({ app }) => app).join(', ') || 'no app yet'}` : ''}`),
      statement === undefined
        ? open('version', 'not known', 'the proxy does not pass on /.well-known/murmuration.json, where people read what is asked')
        : statement.format === 1
          ? fine('version', 'it speaks version 1 of the format')
          : fault('version', `it speaks version ${statement.format}`, 'this client speaks version 1', 'update @murmuration/client'),
      clockFinding(answer, code),
      schemaFinding(options, code, statement),
      keyFinding(key, code, answer.body),
      ...(schema?.relay
        ? [
            open(
              'relay',
              'reports go through a relay, which was not tried',
              'this command has no relay: the collector refused its batch as past-relay',
            ),
          ]
        : []),
      ...(page ? await pageFindings(base, page, pageCode, asPage) : []),
      ...local,
    ];
  } catch (error) {
    return [silence(base, error), ...local];
  }
}
