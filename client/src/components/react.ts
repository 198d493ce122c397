'use client';

/**
 * @module `<Consent>` and `<Inspector>` for React. They are apart from the hooks of `@murmuration/client/react`, which React Native uses, too.
 */

import { createElement, type ReactElement } from 'react';
import { CONSENT, type ConsentOptions, defineConsent } from '../consent/index.ts';
import { type Asked, give, type Kind } from './element.ts';
import { INSPECTOR, type InspectorOptions } from './inspector.ts';

export type { ConsentOptions } from '../consent/index.ts';
export type { InspectorOptions } from './inspector.ts';

/** An element that gets its properties on the page, never on a server. */
const render = <O extends { readonly telemetry: Asked }>(kind: Kind<O>, options: O, define: () => unknown): ReactElement =>
  createElement(kind.tag, {
    ref: (host: Element | null) => {
      if (!host) return;
      define();
      give(kind, host, options);
    },
  });

/**
 * The question whether randomized answers may be shared, for people who have not decided.
 *
 * @example <Consent telemetry={useTelemetry(options)} />
 */
export const Consent = (options: ConsentOptions): ReactElement => render(CONSENT, options, defineConsent);

/**
 * The inspector: a panel of what is asked and sent. Its code comes when it is first shown.
 *
 * @example <Inspector telemetry={useTelemetry(options)} schema={schema} />
 */
export const Inspector = (options: InspectorOptions): ReactElement =>
  render(INSPECTOR, options, () => import('../inspector/index.ts').then(({ defineInspector }) => defineInspector()));
