import { parseAst } from 'rolldown/parseAst';
import { type SourceFile, targetOf } from '../../test/support/source-tree.ts';

/** What `npm run house` knows of a file: its names and where it uses them, read from its syntax without types. */
export type Outline = SourceFile & {
  /** Each top-level name with the identifiers of its declaration. */
  readonly declared: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names that other files may import, each with its name in this file. */
  readonly exported: ReadonlyMap<string, string>;
  readonly imports: readonly Import[];
  readonly identifiers: ReadonlySet<string>;
  readonly functions: readonly FunctionSize[];
  readonly titles: readonly Title[];
};

/**
 * A name taken from another file of ours, `*` for all of them.
 * @property local its name here; empty when the file only passes it on
 * @property passedAs the name under which the file passes it on; empty when it does not
 */
export type Import = {
  readonly from: string;
  readonly name: string;
  readonly local: string;
  readonly passedAs: string;
};

export type FunctionSize = { readonly name: string; readonly line: number; readonly lines: number };

/** The title of a `describe` or `it`. `uses` holds the identifiers of a describe at the top level. */
export type Title = { readonly text: string; readonly uses?: ReadonlySet<string> };

type Node = { readonly type: string; readonly start: number; readonly end: number; readonly [key: string]: unknown };

const FUNCTIONS: readonly string[] = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];
const TITLED: readonly string[] = ['describe', 'it', 'test'];

export function outlineOf(file: SourceFile): Outline {
  const program = parseAst(file.text, { lang: file.path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node;
  const nodes = nodesUnder(program);
  const named = nodes.filter(({ type }) => /^(?:JSX)?Identifier$/.test(type));
  const identifiersIn = ({ start, end }: Node) =>
    new Set(named.filter((node) => node.start >= start && node.end <= end).map(textOf));
  const statements = childrenOf(program);
  const declared = new Map<string, ReadonlySet<string>>();
  const exported = new Map<string, string>();
  for (const statement of statements) {
    const declaration = isNode(statement['declaration']) ? statement['declaration'] : statement;
    for (const [name, node] of declarationsOf(declaration, identifiersIn)) {
      // A function with several signatures is declared several times.
      declared.set(name, new Set([...(declared.get(name) ?? []), ...identifiersIn(node)]));
      if (statement.type.startsWith('Export'))
        exported.set(statement.type === 'ExportDefaultDeclaration' ? 'default' : name, name);
    }
    if (!isNode(statement['source']))
      for (const each of nodesIn(statement['specifiers']))
        exported.set(textOf(each['exported']), textOf(each['local']));
  }
  return {
    ...file,
    declared,
    exported,
    imports: [...statements, ...nodes.filter(({ type }) => type === 'ImportExpression')].flatMap((node) =>
      importsIn(file, node),
    ),
    identifiers: identifiersIn(program),
    functions: sizesOf(nodes, file.text),
    titles: titlesIn(nodes, statements, identifiersIn),
  };
}

function importsIn(file: SourceFile, node: Node): Import[] {
  const from = targetOf(file, textOf(node['source']));
  if (from === undefined) return [];
  const specifiers = nodesIn(node['specifiers']);
  switch (node.type) {
    case 'ImportExpression':
      return [{ from, name: '*', local: '', passedAs: '' }];
    case 'ExportAllDeclaration':
      return [{ from, name: '*', local: '', passedAs: '*' }];
    case 'ExportNamedDeclaration':
      return specifiers.map((each) => ({
        from,
        name: textOf(each['local']),
        local: '',
        passedAs: textOf(each['exported']),
      }));
    default:
      return specifiers.map((each) => ({
        from,
        name: textOf(each['imported']) || (each.type === 'ImportDefaultSpecifier' ? 'default' : '*'),
        local: textOf(each['local']),
        passedAs: '',
      }));
  }
}

function declarationsOf(node: Node, identifiersIn: (node: Node) => Set<string>): [name: string, node: Node][] {
  const declarators = node.type === 'VariableDeclaration' ? nodesIn(node['declarations']) : [node];
  return declarators.flatMap((each) => {
    if (!isNode(each['id'])) return [];
    const { id } = each;
    const names = id.type === 'Identifier' ? [textOf(id)] : [...identifiersIn(id)];
    return names.map((name): [string, Node] => [name, each]);
  });
}

function sizesOf(nodes: readonly Node[], text: string): FunctionSize[] {
  const starts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  const lineOf = (at: number) => starts.findLastIndex((start) => start <= at) + 1;
  const names = new Map<unknown, string>();
  for (const node of nodes) names.set(node['value'] ?? node['init'], textOf(node['key'] ?? node['id']));
  return nodes
    .filter((node) => FUNCTIONS.includes(node.type) && isNode(node['body']))
    .map((node) => ({
      name: textOf(node['id']) || names.get(node) || 'a function without a name',
      line: lineOf(node.start),
      lines: lineOf(node.end) - lineOf(node.start) + 1,
    }));
}

function titlesIn(
  nodes: readonly Node[],
  statements: readonly Node[],
  identifiersIn: (node: Node) => Set<string>,
): Title[] {
  const top = new Set(statements.map((statement) => statement['expression']));
  return nodes
    .filter((node) => node.type === 'CallExpression' && TITLED.includes(calledBy(node)))
    .map((node) => ({
      text: titleOf(nodesIn(node['arguments'])[0]),
      ...(top.has(node) && calledBy(node) === 'describe' && { uses: identifiersIn(node) }),
    }))
    .filter(({ text }) => text !== '');
}

/** Returns `describe` for `describe('…')`, `describe.each(ROWS)('…')` and the like. */
function calledBy(node: Node): string {
  const inner = node['callee'] ?? node['object'] ?? node['tag'];
  return isNode(inner) ? calledBy(inner) : textOf(node);
}

function titleOf(node: Node | undefined): string {
  if (node?.type === 'Literal') return textOf(node);
  const texts = nodesIn(node?.['quasis']).map(({ value }) => (value as { cooked: string }).cooked);
  return texts.join(' ');
}

/** Returns the name of an identifier or the text of a literal, and nothing for any other node. */
function textOf(node: unknown): string {
  if (!isNode(node)) return '';
  const text = node['name'] ?? node['value'];
  return typeof text === 'string' ? text : '';
}

function nodesUnder(root: Node): Node[] {
  const nodes = [root];
  // The list grows while it is read.
  for (const node of nodes) nodes.push(...childrenOf(node));
  return nodes;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap(nodesIn);
}

function nodesIn(value: unknown): Node[] {
  if (Array.isArray(value)) return value.filter(isNode);
  return isNode(value) ? [value] : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
