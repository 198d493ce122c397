/** `murmuration annotations`: what is written on days of an app, beside its estimates. A running collector takes changes up within a second. */

import { dayText } from '@murmuration/shared';
import type { Command } from 'commander';
import { dayOption, print, wholeOption } from '../base/usage.ts';
import { type Annotation, addAnnotation, listAnnotations, removeAnnotation } from '../storage/admin/annotations.ts';
import { ANNOTATIONS_SINCE, COMMAND_LINE } from '../storage/admin/database.ts';
import { type AdminPlace, readExistingAdmin, withAdmin, withExistingAdmin } from './admin.ts';
import { storeCommand } from './stored-options.ts';
import { table } from './table.ts';

interface Options extends AdminPlace {
  readonly json?: boolean;
}

interface AddOptions extends Options {
  readonly app: string;
  readonly metric?: string;
  readonly day: number;
}

const shown = ({ day, ...annotation }: Annotation): object => ({ ...annotation, day: dayText(day) });

async function add(text: string, options: AddOptions): Promise<void> {
  const { app, metric, day, json } = options;
  const wanted = { app, day, text, ...(metric !== undefined && { metric }) };
  const added = await withAdmin(options, (database) => addAnnotation(database, COMMAND_LINE, wanted));
  print(json, shown(added), () => `annotation ${added.n} of ${dayText(day)}`);
}

async function list(options: Options & { readonly app?: string }): Promise<void> {
  const { app, json } = options;
  const all = await readExistingAdmin(options, ANNOTATIONS_SINCE, listAnnotations);
  const annotations = all.filter((each) => app === undefined || each.app === app);
  print(json, { annotations: annotations.map(shown) }, () =>
    table(
      ['number', 'day', 'app', 'metric', 'text'],
      annotations.map(({ n, day, app, metric = 'all', text }) => [`${n}`, dayText(day), app, metric, text]),
    ),
  );
}

async function remove(n: number, options: Options): Promise<void> {
  const removed = await withExistingAdmin(options, (database) => removeAnnotation(database, COMMAND_LINE, n));
  print(options.json, shown(removed), () => `removed annotation ${n} of ${dayText(removed.day)}`);
}

export function addAnnotations(program: Command): void {
  const annotations = program.command('annotations').description('what is written on days of an app, beside its estimates');
  storeCommand(annotations, 'add', 'write one line on a day')
    .argument('<text>', 'up to 200 characters')
    .requiredOption('--app <app>', 'the app')
    .requiredOption('--day <day>', 'the day, such as 2026-11-20', dayOption('--day'))
    .option('--metric <metric>', 'the metric that it is about (default: all of the app)')
    .action(add);
  storeCommand(annotations, 'list', 'list what is written').option('--app <app>', 'of this app only').action(list);
  storeCommand(annotations, 'remove', 'remove what is written')
    .argument('<number>', 'the number, as list shows it', wholeOption('number', 1))
    .action(remove);
}
