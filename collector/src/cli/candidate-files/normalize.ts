/**
 * Ways to write equal candidates equally. Devices hash the UTF-8 of what the app records and change nothing about it, so an app that
 * records lower-case hosts is decoded against lower-case hosts.
 */

/** The host of a URL, with or without a scheme: lower case, and Punycode for other letters, as browsers write it. */
function hostOf(text: string): string | undefined {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  return URL.canParse(url) ? new URL(url).hostname || undefined : undefined;
}

/** The name of a way. */
export type Way = 'trim' | 'nfc' | 'lower' | 'host';

/** The ways. One that can't read a candidate gives undefined. */
const ways: { readonly [W in Way]: (text: string) => string | undefined } = {
  trim: (text) => text.trim(),
  nfc: (text) => text.normalize('NFC'),
  lower: (text) => text.toLowerCase(),
  host: hostOf,
};

export const WAYS: readonly Way[] = Object.keys(ways) as Way[];

/** A candidate after the ways, one after the other; undefined when one can't read it. */
export const normalized = (text: string, chosen: readonly Way[]): string | undefined =>
  chosen.reduce((before: string | undefined, way) => (before === undefined ? undefined : ways[way](before)), text);
