/** `murmuration backup` and `murmuration restore`: copies the store, with its keys and published schemas, to one file, and back. */

import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { faultOf, UsageError } from '../base/fault.ts';
import {
  assertRestorable,
  backupSqliteStore,
  type Carried,
  type Copy,
  carryAdmin,
  restoreSqliteStore,
  unpackAdmin,
  verifyCarried,
  verifyCopy,
} from '../storage/sqlite/backup.ts';

const summary = ({ version, bytes }: Copy): string => `a store of version ${version}, ${bytes} bytes`;

const andAdmin = (carried: Carried | undefined): string =>
  carried === undefined ? 'no keys and no published schemas' : `${carried.keys} keys and tokens, ${carried.schemas} published schemas`;

/** Reports invalid input as wrong usage, and other errors as a failure. Either is one line. */
function sentence(error: unknown): never {
  throw faultOf(error);
}

/** @throws {UsageError} for a folder or a device, which can't be read as a copy */
function assertFile(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new UsageError(`${file}: expected a file that backup wrote, got something that is no file`);
}

function checkCopy(file: string): void {
  assertFile(file);
  try {
    const { metrics, reports, ...copy } = verifyCopy(file);
    const carried = verifyCarried(file);
    process.stdout.write(`${file}: whole, ${summary(copy)}, ${metrics} metrics, ${reports} reports, ${andAdmin(carried)}\n`);
  } catch (error) {
    sentence(error);
  }
}

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('copy the store, keys, tokens and published schemas to one file; a running collector keeps working')
    .option('--out <file>', 'the file to create; it must not exist')
    .option('--verify <file>', 'check a file that `backup` wrote, instead of writing one')
    .option('--data <folder>', 'the folder of the store', '.data')
    .action(async ({ data, out, verify }: { readonly data: string; readonly out?: string; readonly verify?: string }) => {
      if (verify !== undefined && out === undefined) return checkCopy(verify);
      if (out === undefined || verify !== undefined)
        throw new UsageError(`expected --out or --verify, got ${out === undefined ? 'neither' : 'both'}`);
      let carried: Carried | undefined;
      const add = (draft: string): void => {
        carried = carryAdmin(data, draft);
      };
      const copy = await backupSqliteStore(data, out, add).catch(sentence);
      process.stdout.write(`${out}: ${summary(copy)}, ${andAdmin(carried)}\n`);
    });
}

export function addRestore(program: Command): void {
  program
    .command('restore')
    .description('restore a backup into a folder that holds no store')
    .requiredOption('--from <file>', 'a file that `backup` wrote')
    .option('--data <folder>', 'the folder to restore into', '.data')
    .action(({ from, data }: { readonly from: string; readonly data: string }) => {
      assertFile(from);
      try {
        assertRestorable(from); // before the folder is created
        verifyCarried(from);
        let carried: Carried | undefined;
        const copy = restoreSqliteStore(from, data, (draft) => {
          carried = unpackAdmin(draft, data, from);
        });
        process.stdout.write(`${data}: ${summary(copy)}, ${andAdmin(carried)}\n`);
      } catch (error) {
        sentence(error);
      }
    });
}
