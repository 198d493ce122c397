/** System parts that the tests need: used where they are, installed with apt when root on Debian, else named in one sentence. */

import { spawnSync } from 'node:child_process';
import { chromiumPath } from './chromium.ts';

function install(packages: readonly string[]): void {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const { status } = spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env: environment });
    if (status !== 0) return;
  }
}

if (chromiumPath() === undefined && process.getuid?.() === 0) {
  console.log('Installing Chromium with apt-get ...');
  install(['chromium']);
}
if (chromiumPath() === undefined) {
  console.error('The browser tests need Chromium: install it (on Debian: apt-get install chromium) or set CHROMIUM to its path.');
  process.exit(1);
}
