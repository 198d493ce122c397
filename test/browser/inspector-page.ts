/** A page with the inspector, for inspector.test.ts: the collector takes everything. */

import { choice, createTelemetry, defineSchema, flag, permanent, text } from '@murmuration/client';
import { openInspector } from '@murmuration/client/inspector';

const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 6, per: 'month' },
  metrics: {
    dark: flag({ epsilon: 1, description: 'Is dark mode on?' }),
    plan: choice(['free', 'pro', 'team'], { epsilon: 1, every: 'once', description: 'Which plan?' }),
    home: permanent(text({ epsilon: 1, every: 'day', description: 'Home page' }), { epsilon: 4, renew: 'year' }),
  },
});
// No timer: it sends when the test says so.
const clock = { now: () => Date.now(), after: () => () => {} };
const telemetry = createTelemetry({ schema, endpoint: '/collector', clock });

document.getElementById('open')?.addEventListener('click', () => {
  const button = document.activeElement as HTMLElement;
  openInspector({ telemetry, schema, parent: document.querySelector('main') as Element, onClose: () => button.focus() });
});
document.getElementById('answer')?.addEventListener('click', () => {
  telemetry.record('dark', true);
  telemetry.record('plan', 'pro');
  telemetry.record('home', 'https://zephyrous.example');
});
document.getElementById('send')?.addEventListener('click', () => void telemetry.flush());
