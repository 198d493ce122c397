/**
 * Options of a command from other places than its command line: environment variables, and a JSON file. The command line comes first, then
 * the environment, then the file, then the defaults. A name that is no option is an error, because a misspelt limit is no limit.
 */

import { readFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { closest } from 'fastest-levenshtein';
import { UsageError } from '../base/fault.ts';
import { unreadBecause } from '../base/usage.ts';
import { withoutPassword } from '../storage/postgres/connection.ts';

const PREFIX = 'MURMURATION_';

/** The option that names the file, which the file itself can't set, and the one that only makes sense on a command line. */
const FILE = 'config';
const CHECK = 'checkConfig';

/** The name of an option's environment variable: `perMinute` is `MURMURATION_PER_MINUTE`. */
const variableOf = (name: string): string => `${PREFIX}${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;

/** Options of one start alone: a file that stays would begin another empty store each time that one is gone. */
const ONCE: readonly string[] = [CHECK, 'new'];

const settable = ({ options }: Command): readonly Option[] => options.filter((option) => !ONCE.includes(option.attributeName()));

const unknown = (name: string, known: readonly string[]): string =>
  `unknown setting ${JSON.stringify(name)}; the nearest is ${closest(name, known)}`;

/** The value of an option, from texts as they would stand on a command line. */
function parsedBy(option: Option, texts: readonly string[], where: string): unknown {
  const [only = '', ...others] = texts;
  if (!option.variadic && others.length > 0) throw new UsageError(`${where}: expected one value, got ${texts.length}`);
  if (option.isBoolean()) {
    if (only !== 'true' && only !== 'false') throw new UsageError(`${where}: expected true or false, got ${JSON.stringify(only)}`);
    return only === 'true';
  }
  const parse = (text: string, before: unknown): unknown => {
    if (option.parseArg) return option.parseArg(text, before);
    return option.variadic ? [...((before as readonly string[] | undefined) ?? []), text] : text;
  };
  try {
    return texts.reduce((before: unknown, text) => parse(text, before), undefined);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${where}: ${error.message}`) : error;
  }
}

/** A value of the file as texts. */
function textsOf(value: unknown, where: string): readonly string[] {
  const texts = [value].flat().map((each) => (['string', 'number', 'boolean'].includes(typeof each) ? String(each) : undefined));
  if (texts.length > 0 && texts.every((text) => text !== undefined)) return texts;
  throw new UsageError(`${where}: expected a text, a number, true, false or a list of texts, got ${JSON.stringify(value)}`);
}

function readSettings(file: string): { readonly [name: string]: unknown } {
  let settings: unknown;
  try {
    settings = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--config ${file}: ${unreadBecause(error)}`);
  }
  if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) return settings as { [name: string]: unknown };
  throw new UsageError(`--config ${file}: expected an object, got ${JSON.stringify(settings)}`);
}

/** Sets an option unless a place with precedence has set it. */
function set(command: Command, option: Option, source: string, value: () => unknown): void {
  const name = option.attributeName();
  const known = command.getOptionValueSource(name);
  const parsed = value(); // a wrong value is an error even where it is not used
  if (known === undefined || known === 'default') command.setOptionValueWithSource(name, parsed, source);
}

function setFromEnvironment(command: Command, environment: NodeJS.ProcessEnv): void {
  const options = new Map(settable(command).map((option) => [variableOf(option.attributeName()), option]));
  for (const [variable, text = ''] of Object.entries(environment)) {
    if (!variable.startsWith(PREFIX)) continue;
    const option = options.get(variable);
    if (option === undefined) throw new UsageError(`environment: ${unknown(variable, [...options.keys()])}`);
    set(command, option, 'env', () => parsedBy(option, option.variadic ? text.split(',') : [text], variable));
  }
}

function setFromFile(command: Command, file: string): void {
  const options = new Map(settable(command).map((option) => [option.attributeName(), option]));
  options.delete(FILE);
  for (const [name, value] of Object.entries(readSettings(file))) {
    const option = options.get(name);
    const where = `${file}: ${name}`;
    if (option === undefined) throw new UsageError(`${file}: ${unknown(name, [...options.keys()])}`);
    set(command, option, 'config', () => parsedBy(option, textsOf(value, where), where));
  }
}

/** Adds the options that name the file and that check it. */
export function addSettings(command: Command): void {
  command
    .option('--config <file>', 'a JSON file of options by name, such as { "perMinute": 600 }')
    .option('--check-config', 'check the options, the schemas and the candidates, and exit')
    .addHelpText(
      'after',
      `\nEvery option can also be an environment variable: --per-minute is ${variableOf('perMinute')}. Lists are separated by commas.`,
    );
}

/** Fills a command's options from the environment and from the file that `--config` names. @throws {UsageError} */
export function fillSettings(command: Command, environment: NodeJS.ProcessEnv): void {
  setFromEnvironment(command, environment);
  const file: unknown = command.getOptionValue(FILE);
  if (typeof file === 'string') setFromFile(command, file);
}

/** How options are printed that may hold a secret: a password, or the address of a chat's webhook. */
const PRINTED: { readonly [name: string]: (value: string) => string } = { postgres: withoutPassword, alerts: (url) => new URL(url).origin };

/** The options as they are in effect, without what is a secret. */
export const effectiveSettings = (command: Command): { readonly [name: string]: unknown } =>
  Object.fromEntries(
    settable(command).map((option) => {
      const name = option.attributeName();
      const value: unknown = command.getOptionValue(name);
      return [name, typeof value === 'string' ? (PRINTED[name]?.(value) ?? value) : value];
    }),
  );
