/**
 * The files of docs/deploy/postgres: what they set exists, and what they name is there. `npm run faults -- postgres` runs the parts of the
 * compose file as processes and kills their primary; here, all but the cluster is read.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalSchema } from '@murmuration/shared';
import { Deployment } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { PersistentVolumeClaim, Service } from 'kubernetes-models/v1';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { HEALTH_ROUTES } from '#collector/server/health/health.ts';
import { schema } from '../kit/senders.ts';
import { bin } from '../setup/command.ts';
import { deployed } from './deployed.ts';

const folder = mkdtempSync(join(tmpdir(), 'murmuration-deploy-postgres-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'schema.json'), canonicalSchema(schema.document));

/** A parsed file, as far as these tests look into it. */
// biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of these files
type Loose = any;

/** The settings of the image that are not overridden by what a container sets. */
const ofImage = Object.fromEntries(
  (/^ENV (.*)$/m.exec(deployed('Dockerfile'))?.[1] ?? '').split(' ').map((pair) => pair.split('=') as [string, string]),
);

/** Checks the settings of a container, and returns those in effect. */
function checked(environment: Record<string, string>): Record<string, unknown> {
  const args = [bin, 'serve', '--check-config'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: { ...ofImage, ...environment },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const idleOf = (text: string): number => Number(/keepalive_timeout (\d+)s;/.exec(text)?.[1]);

describe('the compose file', () => {
  const { services, networks, volumes } = parse(deployed('postgres/compose.yaml'), { merge: true }) as Loose;
  const { environment } = services.collector1;

  test('has collectors whose settings exist, without privileges, with time to stop', () => {
    const postgres = 'postgres://murmuration@database:5432/telemetry';
    for (const name of ['collector1', 'collector2']) {
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '30s', environment });
      expect(checked(services[name].environment)).toMatchObject({ postgres, views: true, host: '0.0.0.0', port: 8080 });
    }
    expect(new URL(postgres).hostname in services).toBe(true);
  });

  test('believes the proxy alone, and gives every container an address of its own in the network', () => {
    const addresses = Object.values(services).map((service: Loose) => service.networks.default.ipv4_address as string);
    expect(new Set(addresses).size).toBe(6);
    const [{ subnet }] = networks.default.ipam.config;
    expect(subnet).toBe('10.89.0.0/24');
    for (const address of addresses) expect(address).toMatch(/^10\.89\.0\.\d+$/);
    expect(environment.MURMURATION_TRUST_PROXY).toBe(services.proxy.networks.default.ipv4_address);
  });

  test('mounts files that are there, and starts what others need first', () => {
    for (const [name, service] of Object.entries(services) as [string, Loose][]) {
      for (const need of service.depends_on ?? []) expect(Object.keys(services), name).toContain(need);
      for (const mount of service.volumes as readonly string[]) {
        const [from = '', to] = mount.split(':');
        expect(to).toMatch(/^\//);
        if (!from.startsWith('.')) expect(Object.keys(volumes)).toContain(from);
        // These two are the operator's own.
        else if (!['./schema.json', './certificates'].includes(from)) expect(deployed(`postgres/${from}`).length, name).toBeGreaterThan(0);
      }
    }
    expect(services.collector1.depends_on).toEqual(['database']);
    expect(services.proxy.depends_on).toEqual(['collector1', 'collector2']);
  });

  test('asks for each password, and starts one database as a standby of the other', () => {
    const text = deployed('postgres/compose.yaml');
    expect(new Set([...text.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name))).toEqual(
      new Set(['POSTGRES_PASSWORD', 'COLLECTOR_PASSWORD', 'REPLICA_PASSWORD']),
    );
    expect(services.db1.environment.STANDBY_OF).toBe(`\${DB1_STANDBY_OF-}`);
    expect(services.db2.environment.STANDBY_OF).toBe(`\${DB2_STANDBY_OF-db1}`);
  });

  test('names its services in nginx, whose idle connections end before those of the collectors', () => {
    const [http, stream] = [deployed('postgres/nginx.conf'), deployed('postgres/database.nginx.conf')];
    expect(Number(ofImage['MURMURATION_KEEP_ALIVE'])).toBeGreaterThan(idleOf(http));
    expect([...http.matchAll(/server (collector\d):8080/g)].map(([, name]) => name)).toEqual([
      'collector1',
      'collector2',
      'collector1',
      'collector2',
    ]);
    expect(stream).toContain('server db1:5432;');
  });
});

/** Manifests, each checked against the published schema of its kind. */
const kinds: { readonly [kind: string]: new (data: Loose) => { readonly validate: () => void } } = {
  Deployment,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
};
const manifestsOf = (file: string): readonly Loose[] => parseAllDocuments(deployed(file)).map((document) => document.toJS() as Loose);

describe.each(['kubernetes.yaml', 'postgres/kubernetes.yaml'])('the manifests of %s', (file) => {
  test('fit the schemas of their kinds', () => {
    for (const manifest of manifestsOf(file)) {
      const Kind = kinds[manifest.kind];
      if (Kind === undefined) throw new Error(`expected one of ${Object.keys(kinds).join(', ')}, got ${manifest.kind}`);
      const { apiVersion, kind } = new Kind({}) as Loose;
      expect({ apiVersion, kind }).toEqual({ apiVersion: manifest.apiVersion, kind: manifest.kind });
      expect(() => new Kind(manifest).validate()).not.toThrow();
    }
  });
});

test('a manifest with a wrong field does not fit', () => {
  const [deployment] = manifestsOf('postgres/kubernetes.yaml');
  deployment.spec.template.spec.containers[0].ports[0].containerPort = 'http';
  expect(() => new Deployment(deployment).validate()).toThrow('containerPort');
});

describe('the Kubernetes manifests on PostgreSQL', () => {
  const [deployment, budget, service, policy] = manifestsOf('postgres/kubernetes.yaml');
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;
  const { labels } = deployment.spec.template.metadata;

  test('have two collectors of which one is always there, and replaces them one by one', () => {
    expect(deployment.spec).toMatchObject({ replicas: 2, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
    expect(budget.spec).toEqual({ minAvailable: 1, selector: { matchLabels: labels } });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(container.lifecycle.preStop.sleep.seconds + 30);
  });

  test('take the URL and the password from a secret, and settings that exist', () => {
    const secrets = container.env.filter(({ valueFrom }: Loose) => valueFrom);
    expect(secrets.map(({ name, valueFrom }: Loose) => [name, valueFrom.secretKeyRef.key])).toEqual([
      ['MURMURATION_POSTGRES', 'url'],
      ['PGPASSWORD', 'password'],
    ]);
    const text = deployed('postgres/kubernetes.yaml');
    const [, url = ''] = /--from-literal=url=(\S+)/.exec(text) ?? [];
    expect(text).toContain('--from-literal=password=');
    const plain = Object.fromEntries(container.env.flatMap(({ name, value }: Loose) => (value === undefined ? [] : [[name, value]])));
    expect(checked({ ...plain, MURMURATION_POSTGRES: url })).toMatchObject({ postgres: url, port: 8080 });
    expect(pod.enableServiceLinks).toBe(false);
  });

  test('probe routes that need no token, give no privileges, and let in the ingress and the monitoring alone', () => {
    const open = HEALTH_ROUTES.filter(({ isOpen }) => isOpen).map(({ path }) => path);
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) expect(open).toContain(container[probe].httpGet.path);
    expect(container.livenessProbe.httpGet.path).toBe('/livez'); // a database that is away must not restart collectors
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    expect([service.spec.selector, policy.spec.podSelector.matchLabels]).toEqual([labels, labels]);
    expect(policy.spec.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(policy.spec.ingress[0].ports).toEqual([{ port: container.ports[0].name, protocol: 'TCP' }]);
    expect(policy.spec.egress.at(-1).ports).toEqual([{ port: 5432, protocol: 'TCP' }]);
  });
});

test('the settings of the databases keep what they confirm, and log no ids', () => {
  const settings = Object.fromEntries(
    [...deployed('postgres/postgresql.conf').matchAll(/^(\w+) = '?([^'\n]+)'?$/gm)].map(([, name, value]) => [name, value]),
  );
  expect(settings).toMatchObject({
    ...{ fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', log_parameter_max_length: '0', hot_standby: 'on' },
    hba_file: '/etc/postgresql/pg_hba.conf',
  });
  expect(readFileSync(new URL('../../docs/deploy/postgres/init.sql', import.meta.url), 'utf8')).toContain(
    "synchronous_standby_names = '*'",
  );
});
