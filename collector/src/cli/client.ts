/** `murmuration doctor` and `murmuration init`: the commands of @murmuration/client, which has them for apps without a collector, too. */

import { main } from '@murmuration/client/command';
import type { Command } from 'commander';

const COMMANDS = {
  doctor: 'look whether a collector would take what an app sends; --help has its options',
  init: 'write what an app needs to ask its first question; --help has its options',
};

export function addClient(program: Command): void {
  for (const [name, description] of Object.entries(COMMANDS))
    program
      .command(name)
      .description(description)
      .argument('[words...]')
      .helpOption(false)
      .allowUnknownOption()
      .action(async (_words: readonly string[], _options: object, { args }: Command) => {
        process.exitCode = await main([name, ...args]);
      });
}
