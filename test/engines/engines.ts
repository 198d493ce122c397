/** The engines that the tests run in: all that there are for this system. WebKitGTK is Linux's. */

import { chromium } from './chromium.ts';
import type { Engine } from './engine.ts';
import { firefox } from './firefox.ts';
import { webkit } from './webkit.ts';

export const engines: readonly Engine[] = [chromium, firefox, ...(process.platform === 'linux' ? [webkit] : [])];
