/**
 * Finds what the plugin replaces in a module: its calls of `defineSchema`, each with the declarations that it needs, so that it can be evaluated
 * alone, and its calls of `createTelemetry` whose options are written in them.
 */

import { type Node, parse } from 'acorn';
import { PLACES } from './evaluate.ts';

/** A call of `defineSchema`. */
export interface Found {
  /** The place of the call in the module. */
  readonly start: number;
  readonly end: number;
  /** A module that exports the schema as its default; undefined if the schema depends on where it runs. */
  readonly module: string | undefined;
}

/** A call of `createTelemetry` whose options have known names. */
export interface Start {
  /** The place of what is called in the module. */
  readonly start: number;
  readonly end: number;
  /** The end of the call's argument. */
  readonly argumentEnd: number;
  readonly options: readonly string[];
}

/** A node of any kind, as it is walked here. */
type Any = Node & { readonly [member: string]: unknown };

/** A JavaScript module. */
type Program = Any & { readonly body: readonly Any[] };

const PACKAGES = ['@murmuration/client', '@murmuration/shared'];

/** Nodes with names of their own, under which a name of the module may mean something else. They may also run later, often or never. */
const SCOPES = /Function|^(?:Class|Block|For|Switch|Catch)/;

/** Expressions that may change what a name means. */
const ACTS = /^(?:Assignment|Await|Call|New|TaggedTemplate|Update)Expression$/;

const isNode = (value: unknown): value is Any => typeof (value as Partial<Any> | null)?.type === 'string';

/** The nodes below a node, except names that are no references: keys of objects and members. */
function below(node: Any): readonly Any[] {
  const isNamed = (key: string): boolean =>
    node['computed'] !== true &&
    ((key === 'key' && node.type !== 'PropertyDefinition') || (key === 'property' && node.type === 'MemberExpression'));
  return Object.entries(node).flatMap(([key, value]) => (isNamed(key) ? [] : [value].flat().filter(isNode)));
}

/** A node and all below it, but not what is below nodes of these types. */
const walk = (node: Any, except = /^$/): readonly Any[] => [
  node,
  ...(except.test(node.type) ? [] : below(node).flatMap((each) => walk(each, except))),
];

const namesIn = (node: Any): readonly string[] =>
  walk(node).flatMap((each) => (each.type === 'Identifier' ? [each['name'] as string] : []));

/** A statement of a module's top level, or one of the names that it imports or the variables that it declares. */
interface Statement {
  readonly text: string;
  readonly end: number;
  readonly declares: readonly string[];
  readonly mentions: readonly string[];
  /** True if it may change the values of what it mentions. */
  readonly acts: boolean;
  /** True for a name of this project's packages. */
  readonly isOurs?: boolean;
}

const isPackage = (source: Any): boolean => PACKAGES.some((name) => `${source['value']}/`.startsWith(`${name}/`));

/** The imports of a module, one name each. */
const imports = (code: string, statement: Any): readonly Statement[] =>
  (statement['specifiers'] as readonly Any[]).map(({ type, start, end, ...specifier }) => {
    const from = statement['source'] as Any;
    const name = code.slice(start, end);
    return {
      text: `import ${type === 'ImportSpecifier' ? `{ ${name} }` : name} from ${code.slice(from.start, from.end)};`,
      end: statement.end,
      declares: [(specifier['local'] as Any)['name'] as string],
      mentions: [],
      acts: false,
      isOurs: isPackage(from),
    };
  });

/** @param ours names of this project's packages, whose functions change nothing */
function statements(code: string, statement: Any, ours: ReadonlySet<string>): readonly Statement[] {
  if (statement.type === 'ImportDeclaration') return [];
  const declared = statement.type === 'ExportNamedDeclaration' ? (statement['declaration'] as Any | null) : statement;
  if (!declared) return [];
  const isAct = (node: Any): boolean =>
    node['operator'] === 'delete' || (ACTS.test(node.type) && !ours.has(namesIn((node['callee'] as Any | undefined) ?? node)[0] ?? ''));
  const kind = declared['kind'] as string | undefined;
  const parts = declared.type === 'VariableDeclaration' ? (declared['declarations'] as readonly Any[]) : [declared];
  const isNamed = /^(?:Variable|Function|Class)Declaration$/.test(declared.type);
  return parts.map((part) => ({
    text: `${kind ? `${kind} ` : ''}${code.slice(part.start, part.end)};`,
    end: part.end,
    declares: isNamed ? namesIn(part['id'] as Any) : [],
    mentions: namesIn(part),
    acts: walk(part, /Function/).some(isAct),
  }));
}

