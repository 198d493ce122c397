// The entry point of the page of releases: what may be asked, what was answered, and who spent what.

import { render } from 'preact';
import { ReleasePage } from './release-page.tsx';

const root = document.getElementById('page');
if (root) {
  root.textContent = '';
  render(<ReleasePage />, root);
}
