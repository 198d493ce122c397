/** What other SDKs add to a page: the same build, of the release that npm gives, in a folder that is gone afterwards. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '../../kit/bundle.ts';

/** Longer than any of them takes to install. */
const PATIENCE = 180_000;

/** What is installed, and a program that starts it and records one thing. */
const rivals: readonly (readonly [packages: string, program: string])[] = [
  [
    'web-vitals@6.2.3',
    `import { onCLS, onINP, onLCP } from 'web-vitals';
     for (const on of [onCLS, onINP, onLCP]) on((metric) => navigator.sendBeacon('/t', JSON.stringify(metric)));`,
  ],
  [
    '@opentelemetry/sdk-trace-web@2.12.0 @opentelemetry/api@1',
    `import { ConsoleSpanExporter, SimpleSpanProcessor, WebTracerProvider } from '@opentelemetry/sdk-trace-web';
     const provider = new WebTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())] });
     provider.register(); provider.getTracer('a').startSpan('b').end();`,
  ],
  [
    '@mozilla/glean@5.0.10',
    `import Glean from '@mozilla/glean/web'; import EventMetricType from '@mozilla/glean/private/metrics/event';
     Glean.initialize('a', true, { serverEndpoint: 'https://t.example.com' });
     new EventMetricType({ category: 'a', name: 'b', sendInPings: ['events'], lifetime: 'ping', disabled: false }, []).record();`,
  ],
  [
    '@sentry/browser@11.12.0',
    `import { captureMessage, init } from '@sentry/browser'; init({ dsn: 'https://k@t.example.com/1' }); captureMessage('a');`,
  ],
  [
    '@divviup/dap@0.9.1',
    `import Task from '@divviup/dap';
     new Task({ type: 'sum', bits: 8, id: 'a', leader: 'https://l.example', helper: 'https://h.example', timePrecisionSeconds: 300 }).sendMeasurement(1);`,
  ],
  [
    'posthog-js@1.434.17',
    `import posthog from 'posthog-js'; posthog.init('k', { api_host: 'https://t.example.com' }); posthog.capture('a');`,
  ],
];

/** Bytes of brotli; or why there is no figure. */
export interface Rival {
  readonly name: string;
  readonly bytes: number | undefined;
  readonly reason: string;
}

async function measure(packages: string, program: string): Promise<Rival> {
  const [name = ''] = packages.split(' ');
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-rival-'));
  try {
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    await promisify(execFile)('npm', ['install', ...flags, ...packages.split(' ')], { cwd: folder, timeout: PATIENCE });
    return { name, bytes: (await bundle(program, {}, folder)).bytes, reason: '' };
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    return { name, bytes: undefined, reason: line.slice(0, 80) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One after the other: a machine that installs is slow enough. */
export async function measureRivals(): Promise<readonly Rival[]> {
  const found: Rival[] = [];
  for (const [packages, program] of rivals) {
    process.stderr.write(`${packages} ...\n`);
    found.push(await measure(packages, program));
  }
  return found;
}
