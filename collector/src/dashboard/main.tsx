// The dashboard's entry point: renders the page, which polls the collector while it is visible.
// All data comes from the two addresses in api.ts.

import { render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('page');
if (root) {
  root.textContent = '';
  render(<App />, root);
}
