/**
 * The files of docs/deploy: what they set exists, what they start starts, what they count is counted. No image is built and no cluster asked
 * here: a container's command and settings are run as processes, and the rest is read.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCollector } from '@murmuration/collector';
import { canonicalSchema } from '@murmuration/shared';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { HEALTH_ROUTES } from '#collector/server/health/health.ts';
import { schema } from '../kit/senders.ts';
import { bin } from '../setup/command.ts';
import { deployed, program, replaced } from './deployed.ts';

const folder = mkdtempSync(join(tmpdir(), 'murmuration-deploy-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'schema.json'), canonicalSchema(schema.document));

const save = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

/** Checks a command line of `murmuration`, and returns the settings in effect. */
function checked(args: readonly string[], environment: Record<string, string> = {}): Record<string, unknown> {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args, '--check-config'], {
    cwd: folder,
    env: { ...environment },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Runs a program on files. */
function run(name: string, ...args: readonly string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(program(name), args, { cwd: folder, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

/** A parsed file, as far as these tests look into it. */
// biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of these files
type Loose = any;

const idleOfNginx = Number(/keepalive_timeout (\d+)s;/.exec(deployed('nginx.conf'))?.[1]);
const idleOfCaddy = Number(/keepalive (\d+)s/.exec(deployed('Caddyfile'))?.[1]);

describe('the file of settings', () => {
  test('is valid, and keeps connections longer than the proxies do', () => {
    // The folder is another one, since this machine may have a collector.
    save('murmuration.json', replaced(deployed('murmuration.json'), ['/var/lib/murmuration', join(folder, 'state')]));
    const { keepAlive } = checked(['serve', '--config', 'murmuration.json']);
    expect(keepAlive).toBeGreaterThan(idleOfNginx);
    expect(keepAlive).toBeGreaterThan(idleOfCaddy);
  });
});

describe('the systemd unit', () => {
  const unit = deployed('murmuration.service');

  test('runs a command that exists with settings that are valid', () => {
    const [, args = ''] = /^ExecStart=\S+ (.*)$/m.exec(unit) ?? [];
    expect(unit).toContain(`ExecStartPre=/usr/local/bin/murmuration ${args} --check-config`);
    expect(checked(args.split(' '))).toMatchObject({ data: join(folder, 'state') });
    expect(JSON.parse(deployed('murmuration.json'))).toMatchObject({ data: '/var/lib/murmuration' });
    expect(unit).toContain('StateDirectory=murmuration\n');
  });

  test('is valid, and leaves the collector hardly anything but its folder', () => {
    const file = save('murmuration.service', replaced(unit, ['/usr/local/bin/murmuration', '/bin/true']));
    expect(run('systemd-analyze', 'verify', '--man=no', file)).toEqual({ status: 0, output: '' });
    const { status, output } = run('systemd-analyze', 'security', '--offline=true', '--threshold=20', '--no-pager', file);
    expect([status, output]).toEqual([0, expect.stringContaining('Overall exposure level')]);
  });
});

describe('the image', () => {
  const text = deployed('Dockerfile');
  const [, settings = ''] = /^ENV (.*)$/m.exec(text) ?? [];
  const environment = Object.fromEntries(settings.split(' ').map((pair) => pair.split('=') as [string, string]));
  const [, health = '[]'] = /^HEALTHCHECK .*? CMD (\[.*\])$/m.exec(text) ?? [];
  const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(text) ?? [];

  test('sets what exists, listens where it says, keeps its store in the volume, and runs as nobody special', () => {
    const [node, file, ...args] = JSON.parse(command) as readonly string[];
    expect([node, file]).toEqual(['node', '/app/node_modules/@murmuration/collector/bin/murmuration.js']);
    expect(checked(args, { ...environment, MURMURATION_SCHEMA: 'schema.json' })).toMatchObject({
      data: '/data',
      host: '0.0.0.0',
      port: 8080,
    });
    expect(Number(environment['MURMURATION_KEEP_ALIVE'])).toBeGreaterThan(Math.max(idleOfNginx, idleOfCaddy));
    for (const line of ['USER node', 'VOLUME /data', 'EXPOSE 8080', 'WORKDIR /config']) expect(text).toContain(`\n${line}\n`);
    expect(text.lastIndexOf('USER node')).toBeGreaterThan(text.lastIndexOf('RUN '));
  });

  test('says whether it is healthy: its check fails without a collector, and succeeds with one', async () => {
    const collector = await createCollector({ open: true, schemas: [schema.document], data: join(folder, 'data'), leastFree: 0 });
    const address = await collector.listen(0, '127.0.0.1');
    const [, , script = ''] = JSON.parse(health) as readonly string[];
    const check = async (): Promise<unknown> => {
      const [code] = await once(spawn(process.execPath, ['-e', replaced(script, ['http://127.0.0.1:8080', address])]), 'exit');
      return code;
    };
    expect(await check()).toBe(0);
    await collector.close();
    expect(await check()).toBe(1);
  });

  test('runs in compose without privileges, with time to stop', () => {
    const { services, volumes } = parse(deployed('compose.yaml')) as Loose;
    expect(services.collector).toMatchObject({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '30s' });
    expect(services.collector.volumes[0]).toBe('data:/data');
    expect(Object.keys(volumes)).toEqual(['data', 'certificates']);
    expect(checked(['serve'], services.collector.environment)).toMatchObject({ schema: ['schema.json'], trustProxy: ['uniquelocal'] });
    expect(services.caddy.environment).toEqual({ COLLECTOR: 'collector:8080' });
    expect(deployed('Caddyfile')).toContain('{$COLLECTOR:127.0.0.1:8080}');
  });
});

describe('the Kubernetes manifest', () => {
  const [claim, deployment, service] = parseAllDocuments(deployed('kubernetes.yaml')).map((document) => document.toJS() as Loose);
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;

  test('has one replica that is never beside another, and time to stop', () => {
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(claim.spec.accessModes).toEqual(['ReadWriteOncePod']);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(container.lifecycle.preStop.sleep.seconds + 20);
  });

  test('has settings that exist, and none that a service of this name would set', () => {
    const environment = Object.fromEntries(container.env.map(({ name, value }: Loose) => [name, value]));
    expect(checked(['serve'], environment)).toMatchObject({ schema: ['schema.json'] });
    expect(pod.enableServiceLinks).toBe(false);
  });

  test('probes routes that need no token, on the port of the image', () => {
    const open = HEALTH_ROUTES.filter(({ isOpen }) => isOpen).map(({ path }) => path);
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) expect(open).toContain(container[probe].httpGet.path);
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(container.ports).toEqual([{ name: 'http', containerPort: 8080 }]);
    expect(service.spec.ports[0].targetPort).toBe('http');
  });

  test('gives the collector no privileges, and a disk where the image keeps its store', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.volumeMounts.map(({ mountPath }: Loose) => mountPath)).toEqual(['/data', '/config']);
    expect(service.spec.selector).toEqual(deployment.spec.template.metadata.labels);
  });
});

describe('what is watched', () => {
  let names: ReadonlySet<string>;
  let text: string;
  beforeAll(async () => {
    const collector = await createCollector({ open: true, schemas: [schema.document], data: join(folder, 'watched'), leastFree: 0 });
    text = await (await fetch(`${await collector.listen(0, '127.0.0.1')}/metrics`)).text();
    await collector.close();
    const named = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
    names = new Set(
      named.flatMap(([, name = '', type]) => (type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name])),
    );
  });

  /** The metrics that an expression reads. */
  const readBy = (expression: string): readonly string[] => expression.match(/\b(murmuration|nodejs|process)_\w+/g) ?? [];

  test('every panel of the dashboard shows numbers that there are', () => {
    const { panels } = JSON.parse(deployed('grafana.json')) as Loose;
    const expressions: readonly string[] = panels.flatMap(({ targets }: Loose) => targets.map(({ expr }: Loose) => expr));
    expect(expressions.length).toBeGreaterThan(15);
    for (const expression of expressions) {
      expect(readBy(expression).length, expression).toBeGreaterThan(0);
      for (const name of readBy(expression)) expect(names, expression).toContain(name);
    }
    expect(new Set(panels.map(({ id }: Loose) => id)).size).toBe(panels.length);
  });

  test('every alert is about numbers that there are, says what to do, and is in the runbook', () => {
    const [{ rules }] = (parse(deployed('alerts.yml')) as Loose).groups;
    const runbook = deployed('../operations.md');
    for (const { alert, expr, annotations } of rules) {
      for (const name of readBy(expr)) expect(names, alert).toContain(name);
      expect(annotations.summary).toMatch(/\.$/);
      expect(runbook, alert).toContain(`\`${alert}\``);
    }
  });

  test('promtool finds nothing wrong with the rules, the scrape and the numbers', () => {
    save('alerts.yml', deployed('alerts.yml'));
    save('prometheus.yml', replaced(deployed('prometheus.yml'), ['/etc/prometheus/murmuration.token', save('token', 'at_x')]));
    expect(run('promtool', 'check', 'config', 'prometheus.yml')).toMatchObject({
      status: 0,
      output: expect.not.stringContaining('FAILED'),
    });
    expect(run('promtool', 'check', 'rules', '--lint=all', '--lint-fatal', 'alerts.yml').status).toBe(0);
    const own = text.split('\n').filter((line) => line.includes('murmuration_'));
    const { status, stdout, stderr } = spawnSync(program('promtool'), ['check', 'metrics'], {
      input: `${own.join('\n')}\n`,
      encoding: 'utf8',
    });
    expect([status, stdout + stderr]).toEqual([0, '']);
  });
});
