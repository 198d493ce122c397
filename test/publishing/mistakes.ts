/** Plausible mistakes of a developer's first day, each a program that should not get as far as its users, and what stops it. */

const PRELUDE = `
import { answersOf, best, choice, choices, count, createTelemetry, defineSchema, flag, histogram, joint, ledger, longList, mean, memoryStorage, permanent, text } from '@murmuration/client';
import { useTelemetry } from '@murmuration/client/react';
import { workerLifecycle } from '@murmuration/client/worker';
const ask = { epsilon: 1, description: 'What is it?' } as const;
`;

/** A schema with some metrics, and the rest of what `defineSchema` takes. */
const asking = (metrics: string, rest = "app: 'diary', version: 1, budget: { epsilon: 9, per: 'month' },"): string =>
  `export const schema = defineSchema({ ${rest} metrics: { ${metrics} } });\n`;

const SCHEMA = asking(`dark: flag(ask), plan: choice(['free', 'pro'], ask), parts: choices(['mail', 'chat'], { ...ask, atMost: 1 }),
  start: histogram([100, 1000], ask), pair: joint({ plan: ['free', 'pro'], dark: [true, false] }, ask), home: text(ask)`);

/** A telemetry with other options, and what follows. */
const creating = (options: string, then = ''): string => `const telemetry = createTelemetry({ ${options} });\n${then}`;
const RIGHT = "schema, endpoint: 'https://reports.example.net', storage: memoryStorage(), consent: 'granted'";
/** Outcomes go to a list that a test has put there. */
const TOLD = `${RIGHT}, onOutcome: ({ result }) => void (globalThis as { outcomes?: string[] }).outcomes?.push(result)`;
const using = (then: string): string => SCHEMA + creating(RIGHT, then);
const options = (more: string): string => SCHEMA + creating(more);
const PLATFORMS = asking(
  'dark: flag(ask)',
  "app: 'diary', version: 1, budget: { epsilon: 9, per: 'month' }, segments: { on: ['web', 'ios'] },",
);

/** What stops a mistake: the compiler, the plugin's build, an outcome in production; or it is none, and works. */
export type Stop = 'types' | 'build' | 'outcome' | 'works';

