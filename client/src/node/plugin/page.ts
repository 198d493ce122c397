/** The page of the development server: an app's questions, and what the answers of 10,000 imagined users would look like on the dashboard. */

import { randomInt } from 'node:crypto';
import type { MetricDocument, SchemaDocument } from '@murmuration/shared';

const USERS = 10_000;
/** The most answers that have a slider, as in the collector's simulation. */
const MOST = 12;

/** The answer of `@murmuration/collector/imagine`. */
interface Imagined {
  readonly given: readonly { readonly label: string; readonly weight: number }[];
  readonly range: readonly [low: number, high: number];
  readonly isNumber: boolean;
  readonly rows: readonly Row[];
}

interface Row {
  readonly label: string;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  readonly truth: number;
}

/** The collector's simulation. */
export type Imagine = (
  document: SchemaDocument,
  metric: string,
  weights: readonly (number | undefined)[],
  users: number,
  seed: number,
) => Imagined | undefined;

const ENTITIES: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1d2229, #e8eaed); --quiet: light-dark(#555e6b, #a9b1bc); --paper: light-dark(#fff, #191c21);
  --line: light-dark(#d5dae1, #3a414b); --bar: light-dark(#a9c6ea, #2f5583); --accent: light-dark(#1f5fae, #8ab8f2); }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem; margin: 0 auto; padding: 24px; }
h1 { font-size: 1.5em; margin: 0; } h2 { font-size: 1.15em; margin: 32px 0 0; } h3 { font-size: 1em; margin: 0; }
p { margin: 4px 0; } .quiet { color: var(--quiet); } code { font-size: 0.95em; }
section { border-top: 1px solid var(--line); margin-top: 16px; padding-top: 12px; }
.sides { display: grid; grid-template-columns: 2fr 3fr; gap: 8px 40px; margin-top: 8px; }
.line { display: grid; grid-template-columns: 6rem 1fr 8rem 8rem; gap: 0 12px; align-items: center; min-height: 32px; overflow-wrap: anywhere; }
.given .line { grid-template-columns: 6rem 1fr; }
@media (max-width: 52rem) { .sides { grid-template-columns: 1fr; } .line { grid-template-columns: 6rem 1fr; } .line > .bar ~ span { grid-column: 2; } } h4 { font-size: 0.92em; font-weight: 400; color: var(--quiet); margin: 0; }
input { width: 100%; margin: 0; accent-color: var(--accent); }
.bar { position: relative; height: 14px; background: color-mix(in srgb, var(--line) 50%, transparent); border-radius: 3px; }
.bar span { position: absolute; } .estimate { inset: 0 auto 0 0; background: var(--bar); border-radius: 3px; }
.whisker { top: 6px; height: 2px; background: var(--ink); } .whisker::before, .whisker::after { content: ''; position: absolute; top: -4px; height: 10px;
  width: 2px; background: var(--ink); } .whisker::before { left: 0; } .whisker::after { right: 0; }
.truth { top: -4px; bottom: -4px; width: 0; border-left: 2px dotted var(--accent); }
button { font: inherit; color: var(--accent); background: none; border: 1px solid currentColor; border-radius: 8px; padding: 6px 14px; min-height: 44px; margin-top: 16px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }`;

/** Asks again when a slider is moved. Without scripts, the button does. */
const SCRIPT = `
const form = document.querySelector('form');
form?.addEventListener('change', async () => {
  const text = await (await fetch('?' + new URLSearchParams(new FormData(form)))).text();
  const next = new DOMParser().parseFromString(text, 'text/html');
  for (const shown of document.querySelectorAll('.result')) shown.replaceWith(next.getElementById(shown.id) ?? shown);
});`;

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const short = (number: number): string => String(Number(number.toPrecision(4)));

/** A bar with its whisker, and the truth as a dotted line. What lies outside of the scale is cut. */
function barOf({ label, estimate, low, high, truth }: Row, { range: [least, most], isNumber }: Imagined): string {
  const place = (value: number): number => Math.min(100, Math.max(0, (100 * (value - least)) / (most - least)));
  const text = isNumber ? short : percent;
  const said = `${text(estimate)} ± ${text((high - low) / 2)}`;
  const whole = `${label}: ${said}, between ${text(low)} and ${text(high)}; the truth is ${text(truth)}`;
  return `<div class="line"><span>${escaped(label)}</span><div class="bar" role="img" aria-label="${escaped(whole)}">
    <span class="estimate" style="width: ${place(estimate)}%"></span>
    <span class="whisker" style="left: ${place(low)}%; width: ${place(high) - place(low)}%"></span>
    <span class="truth" style="left: ${place(truth)}%"></span></div>
    <span>${said}</span><span class="quiet">truth ${text(truth)}</span></div>`;
}

/** Sliders for the answers that users give, and the bars that a reader would see. */
function sidesOf(name: string, imagined: Imagined): string {
  const sliders = imagined.given.map(
    ({ label, weight }, i) => `<label class="line"><span>${escaped(label)}</span>
      <input type="range" min="0" max="100" name="${escaped(`${name}/${i}`)}" value="${weight}"></label>`,
  );
  const bars = imagined.rows.map((row) => barOf(row, imagined));
  return `<div class="sides"><div class="given"><h4>How many give each answer</h4>${sliders.join('')}</div>
    <div class="result" id="${escaped(name)}"><h4>What the dashboard would show</h4>${bars.join('')}</div></div>`;
}

function questionOf(document: SchemaDocument, metric: string, query: URLSearchParams, imagine: Imagine | string): string {
  const name = `${document.app}/${document.version}/${metric}`;
  const { epsilon, every, permanent, law } = document.metrics[metric] as MetricDocument;
  const weightAt = (i: number): number | undefined => {
    const weight = Number.parseFloat(query.get(`${name}/${i}`) ?? '');
    return weight >= 0 && weight <= 100 ? weight : undefined;
  };
  const weights = Array.from({ length: MOST }, (_, i) => weightAt(i));
  const costs = `ε ${epsilon} a report${permanent ? `, ε ${permanent.epsilon} for all of a ${permanent.renew}` : ''}`;
  const imagined = typeof imagine === 'string' ? undefined : imagine(document, metric, weights, USERS, randomInt(2 ** 32));
  const none =
    typeof imagine === 'string'
      ? ''
      : '<p class="quiet">Strings are found in the reports of many more users: <code>npx @murmuration/collector plan</code> says how many.</p>';
  return `<section><h3>${escaped(metric)}</h3><p>${escaped(document.about[metric]?.description ?? '')}</p>
    <p class="quiet">${costs}; asked ${every === 'once' ? 'once' : `once a ${every}`}; mechanism ${escaped(law.mechanism)}.</p>
    ${imagined ? sidesOf(name, imagined) : none}</section>`;
}

function schemaOf(document: SchemaDocument, query: URLSearchParams, imagine: Imagine | string): string {
  const { app, version, budget, metrics } = document;
  const questions = Object.keys(metrics).map((metric) => questionOf(document, metric, query, imagine));
  return `<h2>${escaped(app)}, version ${version}: ε ${budget.epsilon} a ${budget.per}</h2>${questions.join('')}`;
}

/**
 * The page as HTML.
 *
 * @param query the weight of each answer, from 0 to 100, as `app/version/metric/index`
 * @param imagine a sentence that says what is missing, if there is no collector
 */
export function pageOf(documents: readonly SchemaDocument[], query: URLSearchParams, imagine: Imagine | string): string {
  const schemas = documents.map((document) => schemaOf(document, query, imagine));
  const intro =
    typeof imagine === 'string'
      ? `<p>${escaped(imagine)}</p>`
      : `<p>Each imagined user's answer is changed at random, by the code that devices run. The collector's code then estimates the shares from
        these reports. A bar is the estimate. Its whisker is the 95 % interval. The dotted line is the truth, which only this page knows.</p>`;
  const again = typeof imagine === 'string' || schemas.length === 0 ? '' : '<button>Ask 10,000 others</button>';
  const none =
    '<p>No schema has been loaded yet. Open a page of your app, and this one shows its questions. A schema that is not known before the app runs is not shown.</p>';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>10,000 users like this</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1">${schemas.length === 0 ? '<meta http-equiv="refresh" content="2">' : ''}
<style>${STYLE}</style></head><body><main><h1>10,000 users like this</h1>${intro}
<form>${schemas.length === 0 ? none : schemas.join('')}${again}</form></main><script>${SCRIPT}</script></body></html>`;
}
