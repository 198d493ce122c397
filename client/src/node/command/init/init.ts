/** `init`: writes what an app needs to ask its first question, and never over a file that is there. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { planFor } from './files.ts';
import { appName, FRAMEWORKS, type Framework, projectIn } from './project.ts';

/** The answers that the command line gives. */
export interface InitOptions {
  readonly app?: string | undefined;
  readonly framework?: string | undefined;
  readonly endpoint?: string | undefined;
  /** Takes the proposed answers of all others. */
  readonly yes?: boolean | undefined;
}

const ENDPOINT = 'http://127.0.0.1:8080';
const SCRIPT = 'collector';

/** The readable script of this package, from the sources or what is built of them. */
function scriptText(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return readFileSync(join(folder, 'dist/browser/murmuration.js'), 'utf8');
}

/** Adds an npm script to a manifest, in its own indentation; undefined if there is one of that name. */
function withScript(manifest: string, command: string): string | undefined {
  const read = JSON.parse(manifest) as { readonly scripts?: { readonly [name: string]: string } };
  if (read.scripts && Object.hasOwn(read.scripts, SCRIPT)) return undefined;
  const indent = /^([ \t]+)"/m.exec(manifest)?.[1] ?? '  ';
  return `${JSON.stringify({ ...read, scripts: { ...read.scripts, [SCRIPT]: command } }, null, indent)}\n`;
}

const isFramework = (name: string): name is Framework => (FRAMEWORKS as readonly string[]).includes(name);

/**
 * Writes the files into a folder.
 *
 * @param tell receives a line for each file, and what to do next
 * @throws {Error} if an answer is not one of those that are possible
 */
export async function init(folder: string, { yes, ...given }: InitOptions, tell: (line: string) => void): Promise<void> {
  const project = projectIn(folder);
  const terminal = yes || !process.stdin.isTTY ? undefined : createInterface({ input: process.stdin, output: process.stdout });
  const answer = async (question: string, known: string | undefined, proposed: string): Promise<string> =>
    known ?? ((await terminal?.question(`${question} (${proposed}) `)) || proposed);
  const app = await answer('The name of the app', given.app, project.app);
  const framework = await answer(`The framework: ${FRAMEWORKS.join(', ')}`, given.framework, project.framework);
  const endpoint = await answer("The collector's address", given.endpoint, ENDPOINT);
  terminal?.close();
  if (!isFramework(framework)) throw new Error(`init: expected a framework, one of ${FRAMEWORKS.join(', ')}, got ${framework}`);
  if (app !== appName(app)) throw new Error(`init: expected an app such as ${appName(app)}, got ${app}`);
  if (!/^(?:https?:\/\/|\/)[^\s'"\\]+$/.test(endpoint)) throw new Error(`init: expected an endpoint such as ${ENDPOINT}, got ${endpoint}`);

  const { files, schema, use } = planFor({ ...project, app, framework, endpoint }, scriptText);
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    if (existsSync(file)) {
      tell(`kept   ${path}, which was there`);
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
    tell(`wrote  ${path}`);
  }
  const serve = `murmuration serve --schema ${schema} --minimum 1 --open`;
  const manifest = project.manifest && withScript(project.manifest, serve);
  if (manifest) {
    writeFileSync(join(folder, 'package.json'), manifest);
    tell(`added  the script "${SCRIPT}" to package.json`);
  }
  tell('');
  const missing = (...names: readonly string[]): readonly string[] => names.filter((name) => !project.has(name));
  const isOld = Number.parseInt(process.versions.node, 10) < 24;
  const client = missing('@murmuration/client');
  const tools = [...missing('@murmuration/collector'), ...(isOld && project.manifest ? missing('node') : [])];
  if (client.length > 0) tell(`next   npm install ${client.join(' ')}`);
  if (tools.length > 0) tell(`next   npm install -D ${tools.map((name) => (name === 'node' ? 'node@24' : name)).join(' ')}`);
  tell(
    `next   ${project.manifest ? `npm run ${SCRIPT}` : `npx @murmuration/collector ${serve.slice('murmuration '.length)}`}   (Node 24; add .data to .gitignore)`,
  );
  tell(`then   ${use}`);
}
