/** The packed tarballs, built and packed twice. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newApp, PACKAGES, packOnce } from './packed.ts';

const hashOf = (tarball: Buffer | undefined): string =>
  createHash('sha256')
    .update(tarball as Buffer)
    .digest('hex');

test('two builds, in two folders, time zones, languages and umasks, give the same tarballs', async () => {
  const packed = await packOnce();
  const again = join(await newApp(packed), 'again');
  const packs = `const { packPackages } = await import(${JSON.stringify(new URL('packed.ts', import.meta.url).href)});
    console.log(JSON.stringify((await packPackages(${JSON.stringify(again)})).integrity));`;
  const stdout = execFileSync('sh', ['-c', 'umask 077 && exec "$0" --input-type=module --eval "$1"', process.execPath, packs], {
    env: { ...process.env, TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8' },
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toEqual(packed.integrity);
  for (const name of PACKAGES)
    expect([name, hashOf(readFileSync(join(again, `${name}.tgz`)))]).toEqual([name, hashOf(packed.tarballs[name])]);
});
