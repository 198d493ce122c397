/**
 * The read API against its own description: every route is asked with parameters drawn from it, right and wrong ones. Answers are what
 * the description says, and refusals are one line that tells nothing of the machine.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answers } from '#collector/api/forms/answers.ts';
import { apiPaths } from '#collector/api/openapi/openapi.ts';
import { bodyOf, type Running, schema, start } from '../../kit/app.ts';
import { anything, type Described, describedAt, expectRefusal, leastRole, type Operation, type Parameter } from './described.ts';

let running: Running;
beforeAll(async () => {
  running = await start({ candidates: { home: Array.from({ length: 30 }, (_, i) => `page ${i}`) } });
  const devices = Array.from({ length: 20 }, (_, i) => bodyOf(i, i % 2 === 0 ? 'web' : 'ios', i % 10));
  await running.send(await Promise.all(devices));
}, 60_000);
afterAll(() => running.close());

const described = (): Promise<Described> => describedAt(running.url);

/** The routes for viewers: those of estimates. */
const ROUTES = Object.entries(apiPaths).flatMap(([path, { get }]) =>
  get?.security === undefined && get && leastRole(path, get) === 'viewer' ? [[path, get] as const] : [],
);

/** A response as `responsesOf` describes it. */
interface Answered {
  readonly content: { readonly 'application/json': { readonly schema: (typeof answers)['list'] } };
}

/** The form of the answer to an operation, with which its route is described. */
function formOf(operation: string): (typeof answers)['list'] | undefined {
  const described = ROUTES.find(([, { operationId }]) => operationId === operation)?.[1];
  return (described?.responses['200'] as Answered | undefined)?.content['application/json'].schema;
}

async function check(address: string, operation: string, init: RequestInit = {}): Promise<number> {
  const response = await fetch(running.url + address, init);
  const text = await response.text();
  const { status } = response;
  expect(status, `${address}: ${text}`).not.toBe(500);
  expect(response.headers.get('content-type'), address).toMatch(/^application\/json/);
  const parsed = ((status === 200 && formOf(operation)) || answers.refusal).safeParse(JSON.parse(text));
  expect(parsed.error, `${address}: ${text.slice(0, 300)}`).toBeUndefined();
  if (status === 200) return status;
  expectRefusal(text, address);
  return status;
}

const days = fc
  .integer({ min: -12, max: 5 })
  .map((offset) => new Date(Date.parse('2026-11-20') + 86_400_000 * offset).toISOString().slice(0, 10));
const names = Object.keys(schema.document.metrics);

/** A value that a parameter may have, by its description. */
function rightValue({ name, schema: { enum: listed, format } }: Parameter): fc.Arbitrary<string> {
  if (listed) return fc.constantFrom(...listed);
  if (format === 'date') return days;
  if (name === 'app') return fc.constant('notes');
  if (name.endsWith('version')) return fc.constant('1');
  if (name.includes('segment.')) return fc.constantFrom('web', 'ios');
  if (name === 'candidate') return fc.constantFrom('page 1', 'other', 'ä');
  if (name === 'wish') return fc.constantFrom('plan:0.01', 'home:0.05', 'other:0.1');
  if (['fdr', 'error', 'share'].includes(name)) return fc.constantFrom('0.05', '.2');
  if (name === 'ranges') return fc.constantFrom('0..50', '0..10,20..80');
  if (name.endsWith('exclude')) return fc.tuple(days, days).map((both) => both.join());
  if (name === 'quantiles') return fc.constantFrom('0.5', '0.1,0.9');
  return fc.integer({ min: 1, max: 50 }).map(String);
}

const pairOf = (parameter: Parameter, value: fc.Arbitrary<string>): fc.Arbitrary<readonly [string, string]> =>
  fc.tuple(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(parameter.name.replace('{segment}', 'platform')) },
      { weight: 1, arbitrary: fc.constant(parameter.name.replace('{segment}', 'constructor')) },
    ),
    value,
  );

/** Addresses of a route, with a few parameters. */
function addresses(path: string, { parameters = [] }: Operation, wrong: boolean): fc.Arbitrary<string> {
  const inQuery = parameters.filter((each) => each.in === 'query');
  const value = (each: Parameter): fc.Arbitrary<string> => (wrong ? fc.oneof(rightValue(each), anything) : rightValue(each));
  const known = fc.constantFrom(...inQuery).chain((each) => pairOf(each, value(each)));
  const pair = wrong ? fc.oneof({ weight: 8, arbitrary: known }, { weight: 1, arbitrary: fc.tuple(anything, anything) }) : known;
  const name = wrong
    ? fc.oneof(
        fc.constantFrom(...names),
        anything.filter((text) => text !== '' && text !== '.' && text !== '..'),
      )
    : fc.constantFrom(...names);
  return fc
    .tuple(name, fc.array(pair, { maxLength: 5 }))
    .map(
      ([metric, pairs]) =>
        `${path.replace('{name}', encodeURIComponent(metric.toWellFormed()))}?${new URLSearchParams(pairs.map(([key, text]) => [key, text]))}`,
    );
}

