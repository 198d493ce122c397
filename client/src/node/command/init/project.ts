/** The project in which `init` is called: its framework, its language and its test runner, as its files tell. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const FRAMEWORKS = ['react', 'next', 'vue', 'nuxt', 'svelte', 'sveltekit', 'expo', 'react-native', 'vite', 'node', 'plain'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export interface Project {
  readonly folder: string;
  /** The name of its package, or of its folder, as an app's name. */
  readonly app: string;
  readonly framework: Framework;
  readonly isTyped: boolean;
  /** True if Node takes a `.js` file for CommonJS, as where `npm init` wrote the manifest. */
  readonly isCommonJs: boolean;
  /** True if TypeScript takes imports that end in `.ts`. */
  readonly namesTypes: boolean;
  readonly runner: 'vitest' | 'jest' | 'node';
  /** The folder of an app's own modules, with a slash; empty where they are at the top. */
  readonly sources: string;
  readonly has: (dependency: string) => boolean;
  /** The text of package.json; undefined if there is none. */
  readonly manifest: string | undefined;
}

/** The packages that tell a framework, the most special first. */
const TELLING: readonly (readonly [dependency: string, framework: Framework])[] = [
  ['next', 'next'],
  ['nuxt', 'nuxt'],
  ['@sveltejs/kit', 'sveltekit'],
  ['expo', 'expo'],
  ['react-native', 'react-native'],
  ['react', 'react'],
  ['vue', 'vue'],
  ['svelte', 'svelte'],
  ['vite', 'vite'],
];

/** Frameworks in whose folder `app` each module is a route. */
const ROUTED: readonly Framework[] = ['next', 'expo'];

/** A name that a schema may have. */
export const appName = (text: string): string =>
  text
    .replace(/^@[^/]*\//, '')
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, 64) || 'app';

interface Manifest {
  readonly name?: string;
  readonly type?: string;
  readonly dependencies?: object;
  readonly devDependencies?: object;
}

/** Looks at a folder. */
export function projectIn(folder: string): Project {
  const textOf = (file: string): string | undefined =>
    existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : undefined;
  const manifest = textOf('package.json');
  const { name = '', type, dependencies, devDependencies } = JSON.parse(manifest ?? '{}') as Manifest;
  const all = { ...dependencies, ...devDependencies };
  const has = (dependency: string): boolean => Object.hasOwn(all, dependency);
  const told = TELLING.find(([dependency]) => has(dependency))?.[1];
  const framework = told ?? (manifest === undefined || textOf('index.html') !== undefined ? 'plain' : 'node');
  const configured = ['tsconfig.json', 'tsconfig.app.json'].map(textOf).join('');
  return {
    folder,
    app: appName(name || (folder.split(/[\\/]/).at(-1) ?? '')),
    framework,
    isTyped: framework !== 'plain' && (configured !== '' || has('typescript')),
    isCommonJs: type === 'commonjs',
    namesTypes: /"(?:allowImportingTsExtensions|rewriteRelativeImportExtensions)":\s*true/.test(configured),
    runner: has('vitest') ? 'vitest' : has('jest') ? 'jest' : 'node',
    sources: ['src/', 'app/'].find((each) => existsSync(join(folder, each)) && !(each === 'app/' && ROUTED.includes(framework))) ?? '',
    has,
    manifest,
  };
}
