/** `murmuration relay`: the file of `serve --relay-keys`, with the keys of the gateway and the relays that may bring messages. */

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dayNumber } from '@murmuration/shared';
import type { Command } from 'commander';
import { inOneLine, UsageError } from '../base/fault.ts';
import { dayOption, print, unreadBecause, wholeOption } from '../base/usage.ts';
import { admitted, openRelayKeys, parseRelayFile, type RelayFile, rotated, withTokens } from '../ingest/relay-keys.ts';
import { tokenPair } from '../ingest/tokens.ts';
import { table } from './table.ts';

interface Options {
  readonly openFor: number;
  readonly perMinute?: number;
  readonly from?: number;
  readonly secret?: boolean;
  readonly json?: boolean;
}

/** Days for which a key opens messages after another has taken its place: apps that nobody updates have it built in. */
const OPEN_FOR = 400;

/** Reads the file. @throws {UsageError} that names the option or argument, and quotes no secret */
export function readRelayFile(name: string, file: string): RelayFile {
  try {
    return parseRelayFile(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${name} ${file}: ${error instanceof RangeError ? error.message : unreadBecause(error)}`);
  }
}

/** Writes the file as a whole, for its owner alone. @throws {UsageError} for one that no command and no collector would read */
async function write(file: string, content: RelayFile): Promise<void> {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  try {
    parseRelayFile(text);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  await inOneLine(() => {
    rmSync(`${file}.new`, { force: true }); // of a run that was killed, perhaps for others to read
    writeFileSync(`${file}.new`, text, { mode: 0o600, flag: 'wx' });
    renameSync(`${file}.new`, file);
  });
}

/** The key configuration that apps have built in, as base64url. */
const configurationOf = async (content: RelayFile): Promise<string> =>
  Buffer.from((await openRelayKeys(content)).published).toString('base64url');

async function rotate(file: string, { openFor, json }: Options): Promise<void> {
  const before = existsSync(file) ? readRelayFile('file', file) : undefined;
  const content = rotated(before, dayNumber(Date.now()), openFor);
  await write(file, content);
  const keys = await configurationOf(content);
  print(json, { id: content.keys.at(-1)?.id, keys }, () => keys);
  if (!json) process.stderr.write(`Build it into the app: relayTransport({ ..., keys: '${keys}' })\n`);
}

async function admit(file: string, name: string, { perMinute, json }: Options): Promise<void> {
  const { file: content, token } = admitted(readRelayFile('file', file), name, perMinute);
  await write(file, content);
  print(json, { name, token }, () => token);
  if (!json) process.stderr.write(`Token of the relay ${name}, shown this once. It is secret.\n`);
}

async function tokens(file: string, app: string, { from = dayNumber(Date.now()), secret: isSecret, json }: Options): Promise<void> {
  const before = readRelayFile('file', file);
  const { file: content, key } = withTokens(before, app, from);
  if (content !== before) await write(file, content);
  const publicKey = Buffer.from(tokenPair(key.secret).publicKey).toString('base64url');
  if (isSecret) {
    print(json, { app, secret: key.secret }, () => key.secret);
    if (!json) process.stderr.write("It is secret. The app's server needs it: tokenIssuer({ ..., secret })\n");
    return;
  }
  print(json, { app, key: publicKey, from: key.from }, () => publicKey);
  if (!json)
    process.stderr.write(`Build it into the app: slotTokens({ ..., key: '${publicKey}' }). Reports from ${key.from} on need a token.\n`);
}

async function show(file: string, { json }: Options): Promise<void> {
  const content = readRelayFile('file', file);
  const keys = content.keys.map(({ id, until }) => ({ id, until: until ?? null }));
  const relays = content.relays.map(({ name, perMinute }) => ({ name, perMinute: perMinute ?? null }));
  const needing = (content.tokens ?? []).map(({ app, from }) => ({ app, from }));
  const published = await configurationOf(content);
  print(json, { keys, relays, tokens: needing, published }, () =>
    [
      table(
        ['key', 'opens messages until'],
        keys.map(({ id, until }) => [`${id}`, until ?? 'it is published now']),
      ),
      '',
      `relays     ${relays.map(({ name, perMinute }) => (perMinute ? `${name} (${perMinute} messages a minute)` : name)).join(', ') || 'none'}`,
      `tokens     ${needing.map(({ app, from }) => `${app} from ${from}`).join(', ') || 'of no app'}`,
      `published  ${published}`,
    ].join('\n'),
  );
}

export function addRelay(program: Command): void {
  const relay = program
    .command('relay')
    .description('the keys of the gateway for relays, and the relays, in the file of serve --relay-keys');
  const add = (name: string, description: string): Command =>
    relay.command(name).description(description).argument('<file>', 'the file').option('--json', 'print JSON');
  add('rotate', 'add a key, which is published from now on, and begin the file where there is none; print its configuration')
    .option('--open-for <days>', 'days for which the key before it still opens messages', wholeOption('--open-for', 0, 10_000), OPEN_FOR)
    .action(rotate);
  add('admit', 'let a relay bring messages, or give it another token; the token is shown once')
    .argument('<name>', 'its name')
    .option('--per-minute <messages>', 'messages that it may bring in a minute', wholeOption('--per-minute', 1, 1e9))
    .action(admit);
  add('tokens', 'count reports of an app with a token only: add its key, unless it has one, and print the public key')
    .argument('<app>', 'the app')
    .option('--from <day>', 'the first day of a report that needs a token, in UTC (default: today)', dayOption('--from'))
    .option('--secret', "print the secret for the app's server instead")
    .action(tokens);
  add('show', 'list keys and relays, without their secrets').action(show);
}