/** A right address of a route whose parameters seldom fit by chance. */
const RIGHT: { readonly [path: string]: string } = { '/v1/plan': '/v1/plan?type=choice&of=5&epsilon=1' };

describe.each(ROUTES.map(([path]) => path).filter((path) => path !== '/v1/signs'))('%s', (path) => {
  test.each([false, true])('answers what is described, and refuses the rest in one line (wrong values: %s)', async (wrong) => {
    const route = (await described()).paths[path]?.['get'] as Operation;
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(addresses(path, route, wrong), async (address) => {
        const status = await check(address, route.operationId);
        expect(Object.keys(route.responses).map(Number), address).toContain(status);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }),
      { numRuns: 150, examples: path in RIGHT && !wrong ? [[RIGHT[path] as string]] : [] },
    );
    expect(seen.get(wrong ? 400 : 200)).toBeGreaterThan(0);
  });
});

test('the routes of metrics that are described are there', async () => {
  expect((await described()).openapi).toBe('3.1.0');
  for (const [path, { operationId = '' }] of ROUTES) {
    const sides = 'a.to=2026-11-14&b.from=2026-11-15';
    const query = { compare: sides, others: sides, plan: 'type=choice&of=8&wish=plan:0.01' }[operationId] ?? '';
    const metric = { decode: 'home', association: 'visits' }[operationId] ?? 'plan';
    expect(await check(`${path.replace('{name}', metric)}?${query}`, operationId)).toBe(200);
  }
});

test('every kind of metric is answered as described', async () => {
  for (const name of names)
    for (const [path, { operationId = '' }] of ROUTES) {
      if (!path.includes('{name}') || (operationId === 'association' && name !== 'visits')) continue;
      const query = ['compare', 'others'].includes(operationId) ? 'a.segment.platform=web&b.segment.platform=ios' : 'segment.platform=web';
      const expected = operationId === 'decode' && name !== 'home' && name !== 'visits' ? 400 : 200; // only texts have strings
      expect(await check(`${path.replace('{name}', name)}?${query}`, operationId)).toBe(expected);
    }
});

test.each([
  ['GET', '/v1/metrics/%/estimates', 400],
  ['GET', '/v1/metrics/%ff/series', 400],
  ['GET', '/v1/metrics/plan', 404],
  ['GET', '/v1/metrics/plan/other', 404],
  ['POST', '/v1/metrics/plan/estimates', 404],
  ['DELETE', '/v1/metrics', 404],
  ['PUT', '/v1/openapi.json', 404],
])('%s %s is refused in one line', async (method, address, status) => {
  expect(await check(address, 'refused', { method })).toBe(status);
});

test('the page shows every route and parameter, and loads nothing from elsewhere', async () => {
  const response = await fetch(`${running.url}/v1/docs`);
  const page = await response.text();
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  for (const [path, item] of Object.entries((await described()).paths))
    for (const [method, { parameters = [], responses }] of Object.entries(item)) {
      expect(page).toContain(`<code>${method.toUpperCase()} ${path}</code>`);
      for (const { name } of parameters) expect(page).toContain(`<code>${name}</code>`);
      for (const status of Object.keys(responses)) if (status >= '300') expect(page).toContain(`<td>${status}</td>`);
    }
  expect(page).not.toMatch(/<script|https?:\/\/|src=/);
});

/** The rows of the description: each route, what it does, and its parameters. */
const rowsOf = ({ paths }: Described): readonly string[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { summary, description = '', parameters = [] }]) => {
      const asked = parameters.filter((each) => each.in === 'query').map(({ name }) => `\`${name}\``);
      return `| \`${method.toUpperCase()} ${path}\` | ${`${summary}. ${description}`.trim()} | ${asked.join(', ')} |`;
    }),
  );

test('the table of docs/api.md is the description; vitest -u writes it', async () => {
  const page = new URL('../../../docs/api.md', import.meta.url);
  const table = ['| route | what it does | parameters |', '| --- | --- | --- |', ...rowsOf(await described())].join('\n');
  const text = readFileSync(page, 'utf8').replace(/(?<=openapi\. -->\n\n)(?:\|.*\n)*/, () => `${table}\n`);
  await expect(text).toMatchFileSnapshot(fileURLToPath(page));
});
