/** The files that `init` writes for a project, and what its developer does next. */

import { nativeConsent, pageConsent, programConsent, reactConsent, svelteConsent, vueConsent } from './components.ts';
import { expoModule, nativeModule, optionsModule, programModule, schemaModule, telemetryModule, testModule } from './modules.ts';
import type { Project } from './project.ts';

/** The answers of the developer. */
export interface Chosen extends Project {
  readonly endpoint: string;
}

export interface Plan {
  /** Texts by path. */
  readonly files: { readonly [path: string]: string };
  /** The path of the schema. */
  readonly schema: string;
  /** The step that remains in the app's own files. */
  readonly use: string;
}

/** The script that plain pages load: the package's, as a readable module with the checks for developers. */
const SCRIPT = 'murmuration.js';

export function planFor(project: Chosen, script: () => string): Plan {
  const { framework, app, endpoint, isTyped, isCommonJs, namesTypes, runner, sources } = project;
  const folder = framework === 'sveltekit' ? `${sources}lib/telemetry/` : `${sources}telemetry/`;
  const kind = isTyped ? 'ts' : 'js';
  /** The ending of imports: bundlers need none. */
  const ending = framework === 'node' ? (isTyped && namesTypes ? '.ts' : '.js') : framework === 'plain' ? '.js' : '';
  const from = `./telemetry${ending}`;
  const schema = `./schema${ending}`;
  const isPlain = framework === 'plain';
  const client = isPlain ? `./${SCRIPT}` : '@murmuration/client';
  // Node's own runner has no bundler before it, so this test names the file, and is not typed.
  const test = runner === 'node' ? { file: 'telemetry.test.mjs', schema: `./schema.${kind}` } : { file: `telemetry.test.${kind}`, schema };
  const telemetry = telemetryModule(endpoint, schema, client);
  const options = optionsModule(endpoint, schema);
  const page = { text: pageConsent(isPlain ? client : `${client}/consent`, from), file: `${folder}consent.${kind}` };
  const x = `${kind}x`;
  const parts: {
    readonly [F in Project['framework']]: {
      readonly telemetry: string;
      readonly file: string;
      readonly text: string;
      readonly use: string;
    };
  } = {
    react: {
      telemetry: options,
      file: `${folder}Consent.${x}`,
      text: reactConsent(false, from),
      use: `render <Consent /> of ${folder}Consent in your app`,
    },
    next: {
      telemetry: options,
      file: `${folder}Consent.${x}`,
      text: reactConsent(true, from),
      use: `render <Consent /> of ${folder}Consent in your layout`,
    },
    expo: {
      telemetry: expoModule(endpoint, schema),
      file: `${folder}Consent.${x}`,
      text: nativeConsent(from),
      use: `run npx expo install expo-crypto expo-sqlite, and render <Consent /> of ${folder}Consent in your app`,
    },
    'react-native': {
      telemetry: nativeModule(endpoint, schema),
      file: `${folder}Consent.${x}`,
      text: nativeConsent(from),
      use: `install react-native-get-random-values and @react-native-async-storage/async-storage, and render <Consent /> of ${folder}Consent in your app`,
    },
    vue: {
      telemetry,
      file: `${folder}Consent.vue`,
      text: vueConsent(isTyped, from),
      use: `put <Consent /> of ${folder}Consent.vue into your app`,
    },
    nuxt: {
      telemetry,
      file: `${sources}components/Consent.client.vue`,
      text: vueConsent(isTyped, '../telemetry/telemetry'),
      use: 'put <Consent /> into your layout',
    },
    svelte: {
      telemetry,
      file: `${folder}Consent.svelte`,
      text: svelteConsent(isTyped, from),
      use: `put <Consent /> of ${folder}Consent.svelte into your app`,
    },
    sveltekit: {
      telemetry,
      file: `${folder}Consent.svelte`,
      text: svelteConsent(isTyped, from),
      use: `put <Consent /> of ${folder}Consent.svelte into your layout`,
    },
    vite: { telemetry, ...page, use: `import '${folder}consent' in the page's script` },
    plain: { telemetry, ...page, use: `add <script type="module" src="${page.file}"></script> to the page` },
    node: {
      telemetry: programModule(app, endpoint, schema),
      file: `${folder}consent.${kind}`,
      text: programConsent(from),
      use: `call askConsent() of ${folder}consent, then telemetry.record('plan', 'pro')`,
    },
  };
  const mine = parts[framework];
  return {
    files: {
      ...(isPlain && { [`${folder}${SCRIPT}`]: script() }),
      // Node runs these files as they are: it must take them for modules.
      ...(ending === '.js' && !isTyped && isCommonJs && { [`${folder}package.json`]: '{ "type": "module" }\n' }),
      [`${folder}schema.${kind}`]: schemaModule(app, client),
      [`${folder}telemetry.${kind}`]: mine.telemetry,
      ...(framework === 'expo' && project.has('react-native-web') && { [`${folder}telemetry.web.${kind}`]: options }),
      [mine.file]: mine.text,
      [`${folder}${test.file}`]: testModule(runner, test.schema),
    },
    schema: `${folder}schema.${kind}`,
    use: mine.use,
  };
}
