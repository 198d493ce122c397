/** Finds the schemas of a module: its calls of `defineSchema`, each with the declarations that it needs, so that it can be evaluated alone. */

import { type Node, parse } from 'acorn';

/** A call of `defineSchema`. */
export interface Found {
  /** The place of the call in the module. */
  readonly start: number;
  readonly end: number;
  /** A module that exports the schema as its default; undefined if the schema depends on where it runs. */
  readonly module: string | undefined;
}

/** A node of any kind, as it is walked here. */
type Any = Node & { readonly [member: string]: unknown };

const PACKAGES = ['@murmuration/client', '@murmuration/shared'];

/** Names that mean something else on the machine that builds the app. */
const PLACES = new Set(['document', 'globalThis', 'localStorage', 'location', 'navigator', 'process', 'self', 'window']);

const isNode = (value: unknown): value is Any => typeof (value as Partial<Any> | null)?.type === 'string';

/** The nodes below a node, except names that are no references: keys of objects and members. */
function below(node: Any): readonly Any[] {
  const isNamed = (key: string): boolean =>
    node['computed'] !== true &&
    ((key === 'key' && node.type !== 'PropertyDefinition') || (key === 'property' && node.type === 'MemberExpression'));
  return Object.entries(node).flatMap(([key, value]) => (isNamed(key) ? [] : [value].flat().filter(isNode)));
}

/** A node and all below it. */
const walk = (node: Any): readonly Any[] => [node, ...below(node).flatMap(walk)];

const namesIn = (node: Any): readonly string[] =>
  walk(node).flatMap((each) => (each.type === 'Identifier' ? [each['name'] as string] : []));

/** A statement of a module's top level that declares something. */
interface Declaration {
  readonly text: string;
  readonly declares: readonly string[];
  readonly mentions: readonly string[];
}

/** The imports of a module, one name each. */
function imports(code: string, statement: Any): readonly Declaration[] {
  const from = statement['source'] as Any;
  return (statement['specifiers'] as readonly Any[]).map((specifier) => {
    const local = (specifier['local'] as Any)['name'] as string;
    const source = code.slice(from.start, from.end);
    const [start, end] = [specifier.start, specifier.end];
    const text = specifier.type === 'ImportSpecifier' ? `{ ${code.slice(start, end)} }` : code.slice(start, end);
    return { text: `import ${text} from ${source};`, declares: [local], mentions: [] };
  });
}

function declarations(code: string, statement: Any): readonly Declaration[] {
  if (statement.type === 'ImportDeclaration') return imports(code, statement);
  const declared = statement.type === 'ExportNamedDeclaration' ? (statement['declaration'] as Any | null) : statement;
  if (!declared || !/^(?:Variable|Function|Class)Declaration$/.test(declared.type)) return [];
  const parts = declared.type === 'VariableDeclaration' ? (declared['declarations'] as readonly Any[]) : [declared];
  const declares = parts.flatMap(({ id }) => namesIn(id as Any));
  return [{ text: code.slice(declared.start, declared.end), declares, mentions: namesIn(declared) }];
}

/** The declarations that an expression needs, in their order. */
function needed(all: readonly Declaration[], expression: Any): readonly Declaration[] {
  const names = new Set(namesIn(expression));
  const kept = new Set<Declaration>();
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

/**
 * Finds the schemas of a JavaScript module.
 *
 * @throws {SyntaxError} if it is not JavaScript
 */
export function findSchemas(code: string): readonly Found[] {
  const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module' }) as unknown as Any;
  const body = program['body'] as readonly Any[];
  const all = body.flatMap((statement) => declarations(code, statement));
  const makers = new Set(
    body.flatMap((statement) => {
      if (statement.type !== 'ImportDeclaration' || !PACKAGES.includes((statement['source'] as Any)['value'] as string)) return [];
      const specifiers = statement['specifiers'] as readonly Any[];
      return specifiers
        .filter(({ imported }) => (imported as Any | undefined)?.['name'] === 'defineSchema')
        .map(({ local }) => (local as Any)['name'] as string);
    }),
  );
  return walk(program).flatMap((node): readonly Found[] => {
    const callee = node['callee'] as Any | undefined;
    if (node.type !== 'CallExpression' || callee?.type !== 'Identifier' || !makers.has(callee['name'] as string)) return [];
    const { start, end } = node;
    const kept = needed(all, node);
    const names = [...namesIn(node), ...kept.flatMap(({ mentions }) => mentions)];
    const own = new Set(kept.flatMap(({ declares }) => declares));
    const text = code.slice(start, end);
    const isStatic =
      !names.some((name) => PLACES.has(name) && !own.has(name)) &&
      ![text, ...kept.map((each) => each.text)].some((each) => each.includes('import.meta'));
    const module = [...kept.map((each) => each.text), `export default ${text};`].join('\n');
    return [{ start, end, module: isStatic ? module : undefined }];
  });
}
