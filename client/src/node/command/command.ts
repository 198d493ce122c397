/** @module The command of this package, `npx @murmuration/client`: `doctor` and `init`. `murmuration doctor` and `murmuration init` are the same. */

import { parseArgs } from 'node:util';
import { examine } from './doctor.ts';
import { inWords } from './finding.ts';
import { init } from './init/init.ts';
import { FRAMEWORKS } from './init/project.ts';
import { loadSchema } from './schema-file.ts';

const HELP = `murmuration doctor <endpoint> [--schema FILE] [--key pk_...] [--origin https://app.example.com] [--bundle dist]
  Looks whether a collector would take what the app's devices send. It never leaves a report.
murmuration init [--app NAME] [--framework NAME] [--endpoint URL] [--yes]
  Writes a schema, the telemetry, a component that asks for consent and a test into this folder, and overwrites nothing.
  Frameworks: ${FRAMEWORKS.join(', ')}.
`;

/** `doctor`. @returns the exit code */
async function doctor(args: readonly string[]): Promise<number> {
  const string = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { schema: string, key: string, origin: string, bundle: string },
    allowPositionals: true,
  });
  const [endpoint, ...others] = positionals;
  if (endpoint === undefined || others.length > 0 || !/^https?:\/\/[^/]/i.test(endpoint))
    throw new Error(`doctor: expected one address such as https://t.example.com, got ${positionals.join(' ') || 'none'}`);
  const { schema: file, ...options } = values;
  const findings = await examine(endpoint.replace(/\/v1\/reports\/*$/, ''), {
    ...options,
    file,
    schema: file === undefined ? undefined : await loadSchema(file),
  });
  process.stdout.write(`${inWords(findings)}\n`);
  return findings.some(({ state }) => state === 'fault') ? 1 : 0;
}

/** `init`, in the current folder. @returns the exit code */
async function initHere(args: readonly string[]): Promise<number> {
  const string = { type: 'string' } as const;
  const options = { app: string, framework: string, endpoint: string, yes: { type: 'boolean', short: 'y' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  await init(process.cwd(), values, (line) => void process.stdout.write(`${line}\n`));
  return 0;
}

const commands: { readonly [name: string]: (args: readonly string[]) => Promise<number> } = { doctor, init: initHere };

/**
 * Runs a command line.
 *
 * @param argv what follows the program's name
 * @returns the exit code: 0 success, 1 a fault was found, 2 wrong usage
 */
export async function main([name = '--help', ...args]: readonly string[]): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const isAsked = name === '--help' || name === '-h' || args.includes('--help') || args.includes('-h');
  if (command === undefined || isAsked) {
    process[isAsked ? 'stdout' : 'stderr'].write(isAsked ? HELP : `murmuration: expected doctor or init, got ${name}\n${HELP}`);
    return isAsked ? 0 : 2;
  }
  try {
    return await command(args);
  } catch (error) {
    process.stderr.write(`murmuration: ${(error as Error).message}\n`);
    return 2;
  }
}
