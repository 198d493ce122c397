/** `murmuration audit --statement` and `--dpia`: what a schema asks in plain words, and the papers for a privacy review. */

import type { SchemaDocument } from '@murmuration/shared';
import { Command } from 'commander';
import { choiceOption, print } from '../base/usage.ts';
import { auditOf } from '../planning/audit/audit.ts';
import type { Linkability } from '../planning/audit/linkability.ts';
import { inMarkdown, papersOf } from '../planning/audit/papers/papers.ts';
import type { CollectorConfiguration } from '../planning/audit/papers/processing.ts';
import type { Spending } from '../planning/audit/spending.ts';
import { LANGUAGES, type Language, statementOf } from '../planning/audit/statement.ts';
import { fillSettings } from './settings.ts';

/** The options. */
export interface PaperOptions {
  readonly statement?: boolean;
  readonly lang: Language;
  readonly dpia?: boolean;
  readonly config?: string;
  readonly json?: boolean;
}

/** The options of a collector's file, checked as `serve --config` checks them. */
async function configurationIn(file: string): Promise<CollectorConfiguration> {
  const program = new Command();
  (await import('./serve.ts')).addServe(program);
  const serve = program.commands[0] as Command;
  serve.setOptionValue('config', file);
  fillSettings(serve, {});
  return serve.opts();
}

/** Prints the statement, or else the papers. */
export async function printPapers(
  document: SchemaDocument,
  spending: Spending,
  linkability: Linkability,
  { statement, lang, config, json }: PaperOptions,
): Promise<void> {
  if (statement) {
    const text = statementOf(document, spending, lang);
    return print(json, { language: lang, statement: text }, () => text);
  }
  const configuration = config === undefined ? undefined : await configurationIn(config);
  const audit = await auditOf(document, spending, linkability);
  const papers = papersOf(document, audit, spending, linkability, configuration);
  print(json, papers, () => inMarkdown(papers));
}

/** Adds the options to `audit`. */
export function addPapers(command: Command): void {
  const languages = Object.keys(LANGUAGES) as Language[];
  command
    .option('--statement', 'print the privacy statement alone, in words for everybody')
    .option('--lang <language>', `its language: ${languages.join(' or ')}`, choiceOption('--lang', languages), 'en' as const)
    .option('--dpia', 'write a data protection impact assessment to be filled, in Markdown, with what the schema knows')
    .option('--config <file>', 'with --dpia: the file of `serve --config`, for retention, access and recipients');
}
