/** What each part of the client adds to a page. The table of client/README.md holds the same names and figures. */

import { esbuild, vite } from '@murmuration/client/plugin';
import { SCRIPTS } from '../setup/build-client.ts';
import { bundle, program, scriptBytes, splitBytes, viteBytes } from './bundle.ts';

/** A program of the table. */
interface Program {
  readonly text: string;
  /** The program that it adds something to. */
  readonly over?: string;
  /** The most bytes that it may add, or have where it adds to none. */
  readonly limit?: number;
  /** The most bytes that it may have. */
  readonly total?: number;
  readonly external?: readonly string[];
  /** The module that it imports as `./telemetry` when the person agrees. Without it, no such module is measured. */
  readonly later?: string;
  /** True if the plugin builds it. */
  readonly isResolved?: true;
  /** True if Vite builds it. */
  readonly isVite?: true;
}

/** Size of the smallest app, in bytes. */
const CORE_LIMIT = 8_900;
/** The same with the plugin, by esbuild and by Vite, and the least that the plugin saves. */
const PLUGIN_LIMIT = 7_376;
const VITE_LIMIT = 7_144;
const SAVED = 1_500;
const LAZY_LIMIT = 350;
const LIST_LIMIT = 800;
const TEXT_LIMIT = 3_000;

export const CORE = 'flag and choice';
const VITE = 'flag and choice, Vite';
const ask = "{epsilon:1,description:'z'";
const more = (names: string, metric: string, over = CORE): Program => ({ text: program(names, metric), over });
const list = (names: string, metric: string): Program => ({ ...more(names, metric), limit: LIST_LIMIT });
/** A metric that names a mechanism. */
const named = (mechanism: string, names: string, metric: string, over = CORE): Program => ({
  text: program(names, metric, `import { ${mechanism} } from '@murmuration/client/mechanisms';`),
  over,
});
const namedList = (mechanism: string, names: string, metric: string, over = CORE): Program => ({
  ...named(mechanism, names, metric, over),
  limit: LIST_LIMIT,
});
const subpath = (name: string, names: string): Program => ({
  text: program('', '', `import { ${names} } from '@murmuration/client/${name}'; console.log(${names});`),
  over: CORE,
  external: ['react', 'svelte', 'vue', '../inspector/index.ts'], // the inspector comes when it is shown
});

const besideRelay = (name: string, what: string): Program => {
  const line = `import { relayTransport } from '@murmuration/client/relay'; import { ${what} } from '@murmuration/client/${name}';`;
  return { text: program('', '', `${line} console.log(relayTransport, ${what});`), over: '/relay' };
};

/** A count, a mean and a set beside the flag and the choice. */
const FIVE = `count(9,${ask}}), d: mean([0,1],${ask}}), e: choices(['x','y','z'],${ask},atMost:2})`;

/** What a page holds before the person agrees. */
export const LAZY_PROGRAM = `import { createLazyTelemetry } from '@murmuration/client/lazy';
  createLazyTelemetry({ app: 'a' }, () => import('./telemetry'));`;

