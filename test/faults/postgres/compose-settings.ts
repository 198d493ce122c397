/** The settings and files that docs/deploy/postgres/compose.yaml gives to its containers, with the addresses and ports of a test. */

import { join } from 'node:path';
import { parse } from 'yaml';
import { deployed, replaced } from '../../deploy/deployed.ts';
import { streamModule } from '../../setup/places.ts';

/** Environment variables. */
export type Environment = Readonly<Record<string, string>>;

/** The values of `.env`. */
export const SECRETS: { readonly [name: string]: string } = {
  POSTGRES_PASSWORD: 'postgres-secret',
  COLLECTOR_PASSWORD: 'collector-secret',
  REPLICA_PASSWORD: 'replica-secret',
};

/** Compose's own variables: `${NAME:?}`, and `${NAME-default}`. */
const interpolated = (environment: Environment, set: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment).map(([name, text]) => [
      name,
      text.replace(/\$\{(\w+)(?::\?|-(\w*))\}/g, (_, variable: string, usual = '') => set[variable] ?? SECRETS[variable] ?? usual),
    ]),
  );

interface Services {
  readonly services: { readonly [name: string]: { readonly environment: Environment } };
}
const { services } = parse(deployed('postgres/compose.yaml'), { merge: true }) as Services;
/** The settings of the collectors' image. */
export const ofImage: Environment = Object.fromEntries(
  (/^ENV (.*)$/m.exec(deployed('Dockerfile'))?.[1] ?? '').split(' ').map((pair) => pair.split('=') as [string, string]),
);

/** The environment of a service. `set` has variables that are not in `.env` at first. */
export const environmentOf = (service: string, set: Environment = {}): Environment =>
  interpolated(services[service]?.environment ?? {}, set);

/** nginx's file in front of the primary, which is the database of this name. */
export function wayFile({
  port,
  name,
  to,
  log,
}: {
  readonly port: number;
  readonly name: string;
  readonly to: number;
  readonly log: string;
}): string {
  // What a person changes after a failover.
  const text = replaced(deployed('postgres/database.nginx.conf'), ['db1:5432', `${name}:5432`]);
  const changes = [
    ['listen 5432 ', `listen 127.0.0.1:${port} `],
    [`${name}:5432`, `127.0.0.1:${to}`],
    ['/dev/stderr', log],
  ] as const;
  // In Debian, the module is loaded as the file says.
  return `load_module ${streamModule()};\n${replaced(text, ...changes)}`;
}

/** nginx's file in front of the collectors. Its own files are in a folder. */
export function siteFile(of: {
  readonly folder: string;
  readonly port: number;
  readonly plain: number;
  readonly collectors: readonly number[];
}): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${join(of.folder, kind)};`);
  return replaced(
    deployed('postgres/nginx.conf'),
    ['http {', `http { ${temporary.join(' ')}`],
    ['listen 80;', `listen 127.0.0.1:${of.plain};`],
    ['listen 443 ', `listen 127.0.0.1:${of.port} `],
    ['collector1:8080', `127.0.0.1:${of.collectors[0]}`],
    ['collector2:8080', `127.0.0.1:${of.collectors[1]}`],
    ['/etc/nginx/certificates', of.folder],
    ['/dev/stderr', join(of.folder, 'site.log')],
    ['rate=20r/s', 'rate=20000r/s'], // all devices have one address here
  );
}
