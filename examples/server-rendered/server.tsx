/** The page as the server renders it. Nothing is recorded there: a server is no person. */

import { renderToString } from 'react-dom/server';
import { App } from '../react/app.tsx';

export const render = (): string => renderToString(<App />);
