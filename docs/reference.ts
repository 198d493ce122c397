/**
 * The API reference: HTML from the docstrings, in docs/api. TypeDoc does not run on TypeScript 7 yet, so this folder is a package with a
 * TypeScript of its own, which nothing else uses.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Application, Comment, Converter, type DeclarationReflection, type ProjectReflection, ReflectionKind } from 'typedoc';

interface Manifest {
  readonly name: string;
  readonly exports: { readonly [path: string]: string };
}

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Each entry point of the packages, and the name by which it is imported. */
const entries = ['client', 'collector', 'shared'].flatMap((folder) => {
  const { name, exports } = JSON.parse(readFileSync(path(`../${folder}/package.json`), 'utf8')) as Manifest;
  return Object.entries(exports).map(([subpath, file]) => ({
    file: path(`../${folder}/${file}`),
    imported: name + subpath.slice(1),
  }));
});
const importedAs = new Map(entries.map(({ file, imported }) => [file, imported]));

/** Names a module as it is imported, and keeps the text of its `@module` tag as its description. TypeDoc takes that text for its name. */
function nameModule(project: ProjectReflection, module: DeclarationReflection): void {
  const imported = importedAs.get(project.getSymbolIdFromReflection(module)?.fileName ?? '');
  if (imported === undefined) return;
  module.name = imported;
  const tag = module.comment?.getTag('@module');
  if (tag !== undefined) module.comment = new Comment(tag.content);
}

const application = await Application.bootstrap({
  name: 'Murmuration',
  entryPoints: entries.map(({ file }) => file),
  tsconfig: path('tsconfig.sources.json'),
  readme: 'none',
  excludePrivate: true,
  disableGit: true,
  sourceLinkTemplate: '../../{path}#L{line}',
  basePath: path('..'),
  githubPages: false,
  treatWarningsAsErrors: true,
});
application.converter.on(
  Converter.EVENT_CREATE_DECLARATION,
  (context, reflection) => {
    if (reflection.kindOf(ReflectionKind.Module)) nameModule(context.project, reflection);
  },
  1_000,
);
const project = await application.convert();
if (project === undefined || application.logger.hasErrors() || application.logger.hasWarnings()) process.exit(1);
await application.generateDocs(project, path('api'));
console.log(`The reference is ${path('api/index.html')}.`);
