/** The `murmuration` command. Exit codes: 0 success, 1 failure or a failed check, 2 wrong usage or invalid input. */

import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addAudit } from './commands/audit.ts';
import { addBackup, addRestore } from './commands/backup.ts';
import { addDays } from './commands/days.ts';
import { addDecode } from './commands/decode.ts';
import { addExport } from './commands/export.ts';
import { addKeys } from './commands/keys.ts';
import { addPlan } from './commands/plan.ts';
import { addSchema } from './commands/schema.ts';
import { addSchemas } from './commands/schemas.ts';
import { addServe } from './commands/serve.ts';
import { addSimulate } from './commands/simulate.ts';
import { addUpkeep } from './commands/upkeep.ts';
import { Failure, UsageError } from './commands/usage.ts';

/** The version of this package. The sources and the built files lie equally deep in it. */
const version = (): string =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string }).version;

/** Runs a command line. The first two entries of `argv` are the runtime and the script. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('murmuration')
    .description('Local-differential-privacy telemetry: the collector and its tools')
    .version(version());
  for (const add of [
    addServe,
    addSchema,
    addPlan,
    addAudit,
    addSimulate,
    addBackup,
    addRestore,
    addDays,
    addKeys,
    addSchemas,
    addUpkeep,
    addExport,
    addDecode,
  ])
    add(program);
  for (const command of [program, ...program.commands.flatMap((each) => [each, ...each.commands])]) {
    command
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
      .showHelpAfterError(false);
  }
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const usage = error instanceof CommanderError || error instanceof UsageError;
    const names = program.commands.map((command) => command.name()).join(', ');
    const message = (error as Error).message
      .replace(/^error: /, '')
      .replace('(outputHelp)', `expected a command, one of ${names}, got ${argv.slice(2).join(' ') || 'none'}`);
    process.stderr.write(
      `murmuration: ${usage || error instanceof Failure ? message.split('\n').join(' ') : ((error as Error).stack ?? message)}\n`,
    );
    process.exitCode = usage ? 2 : 1;
  }
}
