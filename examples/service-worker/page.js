// The page: shows and decides; the service worker records and sends.

import { wakeWorker } from '@murmuration/client/worker';

const element = (id) => document.getElementById(id);
const { collector } = document.documentElement.dataset;

await navigator.serviceWorker.register(`/worker.js?collector=${encodeURIComponent(collector)}`);
const { active: worker } = await navigator.serviceWorker.ready;
navigator.serviceWorker.addEventListener('message', ({ data }) => {
  element('consent').dataset.state = data.consent;
  element('consent').textContent = data.consent;
});
element('grant').addEventListener('click', () => worker.postMessage({ consent: 'granted' }));
element('deny').addEventListener('click', () => worker.postMessage({ consent: 'denied' }));
element('size').addEventListener('change', ({ target }) => worker.postMessage({ record: ['text', target.value] }));
wakeWorker(worker);
worker.postMessage({});