const programs: { readonly [name: string]: Program } = {
  [CORE]: { text: program(), limit: CORE_LIMIT },
  'flag and choice, /plugin': { text: program(), over: CORE, limit: -SAVED, total: PLUGIN_LIMIT, isResolved: true },
  [VITE]: { text: program(), isVite: true },
  'flag and choice, /plugin, Vite': { text: program(), over: VITE, limit: -SAVED, total: VITE_LIMIT, isResolved: true, isVite: true },
  'five questions, /plugin, Vite': { text: program('count, mean, choices', FIVE), isResolved: true, isVite: true },
  joint: list('joint', `joint({a:['x','y'],b:['x','y']},${ask}})`),
  choices: list('choices', `choices(['x','y','z'],${ask},atMost:2})`),
  best: list('best', `best(['x','y'],${ask},utility:{x:[0,1],y:[1,0]}})`),
  histogram: list('histogram', `histogram([0,1,2],${ask}})`),
  'unary()': namedList('unary', '', `choice(['x','y'],${ask},mechanism:unary()})`),
  'choice, longList()': list('longList', `choice(['x','y'],${ask},mechanism:longList()})`),
  'localHashing()': namedList('localHashing', '', `choice(['x','y'],${ask},mechanism:localHashing()})`),
  'histogram, dBitFlip()': namedList('dBitFlip', 'histogram', `histogram([0,1,2],${ask},mechanism:dBitFlip({bits:2})})`, 'histogram'),
  'permanent choice': more('permanent', `permanent(choice(['x','y'],${ask}}),{epsilon:2,renew:'year'})`),
  text: more('text', `text(${ask}})`),
  'permanent text': { ...more('permanent, text', `permanent(text(${ask}}),{epsilon:2,renew:'year'})`), limit: TEXT_LIMIT },
  'text, stringHashing()': named('stringHashing', 'text', `text(${ask},mechanism:stringHashing()})`),
  discover: more('discover', `discover(${ask}})`),
  mean: more('mean', `mean([0,1],${ask}})`),
  'mean, hybrid()': named('hybrid', 'mean', `mean([0,1],${ask},mechanism:hybrid()})`, 'mean'),
  count: more('count', `count(9,${ask}})`),
  distribution: more('distribution', `distribution([0,1],${ask}})`),
  '/lazy, before consent': {
    text: LAZY_PROGRAM,
    limit: LAZY_LIMIT,
    external: ['./telemetry', './arrive.ts'],
  },
  '/lazy, after consent': { text: LAZY_PROGRAM, over: CORE, later: `${program()} export const telemetry = t;` },
  '/beacon': subpath('beacon', 'beaconTransport'),
  '/edge': subpath('edge', 'edgeClock'),
  '/history': subpath('history', 'withHistory'),
  '/recipes': subpath('recipes', 'experiment'),
  '/relay': subpath('relay', 'relayTransport'),
  '/relay and /tokens': besideRelay('tokens', 'slotTokens'),
  '/relay and /noble': besideRelay('noble', 'noblePrimitives'),
  '/worker': subpath('worker', 'workerLifecycle'),
  '/react-native, AsyncStorage': subpath('react-native', 'appStateLifecycle, asyncStorage'),
  '/react-native, expo-sqlite': subpath('react-native', 'appStateLifecycle, sqliteStorage'),
  '/react, without React': subpath('react', 'useTelemetry, useRecordOnce'),
  '/consent': subpath('consent', 'askConsent'),
  '/components/react, Consent': subpath('components/react', 'Consent'),
  '/components/vue, Consent': subpath('components/vue', 'Consent'),
  '/components/svelte, Consent': subpath('components/svelte', 'Consent'),
  '/inspector, on demand': subpath('inspector', 'openInspector'),
  '/german, both': subpath('german', 'consent, inspector'),
};

/** A row: bytes of brotli. */
export interface Size {
  readonly name: string;
  readonly bytes: number;
  /** Over the program that it adds to. */
  readonly more: number | undefined;
  /** Of `more`, or of `bytes` where it adds to none. */
  readonly limit: number | undefined;
  /** Of `bytes`. */
  readonly total: number | undefined;
}

/** The compressed size of a program. */
async function bytesOfProgram({ text, external = [], later, isResolved, isVite }: Program): Promise<number> {
  if (isVite) return await viteBytes(text, isResolved ? [vite()] : []);
  if (later !== undefined) return await splitBytes(text, './telemetry', later);
  return (await bundle(text, { external: [...external], ...(isResolved && { plugins: [esbuild()] }) })).bytes;
}

export async function sizes(): Promise<readonly Size[]> {
  const measured = new Map<string, number>();
  for (const [name, program] of Object.entries(programs)) measured.set(name, await bytesOfProgram(program));
  const bytesOf = (name: string): number => measured.get(name) ?? Number.NaN;
  const rows = Object.entries(programs).map(([name, { over, limit, total }]) => ({
    name,
    bytes: bytesOf(name),
    more: over === undefined ? undefined : bytesOf(name) - bytesOf(over),
    limit,
    total,
  }));
  const scripts = Object.entries(SCRIPTS).map(async ([name, entry]) => ({
    name,
    bytes: await scriptBytes(entry),
    more: undefined,
    limit: undefined,
    total: undefined,
  }));
  return [...rows, ...(await Promise.all(scripts))];
}
