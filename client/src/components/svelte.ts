/** @module `<Consent>` and `<Inspector>` for Svelte 5. They need no compiler: each is a raw snippet that is called as a component is. */

import { type Component, createRawSnippet } from 'svelte';
import { CONSENT, type ConsentOptions, defineConsent } from '../consent/index.ts';
import { type Asked, give, type Kind } from './element.ts';
import { INSPECTOR, type InspectorOptions } from './inspector.ts';

export type { ConsentOptions } from '../consent/index.ts';
export type { InspectorOptions } from './inspector.ts';

/** A component whose element gets its properties on the page, never on a server. */
function component<O extends { readonly telemetry: Asked }>({ tag, ...names }: Kind<O>, define: () => unknown): Component<O> {
  const render = (internals: unknown, options: O): unknown => {
    const snippet = createRawSnippet(() => ({
      render: () => `<${tag}></${tag}>`,
      setup: (host) => {
        define();
        give({ tag, ...names }, host, options);
      },
    }));
    return (snippet as unknown as (internals: unknown) => unknown)(internals);
  };
  return render as unknown as Component<O>;
}

/**
 * The question whether randomized answers may be shared, for people who have not decided.
 *
 * @example <Consent {telemetry} onGranted={() => telemetry.record('plan', 'pro')} />
 */
export const Consent: Component<ConsentOptions> = /* @__PURE__ */ component(CONSENT, defineConsent);

/**
 * The inspector: a panel of what is asked and sent. Its code comes when it is first shown.
 *
 * @example <Inspector {telemetry} {schema} />
 */
export const Inspector: Component<InspectorOptions> = /* @__PURE__ */ component(INSPECTOR, () =>
  import('../inspector/index.ts').then(({ defineInspector }) => defineInspector()),
);
