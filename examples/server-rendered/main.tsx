/** The page's script: takes over what the server rendered. */

import { hydrateRoot } from 'react-dom/client';
import { App } from '../react/app.tsx';

hydrateRoot(document.getElementById('root') as HTMLElement, <App />);
