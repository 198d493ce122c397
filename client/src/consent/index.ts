/**
 * @module The question whether randomized answers may be shared, as the custom element `<murmuration-consent>`. It asks while
 * `consent.state` is `ask`, so people who have decided never see it. It reads nothing but that state.
 */

import { button, element, paragraph } from '../components/dom.ts';
import { type Asked, type Kind, place, register, type Shown } from '../components/element.ts';
import { colour, THEME } from '../components/theme.ts';
import { type ConsentTexts, english } from './texts.ts';

export type { Asked } from '../components/element.ts';
export type { ConsentTexts } from './texts.ts';

/** The properties of the element. */
export interface ConsentOptions {
  /** Made by `createTelemetry` or `createLazyTelemetry`. */
  readonly telemetry: Asked;
  /** Translated texts. Keep the object: another one shows the question again. */
  readonly texts?: Partial<ConsentTexts> | undefined;
  /** Called by a button that asks what is sent, which is there if this is. Open the inspector. */
  readonly onInspect?: (() => void) | undefined;
  /** Called when the person agrees, and at each start where they have agreed. Record a first answer. */
  readonly onGranted?: (() => void) | undefined;
}

export const CONSENT: Kind<ConsentOptions> = {
  tag: 'murmuration-consent',
  needs: ['telemetry'],
  takes: ['texts', 'onInspect', 'onGranted'],
};

const CSS = `${THEME}
    .said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;

function ask(root: ShadowRoot, options: ConsentOptions): Shown {
  const texts: ConsentTexts = { ...english, ...options.texts };
  const share = button(texts.share);
  const refuse = button(texts.refuse);
  const inspect = button(texts.inspect, { class: 'plain' });
  const question = element(
    'section',
    { 'aria-label': texts.title, lang: texts.language, hidden: '' },
    paragraph(texts.question, false),
    element('div', { class: 'row' }, share, refuse, inspect),
  );
  const said = element('p', { class: 'said', role: 'status', lang: texts.language, tabindex: '-1' });
  let wasGranted = false;
  const update = (): void => {
    const { state } = options.telemetry.consent;
    const isFocused = root.activeElement !== null;
    colour(question, root);
    inspect.hidden = !options.onInspect;
    question.hidden = state !== 'ask';
    if (question.hidden && isFocused) said.focus({ preventScroll: true }); // the focused button is gone
    if (state === 'granted' && !wasGranted) options.onGranted?.();
    wasGranted = state === 'granted';
  };
  const decide = (decision: 'grant' | 'deny', text: string): void => {
    options.telemetry.consent[decision]();
    said.textContent = text;
    update();
  };
  share.addEventListener('click', () => decide('grant', texts.shared));
  refuse.addEventListener('click', () => decide('deny', texts.refused));
  inspect.addEventListener('click', () => options.onInspect?.());
  root.append(question, said);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', update);
  const stop = options.telemetry.consent.subscribe(update);
  update();
  return {
    update,
    end: () => {
      dark.removeEventListener('change', update);
      stop();
    },
  };
}

/** Registers `<murmuration-consent>`, for pages that write it into their markup and set its properties. */
export const defineConsent = (): void => register(CONSENT, CSS, ask);

/**
 * Asks people who have not decided.
 *
 * @param parent the element that the question is appended to; the body if it is omitted, or null because an element was not found
 * @returns the element, for the page's own style
 * @example askConsent({ telemetry, onGranted: () => telemetry.record('plan', 'pro') });
 */
export function askConsent({ parent, ...options }: ConsentOptions & { readonly parent?: Element | null }): HTMLElement {
  defineConsent();
  return place(CONSENT, options, parent);
}
