/** Firefox over WebDriver BiDi. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firefoxPath } from '../setup/places.ts';
import { type Engine, jsonOf, navigated, type Page } from './engine.ts';
import { ended, kill, lineOf, start } from './process.ts';
import { connect, type Wire } from './wire.ts';

/** Names this machine, and is not trusted as `localhost` is. */
export const PLAIN_HOST = 'plain.test';

/** What Firefox does not set on its own when it is driven. */
const PREFERENCES: { readonly [name: string]: boolean | number | string } = {
  // It comes up after any number of crashes without its old tabs and without a question.
  'browser.sessionstore.resume_from_crash': false,
  'toolkit.startup.max_resumed_crashes': -1,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  // Nothing but this machine is reached: everything else goes to a proxy that is not there.
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': 9,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': 9,
  // This machine by a name that is not trusted as 127.0.0.1 is: pages over plain http as they are elsewhere.
  'network.dns.localDomains': PLAIN_HOST,
  'network.proxy.no_proxies_on': PLAIN_HOST,
  // A service worker may take this many milliseconds for an event, and not one minute only: other work may go on at this machine.
  'dom.serviceWorkers.idle_extended_timeout': 600_000,
};

type Evaluated =
  | { readonly type: 'success'; readonly result: { readonly value: string } }
  | { readonly type: 'exception'; readonly exceptionDetails: { readonly text: string } };

export const firefox: Engine = {
  name: 'firefox',
  launch: async (profile) => {
    const path = firefoxPath();
    if (path === undefined) throw new Error('expected Firefox to be installed; npm test installs it');
    const folder = join(profile, 'firefox');
    await mkdir(folder, { recursive: true });
    const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`);
    await writeFile(join(folder, 'user.js'), lines.join('\n'));
    const args = ['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port', '0', 'about:blank'];
    const browser = start(path, args, profile, { MOZ_CRASHREPORTER_DISABLE: '1' });
    browser.stdout.resume();
    const [, address = ''] = await lineOf(browser.stderr, /WebDriver BiDi listening on (ws:\S+)/);
    const wire = await connect(`${address}/session`);
    await wire.send('session.new', { capabilities: {} });
    return {
      open: async (url) => {
        const { context } = await wire.send<{ readonly context: string }>('browsingContext.create', { type: 'tab' });
        const page = pageOf(wire, context);
        await page.goto(url);
        return page;
      },
      kill: () => kill(browser),
      close: async () => {
        await wire.send('browser.close').catch(() => {});
        await ended(browser);
      },
    };
  },
};

function pageOf({ send }: Wire, context: string): Page {
  const page: Page = {
    evaluate: async (expression) => {
      const evaluated = await send<Evaluated>('script.evaluate', {
        expression: jsonOf(expression),
        target: { context },
        awaitPromise: true,
      });
      if (evaluated.type === 'exception') throw new Error(evaluated.exceptionDetails.text);
      return JSON.parse(evaluated.result.value);
    },
    goto: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    resize: async (width, height) => void (await send('browsingContext.setViewport', { context, viewport: { width, height } })),
    back: () => navigated(page, () => send('browsingContext.traverseHistory', { context, delta: -1 })),
    reload: async () => void (await send('browsingContext.reload', { context, wait: 'complete' })),
    close: async () => void (await send('browsingContext.close', { context })),
  };
  return page;
}
