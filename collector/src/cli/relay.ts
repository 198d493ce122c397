/** `murmuration relay`: the file of `serve --relay-keys`, with the keys of the gateway and the relays that may bring messages. */

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dayNumber } from '@murmuration/shared';
import type { Command } from 'commander';
import { inOneLine, UsageError } from '../base/fault.ts';
import { dayOption, print, unreadBecause, wholeOption } from '../base/usage.ts';
import { admitted, changed, openRelayKeys, parseRelayFile, type RelayFile, rotated, withTokens } from '../ingest/relay-keys.ts';
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
  if (!json)
    process.stderr.write(
      `Token of the relay ${name}, shown this once. It is secret. After SIGHUP a running collector takes it, and no older one.\n`,
    );
}

/** Changes a relay, and says what it is now. @throws {UsageError} when the file has none of this name */
async function change(file: string, name: string, to: Parameters<typeof changed>[2], { json }: Options): Promise<void> {
  const before = readRelayFile('file', file);
  try {
    await write(file, changed(before, name, to));
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(`name: ${error.message}`) : error;
  }
  print(json, { name }, () => name);
  if (!json) process.stderr.write('SIGHUP makes a running collector read the file again.\n');
}

async function tokens(file: string, app: string, { from, secret: isSecret, json }: Options): Promise<void> {
  const before = readRelayFile('file', file);
  if (isSecret && !before.tokens?.some((each) => each.app === app))
    throw new UsageError(`app: expected one with a key of tokens, as murmuration relay tokens adds it without --secret, got ${app}`);
  const { file: content, key } = withTokens(before, app, dayNumber(Date.now()), from);
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
  const keys = await Promise.all(
    content.keys.map(async (key) => ({ id: key.id, until: key.until ?? null, keys: await configurationOf({ ...content, keys: [key] }) })),
  );
  const relays = content.relays.map(({ name, perMinute }) => ({ name, perMinute: perMinute ?? null }));
  const needing = (content.tokens ?? []).map(({ app, from }) => ({ app, from }));
  print(json, { keys, relays, tokens: needing }, () =>
    [
      table(
        ['key', 'opens messages until', 'as apps have it built in'],
        keys.map(({ id, until, keys: built }) => [`${id}`, until ?? 'it is published now', built]),
      ),
      '',
      `relays     ${relays.map(({ name, perMinute }) => (perMinute ? `${name} (${perMinute} messages a minute)` : name)).join(', ') || 'none'}`,
      `tokens     ${needing.map(({ app, from }) => `${app} from ${from}`).join(', ') || 'of no app'}`,
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
  add('limit', 'let a relay bring so many messages in a minute; its token stays')
    .argument('<name>', 'its name')
    .argument('<messages>', 'messages in a minute', wholeOption('messages', 1, 1e9))
    .action((file: string, name: string, perMinute: number, options: Options) =>
      change(file, name, (relay) => ({ ...relay, perMinute }), options),
    );
  add('revoke', 'let a relay bring messages no more')
    .argument('<name>', 'its name')
    .action((file: string, name: string, options: Options) => change(file, name, () => undefined, options));
  add('tokens', 'count reports of an app with a token only: add its key, unless it has one, and print the public key')
    .argument('<app>', 'the app')
    .option('--from <day>', 'the first day of a report that needs a token, in UTC; moves it, too (default: today)', dayOption('--from'))
    .option('--secret', "print the secret for the app's server instead")
    .action(tokens);
  add('show', 'list keys and relays, without their secrets').action(show);
}
