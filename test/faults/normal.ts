/**
 * Preloaded into a collector only by the power-loss test: the store's own source, with another `synchronous` setting. The product has no
 * such option.
 * FAULT says whether the assertion at startup is changed as well.
 */

import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/collector/src/storage/sqlite/schema.ts')) return loaded;
    const source = String(loaded.source);
    const [pragma, assertion] = ['synchronous = FULL', 'synchronous !== 2'];
    if (!source.includes(pragma) || !source.includes(assertion))
      throw new Error(`${url}: expected "${pragma}" and "${assertion}", got none`);
    const normal = source.replace(pragma, 'synchronous = NORMAL');
    return {
      ...loaded,
      source: process.env['FAULT'] === 'unasserted' ? normal.replace(assertion, 'synchronous !== 1') : normal,
    };
  },
});