/** The declarations that names need, in their order. */
function needed(all: readonly Statement[], mentioned: readonly string[]): readonly Statement[] {
  const names = new Set(mentioned);
  const kept = new Set<Statement>();
  for (let size = -1; size !== kept.size; ) {
    size = kept.size;
    for (const each of all) {
      if (kept.has(each) || !each.declares.some((name) => names.has(name))) continue;
      kept.add(each);
      for (const name of each.mentions) names.add(name);
    }
  }
  return all.filter((each) => kept.has(each));
}

/** A JavaScript module, as it is read here. @throws {SyntaxError} if it is none */
export const programOf = (code: string): Program => parse(code, { ecmaVersion: 'latest', sourceType: 'module' }) as unknown as Program;

const nameOf = (node: unknown): unknown => (node as Any | undefined)?.['name'] ?? (node as Any | undefined)?.['value'];

/** The calls of a function of ours, under whatever name it was imported. */
function callsOf({ body, ...program }: Program, called: string): readonly Any[] {
  const made = body
    .filter(({ type, ...statement }) => type === 'ImportDeclaration' && isPackage(statement['source'] as Any))
    .flatMap((statement) => statement['specifiers'] as readonly Any[]);
  const localOf = (specifier: Any): unknown => nameOf(specifier['local']);
  const makers = new Set(made.filter(({ imported }) => nameOf(imported) === called).map(localOf));
  const spaces = new Set(made.filter(({ type }) => type === 'ImportNamespaceSpecifier').map(localOf));
  return walk({ body, ...program }).filter((node) => {
    if (node.type !== 'CallExpression') return false;
    const { name, object, property } = node['callee'] as Any;
    return makers.has(name) || (spaces.has(nameOf(object)) && nameOf(property) === called);
  });
}

/** Finds the calls of `createTelemetry` of a JavaScript module whose only argument is an object with names that are written there. */
export function findStarts(program: Program): readonly Start[] {
  const own = program.body.filter(({ type }) => type !== 'ImportDeclaration');
  const mentions = own.flatMap(namesIn);
  const used = own.flatMap((statement) => walk(statement)).flatMap((node) => [nameOf(node['callee']), nameOf(node['object'])]);
  const timesIn = (names: readonly unknown[], name: unknown): number => names.filter((each) => each === name).length;
  return callsOf(program, 'createTelemetry').flatMap((call) => {
    const [callee, [options, ...others]] = [call['callee'] as Any, call['arguments'] as readonly (Any | undefined)[]];
    const name = nameOf(callee) ?? nameOf(callee['object']);
    // A name that is mentioned in another way may be another's where it is called.
    if (timesIn(mentions, name) !== timesIn(used, name) || options?.type !== 'ObjectExpression' || others.length > 0) return [];
    const members = options['properties'] as readonly Any[];
    const names = members.map(({ type, computed, key }) => (type === 'Property' && computed === false ? nameOf(key) : undefined));
    if (!names.every((each) => typeof each === 'string' && each !== '__proto__')) return [];
    return { start: callee.start, end: callee.end, argumentEnd: options.end, options: names as readonly string[] };
  });
}

/** Finds the schemas of a JavaScript module. */
export function findSchemas(code: string, program: Program): readonly Found[] {
  const { body } = program;
  const imported = body.filter(({ type }) => type === 'ImportDeclaration').flatMap((statement) => imports(code, statement));
  const ours = new Set(imported.flatMap(({ isOurs, declares }) => (isOurs ? declares : [])));
  const all = [...imported, ...body.flatMap((statement) => statements(code, statement, ours))];
  const atOnce = new Set(walk(program, SCOPES));
  return callsOf(program, 'defineSchema').map((node) => {
    const { start, end } = node;
    const kept = needed(all, namesIn(node));
    const names = [...namesIn(node), ...kept.flatMap(({ mentions }) => mentions)];
    const own = new Set(kept.flatMap(({ declares }) => declares));
    const texts = [...kept.map((each) => each.text), `export default ${code.slice(start, end)};`];
    /** True if what runs before may change a value that the schema is made of. */
    const isChanged = all.some(
      (each) =>
        each.acts &&
        each.end <= start &&
        !kept.includes(each) &&
        needed(all, each.mentions).some((other) => !other.isOurs && kept.includes(other)),
    );
    const isStatic =
      atOnce.has(node) &&
      !isChanged &&
      !names.some((name) => PLACES.has(name) && !own.has(name)) &&
      !texts.some((each) => each.includes('import.meta'));
    return { start, end, module: isStatic ? texts.join('\n') : undefined };
  });
}
