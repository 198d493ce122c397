/** The `murmuration` command. Exit codes: 0 success, 1 failure or a failed check, 2 wrong usage or invalid input. */

import { Command, CommanderError } from 'commander';
import { Fault, kindOf } from '../base/fault.ts';
import { packageVersion } from '../base/package-version.ts';

type Add = (program: Command) => void;

/** The commands, and what adds them. It is loaded when one of them is called, because all together take half a second to load. */
const commands: readonly (readonly [names: readonly string[], load: () => Promise<Add>])[] = [
  [['serve'], async () => (await import('./serve.ts')).addServe],
  [['schema'], async () => (await import('./schema.ts')).addSchema],
  [['plan'], async () => (await import('./plan.ts')).addPlan],
  [['audit'], async () => (await import('./audit.ts')).addAudit],
  [['verify-package'], async () => (await import('./verify-package.ts')).addVerifyPackage],
  [['simulate'], async () => (await import('./simulate.ts')).addSimulate],
  [['backup'], async () => (await import('./backup.ts')).addBackup],
  [['restore'], async () => (await import('./backup.ts')).addRestore],
  [['days'], async () => (await import('./days.ts')).addDays],
  [['keys'], async () => (await import('./keys.ts')).addKeys],
  [['roles'], async () => (await import('./roles.ts')).addRoles],
  [['schemas'], async () => (await import('./schemas.ts')).addSchemas],
  [['relay'], async () => (await import('./relay.ts')).addRelay],
  [['log'], async () => (await import('./log.ts')).addLog],
  [['annotations'], async () => (await import('./annotations.ts')).addAnnotations],
  [['prune', 'delete', 'vacuum'], async () => (await import('./upkeep.ts')).addUpkeep],
  [['migrate'], async () => (await import('./migrate.ts')).addMigrate],
  [['export'], async () => (await import('./export.ts')).addExport],
  [['decode'], async () => (await import('./decode.ts')).addDecode],
  [['discover'], async () => (await import('./discover.ts')).addDiscover],
  [['release'], async () => (await import('./release.ts')).addRelease],
  [['doctor', 'init'], async () => (await import('./client.ts')).addClient],
];

/** A command, and all commands below it. */
const withCommands = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(withCommands)];

/** Error about a command line that ends before a command: `keys: expected a command, one of create, list, revoke, got none`. */
function missing(program: Command, words: readonly string[]): string {
  let group = program;
  let known = 0;
  for (; known < words.length; known++) {
    const next = group.commands.find((command) => command.name() === words[known]);
    if (next === undefined) break;
    group = next;
  }
  const place = known > 0 ? `${words.slice(0, known).join(' ')}: ` : '';
  const names = group.commands.map((command) => command.name()).join(', ');
  return `${place}expected a command, one of ${names}, got ${words.slice(known).join(' ') || 'none'}`;
}

/**
 * Watches the output of this process. A reader that goes, as `head` does, ends no command in the middle: nobody reads the rest. Output that
 * can't be written otherwise, as on a full disk, fails the command.
 */
export function watchOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`murmuration: expected an output that can be written, got ${error.message}\n`);
    process.exitCode = 1;
  });
}

/** Runs a command line. The first two entries of `argv` are the runtime and the script. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('murmuration')
    .description('Local-differential-privacy telemetry: the collector and its tools')
    .version(packageVersion());
  const called = commands.filter(([names]) => names.includes(argv[2] ?? ''));
  for (const [, load] of called.length > 0 ? called : commands) (await load())(program);
  for (const command of withCommands(program)) {
    command
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
      .showHelpAfterError(false);
  }
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const usage = error instanceof CommanderError || kindOf(error) === 'usage';
    const message = (error as Error).message.replace(/^error: /, '').replace('(outputHelp)', () => missing(program, argv.slice(2)));
    process.stderr.write(
      `murmuration: ${usage || error instanceof Fault ? message.split('\n').join(' ') : ((error as Error).stack ?? message)}\n`,
    );
    process.exitCode = usage ? 2 : 1;
  }
}