const mistakes: { readonly [S in Stop]: { readonly [mistake: string]: string } } = {
  types: {
    'a misspelt metric': using("telemetry.record('paln', 'pro');"),
    'a misspelt answer': using("telemetry.record('plan', 'prp');"),
    'a word for a flag': using("telemetry.record('dark', 'on');"),
    'a number for a flag': using("telemetry.record('dark', 0);"),
    'no answer': using("telemetry.record('dark');"),
    'one part in place of a list of parts': using("telemetry.record('parts', 'chat');"),
    'a part that is not listed': using("telemetry.record('parts', ['fax']);"),
    'a text in place of a number': using("telemetry.record('start', '250');"),
    'half of a pair': using("telemetry.record('pair', { dark: true });"),
    'a pair with a misspelt key': using("telemetry.record('pair', { dark: true, paln: 'pro' });"),
    'an answer that may be undefined': using("telemetry.record('plan', (['pro'] as ('pro' | undefined)[])[1]);"),
    'any text as an answer': using("telemetry.record('plan', document.title);"),
    'no epsilon': asking("dark: flag({ description: 'Is it dark?' })"),
    'no description': asking('dark: flag({ epsilon: 1 })'),
    'epsilon as a text': asking("dark: flag({ ...ask, epsilon: '1' })"),
    'every: weekly': asking("dark: flag({ ...ask, every: 'weekly' })"),
    'no budget': asking('dark: flag(ask)', "app: 'diary', version: 1,"),
    'per: monthly': asking('dark: flag(ask)', "app: 'diary', version: 1, budget: { epsilon: 1, per: 'monthly' },"),
    'a number as budget': asking('dark: flag(ask)', "app: 'diary', version: 1, budget: 1,"),
    'an `otherwise` that is not listed': asking("plan: choice(['free', 'pro'], { ...ask, otherwise: 'team' })"),
    'an `otherwise` of another type': asking("dark: flag({ ...ask, otherwise: 'no' })"),
    'a range as two numbers': asking('size: mean(0, 10, ask)'),
    'no greatest count': asking('notes: count(ask)'),
    'choices without `atMost`': asking("parts: choices(['mail', 'chat'], ask)"),
    'an unknown setting': asking("dark: flag({ ...ask, title: 'Dark' })"),
    'a mechanism that is not called': asking("plan: choice(['free', 'pro'], { ...ask, mechanism: longList })"),
    'a Date as last day': asking("dark: flag({ ...ask, expires: new Date('2030-01-31') })"),
    'a text as version': asking('dark: flag(ask)', "app: 'diary', version: '1.2', budget: { epsilon: 1, per: 'month' },"),
    'metrics as a list': "defineSchema({ app: 'diary', version: 1, budget: { epsilon: 1, per: 'month' }, metrics: [flag(ask)] });",
    'a metric as plain data': asking("dark: { kind: 'flag', epsilon: 1 }"),
    'no endpoint': options('schema'),
    'no schema': creating("endpoint: 'https://reports.example.net'"),
    'plain data as schema': creating("endpoint: 'https://reports.example.net', schema: { app: 'diary', metrics: {} }"),
    'a misspelt endpoint': options("schema, endPoint: 'https://reports.example.net'"),
    'an unknown option': options(`${RIGHT}, token: 'x'`),
    'consent: true': options("schema, endpoint: 'https://reports.example.net', consent: true"),
    'a segment with a value that is not listed': PLATFORMS + creating(`${RIGHT}, segment: { on: 'tv' }`),
    'a segment that is left out': PLATFORMS + creating(RIGHT),
    'a segment where none is declared': options(`${RIGHT}, segment: { on: 'web' }`),
    'localStorage as storage': options("schema, endpoint: 'https://reports.example.net', storage: localStorage"),
    'a lifecycle that is called': options(`${RIGHT}, lifecycle: workerLifecycle()`),
    'the answers of a misspelt metric': using("answersOf(schema, 'paln');"),
    'the answers of a number': using("answersOf(schema, 'start');"),
    'the ledger without await': using('console.log(ledger(telemetry).left);'),
    'a misspelt state of consent': using("if (telemetry.consent.state === 'allowed') console.log(1);"),
    'consent by assignment': using("telemetry.consent.state = 'granted';"),
    'a method that other SDKs have': using("telemetry.capture('plan', 'pro');"),
    '`reset`, which production lacks': using('telemetry.reset();'),
    'an outcome as a text': options(`${RIGHT}, onOutcome: (outcome) => outcome === 'recorded'`),
    'a misspelt result of an outcome': options(`${RIGHT}, onOutcome: ({ result }) => result === 'delivred'`),
    'a number as key': options(`${RIGHT}, key: 7`),
    'waiting for a record': using("if (await telemetry.record('plan', 'pro')) console.log(1);"),
    'a default import': "import diary from '@murmuration/client';\nconsole.log(diary);",
    'an endpoint with the path of reports': options("schema, endpoint: 'https://reports.example.net/v1/reports'"),
    'an endpoint without https://': options("schema, endpoint: 'reports.example.net'"),
  },
  build: {
    'epsilon 0': asking('dark: flag({ ...ask, epsilon: 0 })'),
    'more questions than the budget': asking(
      'a: flag(ask), b: flag(ask)',
      "app: 'diary', version: 1, budget: { epsilon: 1, per: 'week' },",
    ),
    'no answers': asking('plan: choice([], ask)'),
    'one answer': asking("plan: choice(['free'], ask)"),
    'an answer twice': asking("plan: choice(['free', 'pro', 'free'], ask)"),
    'a range that begins with its end': asking('size: mean([10, 0], ask)'),
    'edges out of order': asking('start: histogram([1000, 100], ask)'),
    'no edges': asking('start: histogram([], ask)'),
    'more parts than there are': asking("parts: choices(['mail', 'chat'], { ...ask, atMost: 3 })"),
    'a last day in the order of another country': asking("dark: flag({ ...ask, expires: '31.1.2030' })"),
    'an app with a space': asking('dark: flag(ask)', "app: 'My diary', version: 1, budget: { epsilon: 1, per: 'month' },"),
    'less epsilon for an epoch than for a report': asking(
      "dark: permanent(flag({ ...ask, every: 'day' }), { epsilon: 0.5, renew: 'year' })",
    ),
    'a row of utilities that is too long': asking("view: best(['list', 'grid'], { ...ask, utility: { few: [1, 0, 1], many: [0, 1] } })"),
    'a metric called __proto__': asking('__proto__: flag(ask)'),
  },
  outcome: {
    'an answer that is not in a list of texts': `const plans = ['free', 'pro'];\n${asking('plan: choice(plans, ask)')}${creating(TOLD, "telemetry.record('plan', 'prp');")}`,
  },
  works: {
    'a permanent question with the cadence of the budget': `${asking("dark: permanent(flag(ask), { epsilon: 2, renew: 'year' })")}${creating(TOLD, "telemetry.record('dark', true);")}`,
    'a unit of a flag': `${asking("dark: flag({ ...ask, unit: 'ms' })")}${creating(TOLD, "telemetry.record('dark', true);")}`,
    'a dot in the name of a metric': `${asking("'view.dark': flag(ask)")}${creating(TOLD, "telemetry.record('view.dark', true);")}`,
    'options of a hook inside a component': `${SCHEMA}export function App() {\n  useTelemetry({ ${RIGHT} }).record('dark', true);\n  return null;\n}`,
  },
};

/** Every mistake, with what stops it. */
export const MISTAKES: readonly { readonly name: string; readonly stop: Stop; readonly text: string }[] = Object.entries(mistakes).flatMap(
  ([stop, programs]) =>
    Object.entries(programs).map(([name, text]) => ({
      name,
      stop: stop as Stop,
      text: name === 'a default import' ? text : `${PRELUDE}${text}\nexport {};\n`,
    })),
);
