/** Chromium over its own protocol: playwright's would be in the way of pages that come back from the cache. */

import { CHROMIUM_ARGUMENTS, disabling, POPUPS } from '../setup/chromium.ts';
import { chromiumPath } from '../setup/places.ts';
import { type Engine, jsonOf, navigated, type Page } from './engine.ts';
import { ended, kill, lineOf, start } from './process.ts';
import { connect, type Wire } from './wire.ts';

interface Evaluated {
  readonly result: { readonly value: string };
  readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } };
}

interface History {
  readonly currentIndex: number;
  readonly entries: readonly { readonly id: number }[];
}

export const chromium: Engine = {
  name: 'chromium',
  launch: async (profile) => {
    const path = chromiumPath();
    if (path === undefined) throw new Error('expected Chromium to be installed; npm test installs it');
    const browser = start(
      path,
      [
        ...CHROMIUM_ARGUMENTS,
        disabling(...POPUPS),
        '--headless',
        '--no-sandbox',
        '--no-default-browser-check',
        '--password-store=basic',
        '--remote-debugging-port=0',
        `--user-data-dir=${profile}`,
        'about:blank',
      ],
      profile,
    );
    browser.stdout.resume();
    const [, address = ''] = await lineOf(browser.stderr, /DevTools listening on (ws:\S+)/);
    const wire = await connect(address);
    return {
      open: async (url) => {
        const { targetId } = await wire.send<{ readonly targetId: string }>('Target.createTarget', { url: 'about:blank' });
        const page = await pageOf(wire, targetId);
        await page.goto(url);
        return page;
      },
      kill: () => kill(browser),
      close: async () => {
        await wire.send('Browser.close').catch(() => {});
        await ended(browser);
      },
    };
  },
};

async function pageOf(wire: Wire, targetId: string): Promise<Page> {
  const session = await wire.send<{ readonly sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
  const send = <T>(method: string, params?: object): Promise<T> => wire.send(method, params, session);
  const page: Page = {
    evaluate: async (expression) => {
      const { result, exceptionDetails } = await send<Evaluated>('Runtime.evaluate', {
        expression: jsonOf(expression),
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return JSON.parse(result.value);
    },
    goto: (url) =>
      navigated(page, async () => {
        const { errorText } = await send<{ readonly errorText?: string }>('Page.navigate', { url });
        if (errorText !== undefined) throw new Error(`${url}: ${errorText}`);
      }),
    resize: async (width, height) =>
      void (await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false })),
    back: () =>
      navigated(page, async () => {
        const { currentIndex, entries } = await send<History>('Page.getNavigationHistory');
        await send('Page.navigateToHistoryEntry', { entryId: entries[currentIndex - 1]?.id });
      }),
    reload: () => navigated(page, () => send('Page.reload')),
    close: async () => void (await wire.send('Target.closeTarget', { targetId })),
  };
  return page;
}
