/** The page of hydrated.test.ts: it takes over what the server rendered. */

import { createElement } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { hydrate } from 'svelte';
import { createSSRApp } from 'vue';
import { granted, propsOf, ReactApp, SvelteApp, VueApp } from './hydrated-apps.js';

const place = (id) => document.getElementById(id);
hydrateRoot(place('react'), createElement(ReactApp, propsOf('react')));
createSSRApp(VueApp, propsOf('vue')).mount(place('vue'));
hydrate(SvelteApp, { target: place('svelte'), props: propsOf('svelte') });

Object.assign(window, { granted });
