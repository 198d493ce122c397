/**
 * The smallest app of each framework that runs in a browser, with versions of the registry: its files show the component that `init` writes.
 * What the tarballs of this repository hold is installed beside it.
 */

export interface App {
  readonly packages: { readonly [name: string]: string };
  readonly files: { readonly [path: string]: string };
  /** The command that builds it, if one does. */
  readonly build?: string;
  /** The folder that is served. */
  readonly site: string;
}

const TYPES = { typescript: '5.9.3' };
const VITE = { ...TYPES, vite: '8.3.8' };
const REACT = { react: '19.3.1', 'react-dom': '19.3.1', '@types/react': '19.3.0' };

const page = (body: string): string => `<!doctype html><html lang="en"><title>Notes</title><body>${body}</body></html>`;
const module = (source: string): string => `<script type="module" src="${source}"></script>`;
const tsconfig = JSON.stringify({
  compilerOptions: { target: 'es2023', strict: true, jsx: 'react-jsx', moduleResolution: 'bundler', module: 'esnext' },
});
const viteConfig = (from: string, imported = 'plugin'): string =>
  `import ${imported === 'plugin' ? imported : `{ ${imported} as plugin }`} from '${from}';\nexport default { plugins: [plugin()], logLevel: 'warn' };\n`;

export const APPS: { readonly [framework: string]: App } = {
  plain: {
    packages: {},
    files: { 'index.html': page(module('/telemetry/consent.js')) },
    site: '.',
  },
  vite: {
    packages: VITE,
    files: {
      'tsconfig.json': tsconfig,
      'index.html': page(module('/src/main.ts')),
      'src/main.ts': "import './telemetry/consent';",
    },
    build: 'vite build',
    site: 'dist',
  },
  react: {
    packages: { ...VITE, ...REACT, '@vitejs/plugin-react': '6.3.0' },
    files: {
      'tsconfig.json': tsconfig,
      'vite.config.ts': viteConfig('@vitejs/plugin-react'),
      'index.html': page(`<div id="root"></div>${module('/src/main.tsx')}`),
      'src/main.tsx': `import { StrictMode } from 'react';
        import { createRoot } from 'react-dom/client';
        import { Consent } from './telemetry/Consent';
        createRoot(document.getElementById('root') as HTMLElement).render(<StrictMode><Consent /></StrictMode>);`,
    },
    build: 'vite build',
    site: 'dist',
  },
  next: {
    packages: { ...TYPES, ...REACT, '@types/node': '24.10.1', next: '16.4.6' },
    files: {
      'next.config.mjs': "export default { output: 'export' };",
      'src/app/layout.tsx': `import type { ReactNode } from 'react';
        import { Consent } from '../telemetry/Consent';
        export default function Layout({ children }: { readonly children: ReactNode }) {
          return <html lang="en"><body>{children}<Consent /></body></html>;
        }`,
      'src/app/page.tsx': 'export default function Page() { return <h1>Notes</h1>; }',
    },
    build: 'next build',
    site: 'out',
  },
  vue: {
    packages: { ...VITE, vue: '3.5.45', '@vitejs/plugin-vue': '6.0.11' },
    files: {
      'tsconfig.json': tsconfig,
      'vite.config.ts': viteConfig('@vitejs/plugin-vue'),
      'index.html': page(`<div id="root"></div>${module('/src/main.ts')}`),
      'src/main.ts': "import { createApp } from 'vue';\nimport App from './App.vue';\ncreateApp(App).mount('#root');",
      'src/App.vue': `<script setup lang="ts">import Consent from './telemetry/Consent.vue';</script><template><Consent /></template>`,
    },
    build: 'vite build',
    site: 'dist',
  },
  nuxt: {
    packages: { ...TYPES, vue: '3.5.45', nuxt: '4.5.2' },
    files: {
      'tsconfig.json': '{ "extends": "./.nuxt/tsconfig.json" }',
      'nuxt.config.ts': "export default defineNuxtConfig({ compatibilityDate: '2026-11-01' });",
      'app/app.vue': '<template><div><h1>Notes</h1><Consent /></div></template>',
    },
    build: 'nuxt generate',
    site: '.output/public',
  },
  svelte: {
    packages: { ...VITE, svelte: '5.57.3', '@sveltejs/vite-plugin-svelte': '7.3.1' },
    files: {
      'tsconfig.json': tsconfig,
      'vite.config.ts': viteConfig('@sveltejs/vite-plugin-svelte', 'svelte'),
      'index.html': page(`<div id="root"></div>${module('/src/main.ts')}`),
      'src/main.ts': `import { mount } from 'svelte';
        import App from './App.svelte';
        mount(App, { target: document.getElementById('root') as HTMLElement });`,
      'src/App.svelte': '<script lang="ts">import Consent from \'./telemetry/Consent.svelte\';</script>\n<Consent />',
    },
    build: 'vite build',
    site: 'dist',
  },
  sveltekit: {
    packages: {
      ...VITE,
      typescript: '6.0.3',
      svelte: '5.57.3',
      '@sveltejs/kit': '3.2.0',
      '@sveltejs/adapter-static': '4.0.1',
      '@sveltejs/vite-plugin-svelte': '7.3.1',
    },
    files: {
      'vite.config.ts': `import adapter from '@sveltejs/adapter-static';
        import { sveltekit } from '@sveltejs/kit/vite';
        export default { plugins: [sveltekit({ adapter: adapter() })], logLevel: 'warn' };`,
      'src/app.html': '<!doctype html><html lang="en"><head>%sveltekit.head%</head><body><div>%sveltekit.body%</div></body></html>',
      'src/routes/+layout.ts': 'export const prerender = true;',
      'src/routes/+layout.svelte': `<script lang="ts">
          import Consent from '../lib/telemetry/Consent.svelte';
          const { children } = $props();
        </script>
        {@render children()}<Consent />`,
      'src/routes/+page.svelte': '<h1>Notes</h1>',
    },
    build: 'vite build',
    site: 'build',
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
