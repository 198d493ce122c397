// The demo's app on a device of your own: two of its questions, and what leaves.

import { createTelemetry, preview } from '@murmuration/client';
import { schema } from '../schema.ts';

const element = (id) => document.getElementById(id);
const { collector } = document.documentElement.dataset;
const NAMES = { darkMode: 'Dark mode', plan: 'Plan' };
const STATES = {
  ask: 'You have not decided. Until you do, nothing is stored and nothing is sent.',
  granted: 'You share randomized answers.',
  denied: 'You do not share, and nothing is sent.',
};
const RESULTS = {
  recorded: 'These bytes wait to be sent.',
  delivered: 'These bytes were sent.',
  'already-answered': 'Answered before: a device reports each of them once a year.',
  'no-consent': 'Nothing is recorded, because you have not agreed.',
};

const telemetry = createTelemetry({
  schema,
  endpoint: collector,
  segment: { platform: 'desktop', version: '2.0', search: 'new' },
  onOutcome: ({ result }) => {
    element('sent-state').textContent = RESULTS[result] ?? `The library says: ${result}`;
    show();
  },
});

async function show() {
  const waiting = await preview(telemetry);
  const { state } = telemetry.consent;
  element('consent').dataset.state = state;
  element('consent-state').textContent = STATES[state] ?? '';
  element('grant').setAttribute('aria-pressed', String(state === 'granted'));
  element('deny').setAttribute('aria-pressed', String(state === 'denied'));
  if (waiting.length === 0) return; // those that were sent stay to be read
  element('reports').replaceChildren(
    ...waiting.flatMap(({ reports }) =>
      reports.flatMap(({ metric, meaning }) => {
        const [term, text] = [document.createElement('dt'), document.createElement('dd')];
        [term.textContent, text.textContent] = [NAMES[metric], meaning];
        return [term, text];
      }),
    ),
  );
  element('bytes').textContent = waiting.map(({ body }) => body).join('\n');
  element('bytes').hidden = false;
}

element('dark').addEventListener('change', ({ target }) => {
  document.documentElement.dataset.theme = target.checked ? 'dark' : 'light';
});
element('settings').addEventListener('submit', (event) => {
  event.preventDefault();
  telemetry.record('darkMode', element('dark').checked);
  telemetry.record('plan', document.querySelector('input[name=plan]:checked').value);
});
for (const decision of ['grant', 'deny'])
  element(decision).addEventListener('click', () => {
    telemetry.consent[decision]();
    show();
  });
show();
