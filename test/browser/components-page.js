/**
 * A page with the components as an element, in React, in Vue and in Svelte, for components.test.ts. They share a telemetry whose code comes when the
 * person agrees, or opens an inspector.
 */

import { choice, createTelemetry, defineSchema, flag } from '@murmuration/client';
import * as ofReact from '@murmuration/client/components/react';
import * as ofSvelte from '@murmuration/client/components/svelte';
import * as ofVue from '@murmuration/client/components/vue';
import { askConsent } from '@murmuration/client/consent';
import * as german from '@murmuration/client/german';
import { openInspector } from '@murmuration/client/inspector';
import { createLazyTelemetry } from '@murmuration/client/lazy';
import { createElement, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { hydrate, mount } from 'svelte';
import { createApp, h, shallowRef } from 'vue';
import App from './components.svelte';

const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 2, per: 'year' },
  segments: { platform: ['web', 'ios'] },
  metrics: {
    dark: flag({ epsilon: 1, description: 'Is dark mode on?' }),
    plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan?' }),
  },
});

let loaded;
const load = () => {
  loaded ??= Promise.resolve({ telemetry: createTelemetry({ schema, segment: { platform: 'web' }, endpoint: '/collector' }) });
  return loaded;
};
const full = async () => (await load()).telemetry;
const telemetry = createLazyTelemetry({ app: 'notes' }, load);

const granted = [];
const onGranted = (where) => () => {
  granted.push(where);
  telemetry.record('plan', 'pro');
};
/** Names of regions differ, because a page should have each name once. */
const texts = {
  element: { title: 'An element' },
  react: { title: 'React' },
  vue: { ...german.consent, title: 'Vue' },
  svelte: { title: 'Svelte' },
};
const place = (id) => document.getElementById(id);

askConsent({
  telemetry,
  parent: place('element'),
  texts: texts.element,
  onGranted: onGranted('element'),
  onInspect: async () => void openInspector({ telemetry: await full(), schema, parent: place('element') }),
});

function InReact() {
  const [inspected, setInspected] = useState();
  const consent = createElement(ofReact.Consent, {
    telemetry,
    texts: texts.react,
    onGranted: onGranted('react'), // another one with each render
    onInspect: async () => setInspected(await full()),
  });
  const inspector = inspected && createElement(ofReact.Inspector, { telemetry: inspected, schema, onClose: () => setInspected(undefined) });
  return createElement(StrictMode, null, consent, inspector);
}
createRoot(place('react')).render(createElement(InReact));

createApp({
  setup() {
    const inspected = shallowRef();
    return () => [
      h(ofVue.Consent, {
        telemetry,
        texts: texts.vue,
        onGranted: onGranted('vue'),
        onInspect: async () => {
          inspected.value = await full();
        },
      }),
      inspected.value &&
        h(ofVue.Inspector, {
          telemetry: inspected.value,
          schema,
          texts: german.inspector,
          onClose: () => {
            inspected.value = undefined;
          },
        }),
    ];
  },
}).mount('#vue');

mount(App, {
  target: place('svelte'),
  props: { consent: { telemetry, texts: texts.svelte, onGranted: onGranted('svelte') }, inspector: { schema }, load: full },
});
hydrate(ofSvelte.Consent, { target: place('hydrated'), props: { telemetry } });

Object.assign(window, { granted });
