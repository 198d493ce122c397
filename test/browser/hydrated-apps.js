/** The apps of hydrated.test.ts, as a server renders them and a page takes them over. The telemetry is created with the module, as `init` writes it. */

import { choice, createTelemetry, defineSchema } from '@murmuration/client';
import * as ofReact from '@murmuration/client/components/react';
import * as ofVue from '@murmuration/client/components/vue';
import { useTelemetry } from '@murmuration/client/react';
import { createElement, Fragment, StrictMode } from 'react';
import { h } from 'vue';

export { default as SvelteApp } from './hydrated.svelte';

const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 2, per: 'year' },
  metrics: { plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan?' }) },
});
const options = { schema, endpoint: '/collector', debug: false }; // no word of two telemetries: hooks create their own
const telemetry = createTelemetry(options);

/** The frameworks whose apps were told that the person has agreed. */
export const granted = [];

/** The properties of a framework's app. */
export const propsOf = (framework) => ({
  telemetry,
  schema,
  texts: { title: framework }, // a page should have each name once
  onGranted: () => {
    granted.push(framework);
    telemetry.record('plan', 'pro');
  },
});

function App({ texts, onGranted }) {
  const shared = useTelemetry(options);
  return createElement(
    Fragment,
    null,
    createElement('h2', null, texts.title),
    createElement(ofReact.Consent, { telemetry: shared, texts, onGranted }),
    createElement(ofReact.Inspector, { telemetry: shared, schema }),
  );
}
export const ReactApp = (props) => createElement(StrictMode, null, createElement(App, props));

export const VueApp = {
  props: ['telemetry', 'schema', 'texts', 'onGranted'],
  render: ({ texts, onGranted }) => [
    h('h2', texts.title),
    h(ofVue.Consent, { telemetry, texts, onGranted }),
    h(ofVue.Inspector, { telemetry, schema }),
  ],
};
