/** The packed tarballs, built and packed twice. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newApp, PACKAGES, type Packed, packOnce, packPackages } from './packed.ts';

const hashesOf = ({ tarballs }: Packed): readonly string[] =>
  PACKAGES.map((name) =>
    createHash('sha256')
      .update(tarballs[name] as Buffer)
      .digest('hex'),
  );

test('two builds, in two folders, give the same tarballs', async () => {
  const packed = await packOnce();
  const again = await packPackages(join(await newApp(packed), 'again'));
  expect(again.integrity).toEqual(packed.integrity);
  expect(hashesOf(again)).toEqual(hashesOf(packed));
});
