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

const hasStrace = (): boolean => spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0;

const missing = [...(chromiumPath() === undefined ? ['chromium'] : []), ...(process.platform !== 'linux' || hasStrace() ? [] : ['strace'])];
if (missing.length > 0 && process.getuid?.() === 0) {
  console.log(`Installing ${missing.join(' and ')} with apt-get ...`);
  install(missing);
}
if (process.platform === 'linux' && !hasStrace()) {
  console.error('The tests of power loss and of failing disks need strace: install it (on Debian: apt-get install strace).');
  process.exit(1);
}
if (chromiumPath() === undefined) {
  console.error('The browser tests need Chromium: install it (on Debian: apt-get install chromium) or set CHROMIUM to its path.');
  process.exit(1);
}
