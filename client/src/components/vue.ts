/** @module `<Consent>` and `<Inspector>` for Vue. */

import { type FunctionalComponent, h } from 'vue';
import { CONSENT, type ConsentOptions, defineConsent } from '../consent/index.ts';
import { type Asked, give, type Kind } from './element.ts';
import { INSPECTOR, type InspectorOptions } from './inspector.ts';

export type { ConsentOptions } from '../consent/index.ts';
export type { InspectorOptions } from './inspector.ts';

/** A component whose element gets its properties on the page, never on a server. */
function component<O extends { readonly telemetry: Asked }>(kind: Kind<O>, define: () => unknown): FunctionalComponent<O> {
  const render: FunctionalComponent<O> = (options) =>
    h(kind.tag, {
      ref: (host) => {
        if (!host) return;
        define();
        give(kind, host as Element, options as O);
      },
    });
  render.props = [...kind.needs, ...kind.takes] as never;
  return render;
}

/**
 * The question whether randomized answers may be shared, for people who have not decided.
 *
 * @example <Consent :telemetry="telemetry" @granted="telemetry.record('plan', 'pro')" />
 */
export const Consent: FunctionalComponent<ConsentOptions> = /* @__PURE__ */ component(CONSENT, defineConsent);

/**
 * The inspector: a panel of what is asked and sent. Its code comes when it is first shown.
 *
 * @example <Inspector :telemetry="telemetry" :schema="schema" />
 */
export const Inspector: FunctionalComponent<InspectorOptions> = /* @__PURE__ */ component(INSPECTOR, () =>
  import('../inspector/index.ts').then(({ defineInspector }) => defineInspector()),
);
