/** The HTML of the apps of hydrated.test.ts. */

import { createElement } from 'react';
import { renderToString as reactToString } from 'react-dom/server';
import { render } from 'svelte/server';
import { createSSRApp } from 'vue';
import { renderToString as vueToString } from 'vue/server-renderer';
import { propsOf, ReactApp, SvelteApp, VueApp } from './hydrated-apps.js';

export const htmlOf = async () => ({
  react: reactToString(createElement(ReactApp, propsOf('react'))),
  vue: await vueToString(createSSRApp(VueApp, propsOf('vue'))),
  svelte: render(SvelteApp, { props: propsOf('svelte') }).body,
});
