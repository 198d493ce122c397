/** What each part of the client adds to a page. The table of client/README.md holds the same names and figures. */

import { type Bundle, bundle, program } from './bundle.ts';

/** A program of the table. */
interface Program {
  readonly text: string;
  /** The program that it adds something to, and how many bytes that may be. */
  readonly over?: string;
  readonly limit?: number;
  readonly external?: readonly string[];
}

/** Of the smallest app, in bytes. */
const CORE_LIMIT = 4_500;
const LIST_LIMIT = 800;
const TEXT_LIMIT = 3_500;

export const CORE = 'flag and choice';
const ask = "{epsilon:1,description:'z'";
const list = (names: string, metric: string, over = CORE): Program => ({ text: program(names, metric), over, limit: LIST_LIMIT });
const more = (names: string, metric: string, over = CORE): Program => ({ text: program(names, metric), over });
const subpath = (name: string, names: string): Program => ({
  text: program('', '', `import { ${names} } from '@murmuration/client/${name}'; console.log(${names});`),
  over: CORE,
  external: ['react'],
});

const programs: { readonly [name: string]: Program } = {
  [CORE]: { text: program(), limit: CORE_LIMIT },
  joint: list('joint', `joint({a:['x','y'],b:['x','y']},${ask}})`),
  choices: list('choices', `choices(['x','y','z'],${ask},atMost:2})`),
  best: list('best', `best(['x','y'],${ask},utility:{x:[0,1],y:[1,0]}})`),
  histogram: list('histogram', `histogram([0,1,2],${ask}})`),
  'unary()': list('unary', `choice(['x','y'],${ask},mechanism:unary()})`),
  'localHashing()': list('localHashing', `choice(['x','y'],${ask},mechanism:localHashing()})`),
  'histogram, dBitFlip()': list('histogram, dBitFlip', `histogram([0,1,2],${ask},mechanism:dBitFlip({bits:2})})`, 'histogram'),
  'permanent choice': more('permanent', `permanent(choice(['x','y'],${ask}}),{epsilon:2,renew:'year'})`),
  text: more('text', `text(${ask}})`),
  'permanent text': { ...more('permanent, text', `permanent(text(${ask}}),{epsilon:2,renew:'year'})`), limit: TEXT_LIMIT },
  'text, stringHashing()': more('text, stringHashing', `text(${ask},mechanism:stringHashing()})`),
  mean: more('mean', `mean([0,1],${ask}})`),
  'mean, hybrid()': more('mean, hybrid', `mean([0,1],${ask},mechanism:hybrid()})`, 'mean'),
  count: more('count', `count(9,${ask}})`),
  distribution: more('distribution', `distribution([0,1],${ask}})`),
  '/beacon': subpath('beacon', 'beaconTransport'),
  '/edge': subpath('edge', 'edgeClock'),
  '/indexed-db': subpath('indexed-db', 'indexedDbStorage'),
  '/worker': subpath('worker', 'workerLifecycle'),
  '/react-native': subpath('react-native', 'appStateLifecycle'),
  '/react, without React': subpath('react', 'useTelemetry'),
  '/inspector, on demand': subpath('inspector', 'openInspector'),
};

/** A row: bytes of brotli. */
export interface Size {
  readonly name: string;
  readonly bytes: number;
  /** Over the program that it adds to. */
  readonly more: number | undefined;
  /** Of `more`, or of `bytes` where it adds to none. */
  readonly limit: number | undefined;
}

export async function sizes(): Promise<readonly Size[]> {
  const bundles = new Map<string, Bundle>();
  for (const [name, { text, external = [] }] of Object.entries(programs))
    bundles.set(name, await bundle(text, { external: [...external] }));
  const bytesOf = (name: string): number => bundles.get(name)?.bytes ?? Number.NaN;
  return Object.entries(programs).map(([name, { over, limit }]) => ({
    name,
    bytes: bytesOf(name),
    more: over === undefined ? undefined : bytesOf(name) - bytesOf(over),
    limit,
  }));
}
