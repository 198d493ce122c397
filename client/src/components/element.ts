/**
 * Custom elements whose properties are options. An element shows something while it is in a page and has all that it needs. Nothing is
 * registered before the first use, so importing has no effects.
 */

import type { Telemetry } from '../types.ts';

/** The part of a telemetry that all components need. `createLazyTelemetry` has it, too. */
export interface Asked {
  readonly consent: Telemetry<Record<never, never>>['consent'];
}

/** Something that is shown. */
export interface Shown {
  /** Reads the telemetry again and shows it. */
  readonly update: () => unknown;
  /** Stops timers and listeners. */
  readonly end: () => void;
}

/** Shows something in an element's shadow root. The options change while it is shown: functions are read when they are called. */
export type Show<O> = (root: ShadowRoot, options: Readonly<O>) => Shown;

/** A custom element: its name, and the names of its properties, those that it needs first. */
export interface Kind<O extends { readonly telemetry: Asked }> {
  readonly tag: `murmuration-${string}`;
  readonly needs: readonly (keyof O & string)[];
  readonly takes: readonly (keyof O & string)[];
}

/** True for a change that is no reason to begin again: of a function, or of the object in which `useTelemetry` hands out a telemetry. */
const isSmall = (name: string, one: unknown, other: unknown): boolean =>
  name.startsWith('on') ||
  (name === 'telemetry' && (one as Asked | undefined)?.consent.subscribe === (other as Asked | undefined)?.consent.subscribe);

/** Registers an element, unless it is registered. */
export function register<O extends { readonly telemetry: Asked }>({ tag, needs, takes }: Kind<O>, css: string, show: Show<O>): void {
  if (customElements.get(tag)) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  customElements.define(
    tag,
    class extends HTMLElement {
      readonly #options: { [name in keyof O]?: O[name] } = {};
      readonly #root = this.attachShadow({ mode: 'open' });
      #shown: Shown | undefined;
      #isDue = false;

      constructor() {
        super();
        this.#root.adoptedStyleSheets = [sheet];
        const early = this as unknown as Partial<O>; // properties that were set before the element was registered
        for (const name of [...needs, ...takes]) {
          const value = early[name];
          Object.defineProperty(this, name, { get: () => this.#options[name], set: (next) => this.#set(name, next) });
          this.#options[name] = value;
        }
      }
      connectedCallback(): void {
        if (needs.every((name) => this.#options[name])) this.#shown = show(this.#root, this.#options as O);
      }
      disconnectedCallback(): void {
        this.#shown?.end();
        this.#shown = undefined;
        this.#root.replaceChildren();
      }
      #set(name: keyof O & string, value: O[typeof name]): void {
        const old = this.#options[name];
        this.#options[name] = value;
        if (value === old || !this.isConnected) return;
        if (this.#shown && isSmall(name, value, old)) return void this.#shown.update();
        // All properties that are set at once count together.
        if (!this.#isDue) void Promise.resolve().then(() => this.#again());
        this.#isDue = true;
      }
      #again(): void {
        this.#isDue = false;
        if (!this.isConnected) return;
        this.disconnectedCallback();
        this.connectedCallback();
      }
    },
  );
}

/** Creates an element with its properties, in an element of the page or at the end of the body. */
export function place<O extends { readonly telemetry: Asked }>({ tag }: Kind<O>, options: O, parent?: Element | null): HTMLElement {
  const host = Object.assign(document.createElement(tag), options);
  (parent ?? document.body).append(host);
  return host;
}

/** Gives an element all properties that a component of a framework has. */
export function give<O extends { readonly telemetry: Asked }>({ needs, takes }: Kind<O>, host: Element, options: O): void {
  for (const name of [...needs, ...takes]) (host as unknown as Partial<O>)[name] = options[name];
}
