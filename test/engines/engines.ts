/** The engines that the tests run in: all that there are for this system. WebKitGTK is Linux's. */

import { first } from '../setup/effort.ts';
import { chromium } from './chromium.ts';
import type { Engine } from './engine.ts';
import { firefox } from './firefox.ts';
import { webkit } from './webkit.ts';

export const engines: readonly Engine[] = [chromium, firefox, ...(process.platform === 'linux' ? [webkit] : [])];

/** Those of what hardly depends on the engine: one in `npm test`, each in the deep tier. */
export const few: readonly Engine[] = first(engines);
