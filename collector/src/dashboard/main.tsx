// The dashboard's entry: draws the page, which then follows the collector for as long as it is seen.
// Everything it shows comes from the two addresses in api.ts.

import { render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('page');
if (root) {
  root.textContent = '';
  render(<App />, root);
}
