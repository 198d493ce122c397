/**
 * The smallest app of each framework, with versions of the registry: its files show the component that `init` writes. What the tarballs of
 * this repository hold is installed beside it.
 */

export interface App {
  readonly packages: { readonly [name: string]: string };
  readonly files: { readonly [path: string]: string };
  /** The command that builds it. */
  readonly build: string;
  /** The folder that is served. */
  readonly site: string;
}

const TYPES = { typescript: '5.9.3' };
const VITE = { ...TYPES, vite: '8.3.8' };
const REACT = { react: '19.3.1', 'react-dom': '19.3.1', '@types/react': '19.3.0' };

const page = (body: string): string => `<!doctype html><html lang="en"><title>Notes</title><body>${body}</body></html>`;
const module = (source: string): string => `<script type="module" src="${source}"></script>`;
const tsconfig = JSON.stringify({ compilerOptions: { strict: true, jsx: 'react-jsx', moduleResolution: 'bundler', module: 'esnext' } });
const viteConfig = (from: string, call: string): string =>
  `import plugin from '${from}';\nexport default { plugins: [${call}], logLevel: 'warn' };\n`;

export const APPS: { readonly [framework: string]: App } = {
  react: {
    packages: { ...VITE, ...REACT, '@vitejs/plugin-react': '6.3.0' },
    files: {
      'tsconfig.json': tsconfig,
      'vite.config.ts': viteConfig('@vitejs/plugin-react', 'plugin()'),
      'index.html': page(`<div id="root"></div>${module('/src/main.tsx')}`),
      'src/main.tsx': `import { StrictMode } from 'react';
        import { createRoot } from 'react-dom/client';
        import { Consent } from './telemetry/Consent';
        createRoot(document.getElementById('root') as HTMLElement).render(<StrictMode><Consent /></StrictMode>);`,
    },
    build: 'vite build',
    site: 'dist',
  },
  expo: {
    packages: {
      ...TYPES,
      '@types/react': '19.2.17',
      expo: '57.0.33',
      'expo-crypto': '57.0.3',
      'expo-sqlite': '57.0.3',
      'expo-background-task': '57.0.21',
      'expo-task-manager': '57.0.21',
      react: '19.2.3',
      'react-dom': '19.2.3',
      'react-native': '0.86.3',
      'react-native-web': '0.21.4',
    },
    files: {
      'tsconfig.json': '{ "extends": "expo/tsconfig.base", "compilerOptions": { "strict": true } }',
      'app.json': JSON.stringify({ expo: { name: 'notes', slug: 'notes', platforms: ['android', 'ios', 'web'] } }),
      'index.ts': "import { registerRootComponent } from 'expo';\nimport App from './App';\nregisterRootComponent(App);",
      'App.tsx': `import { View } from 'react-native';
        import { Consent } from './telemetry/Consent';
        export default function App() { return <View><Consent /></View>; }`,
    },
    build: 'expo export --platform web',
    site: 'dist',
  },
};
