/** WebKitGTK in a small browser of our own (`webkit-host.py`), on a screen of its own. */

import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { webkitPython, xvfbPath } from '../setup/places.ts';
import { BrowserEnded, type Engine, jsonOf, type Page } from './engine.ts';
import { ended, kill, lineOf, type Started, start } from './process.ts';

type Send = (method: string, page: number, text?: string) => Promise<string>;

interface Answer {
  readonly id: number;
  readonly result?: string;
  readonly error?: string;
}

/** Found once, because looking for it starts it. */
let python: string | undefined;

export const webkit: Engine = {
  name: 'webkit',
  launch: async (profile) => {
    python ??= webkitPython();
    const xvfb = xvfbPath();
    if (python === undefined || xvfb === undefined) throw new Error('expected WebKitGTK and Xvfb to be installed; npm test installs them');
    // It takes a number that is free, and ends when its only client has, however that ended.
    const screen = start(xvfb, ['-displayfd', '1', '-terminate', '-nolisten', 'tcp', '-screen', '0', '1280x1024x24'], profile);
    screen.stderr.resume();
    const [display] = await lineOf(screen.stdout, /^\d+$/);
    const browser = start(python, [join(import.meta.dirname, 'webkit-host.py'), profile], profile, {
      DISPLAY: `:${display}`,
      GDK_BACKEND: 'x11',
      NO_AT_BRIDGE: '1',
      WEBKIT_DISABLE_DMABUF_RENDERER: '1',
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
    });
    const send = commandsOf(browser);
    let pages = 0;
    return {
      open: async (url) => {
        const page = pageOf(send, ++pages);
        await send('open', pages);
        await page.goto(url);
        return page;
      },
      kill: async () => {
        await kill(browser);
        await ended(screen);
      },
      close: async () => {
        browser.stdin.end();
        await ended(browser);
        await ended(screen);
      },
    };
  },
};

function commandsOf({ stdin, stdout, stderr }: Started): Send {
  const waiting = new Map<number, { readonly resolve: (result: string) => void; readonly reject: (error: Error) => void }>();
  let [commands, isOver] = [0, false];
  let complaints = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-2_000);
  });
  const lines = createInterface(stdout);
  lines.on('line', (line) => {
    const { id, result = '', error } = JSON.parse(line) as Answer;
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  lines.on('close', () => {
    isOver = true;
    for (const { reject } of waiting.values()) reject(new BrowserEnded(`the browser ended: ${complaints}`));
  });
  return (method, page, text = '') =>
    new Promise((resolve, reject) => {
      if (isOver) throw new BrowserEnded('the browser has ended');
      const id = ++commands;
      waiting.set(id, { resolve, reject });
      stdin.write(`${JSON.stringify({ id, method, page, text })}\n`);
    });
}

const pageOf = (send: Send, page: number): Page => ({
  evaluate: async (expression) => JSON.parse(await send('evaluate', page, jsonOf(expression))),
  goto: async (url) => void (await send('goto', page, url)),
  resize: async (width, height) => void (await send('resize', page, `${width} ${height}`)),
  back: async () => void (await send('back', page)),
  reload: async () => void (await send('reload', page)),
  close: async () => void (await send('close', page)),
});
