/**
 * A command-line program that one person uses: `node examples/cli/notes.ts add "buy milk"`. Its first run asks nothing
 * and sends nothing; `node examples/cli/notes.ts share yes` agrees, `share no` refuses, `share` tells.
 */

import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createTelemetry, ledger } from '@murmuration/client';
import { fileStorage, nodeClock, nodeLifecycle } from '@murmuration/client/node';
import { schema } from './schema.ts';

const folder = process.env['NOTES'] ?? join(homedir(), '.notes');
const file = join(folder, 'notes.txt');

const telemetry = createTelemetry({
  schema,
  endpoint: process.env['COLLECTOR'] ?? 'http://127.0.0.1:8080',
  storage: fileStorage(join(folder, 'telemetry')),
  lifecycle: nodeLifecycle,
  clock: nodeClock,
});

const notes = (): readonly string[] => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []);

const COMMANDS: { readonly [name: string]: (argument: string) => void } = {
  add: (note) => {
    mkdirSync(folder, { recursive: true });
    appendFileSync(file, `${note.replaceAll('\n', ' ')}\n`);
  },
  list: () => process.stdout.write(`${notes().join('\n')}\n`),
  share: async (answer) => {
    if (answer === 'yes') telemetry.consent.grant();
    if (answer === 'no') telemetry.consent.deny();
    const { spent, left } = await ledger(telemetry);
    process.stdout.write(`${telemetry.consent.state}; ε ${spent} spent, ${left} left\n`);
  },
};

const [command = '', argument = ''] = process.argv.slice(2);
const run = COMMANDS[command];
if (run) {
  run(argument);
  telemetry.record('command', command as 'add' | 'list' | 'share');
  telemetry.record('notes', notes().length);
} else {
  process.stderr.write(`expected add, list or share, got ${JSON.stringify(command)}\n`);
  process.exitCode = 2;
}
