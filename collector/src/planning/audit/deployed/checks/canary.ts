/** A text that the page knows and must not send: looked for in all requests of all visits, in the forms in which programs write texts. */

import { type Check, row } from '../check.ts';

const NAME = 'canary';

/** The forms of a text: as it is, in addresses, reversed, in hexadecimal digits and in base64 at each of its three alignments. */
function formsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((skip) => {
    const padded = Buffer.concat([Buffer.alloc(skip), bytes])
      .toString('base64')
      .replaceAll('=', '');
    return padded.slice(skip === 0 ? 0 : 4, -2);
  });
  const forms = [text, encodeURIComponent(text), new URLSearchParams({ a: text }).toString().slice(2), JSON.stringify(text).slice(1, -1)];
  const all = [
    ...forms,
    [...text].reverse().join(''),
    bytes.toString('hex'),
    ...base64,
    ...base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return [...new Set(all.filter((form) => form.length > 3).flatMap((form) => [form, form.toLowerCase()]))];
}

export const canary: Check = {
  name: NAME,
  run: async (investigation) => {
    const { canary: text } = investigation.site.plan;
    if (text === undefined) return [row(NAME, 'not tested', 'the plan names no canary')];
    const { clicked } = await investigation.quiet();
    const stories = (await investigation.stories()).map(([, seen]) => seen);
    const seen = [clicked, ...stories];
    const requests = seen.flatMap(({ sent, scripts }) => [
      ...sent.map(
        ({ method, url, headers, body, message }) =>
          `${method} ${url} ${body} ${JSON.stringify([headers, message?.url, message?.headers, message?.fields])}`,
      ),
      ...scripts.map(({ by, to, text: said }) => `${by} ${to} ${said}`),
    ]);
    const forms = formsOf(text);
    const found = requests.find((request) => forms.some((form) => request.includes(form)));
    if (found !== undefined) return [row(NAME, 'failed', `it is in ${found.slice(0, 200)}`)];
    return [row(NAME, 'passed', `it is in none of ${requests.length} requests, in none of ${forms.length} forms`)];
  },
};
