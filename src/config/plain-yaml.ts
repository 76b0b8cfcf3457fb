import { CST, isMap, isNode, isScalar, isSeq, Lexer, LineCounter, type Pair, parseDocument, stringify } from 'yaml';

/** A fault of the text itself. `reason` never quotes the text. */
export type YamlFault = { readonly line: number; readonly reason: string };

export type YamlText = {
  readonly value: unknown;
  /** Returns the line, from 1, of a key or item, or of the nearest thing around it that is there. */
  readonly lineOf: (path: readonly (string | number)[]) => number;
};

/**
 * Parses one YAML document without aliases, anchors, tags and directives, in which every key is a text. So a small text
 * cannot unfold into a large one, and `1` and `'1'` cannot be two keys that become one.
 */
export function readPlainYaml(text: string): YamlText | { readonly faults: readonly YamlFault[] } {
  const refused = findRefused(text);
  if (refused.length > 0) return { faults: refused };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (node: unknown) => lines.linePos(startOf(node, 0)).line;
  const faults = [
    ...[...document.errors, ...document.warnings].map(({ code, pos }) => ({
      line: lines.linePos(pos[0]).line,
      reason: `this is not YAML: ${code.toLowerCase().replaceAll('_', ' ')}`,
    })),
    ...pairsOf(document.contents)
      .filter(({ key }) => !isScalar(key) || typeof key.value !== 'string' || key.value === '__proto__')
      .map(({ key }) => ({ line: lineAt(key), reason: 'this key is not a text; put it in quotes, or use another' })),
  ];
  if (faults.length > 0) return { faults: faults.slice(0, MOST_FAULTS) };
  return { value: document.toJS(), lineOf: (path) => lines.linePos(offsetOf(document.contents, path) ?? 0).line };
}

/**
 * Returns the offset of the key or item that a path leads to, or of the nearest thing around it; undefined when nothing
 * of it is there.
 * @param reached offset of what is around the node
 */
export function offsetOf(node: unknown, [step, ...rest]: readonly PropertyKey[], reached?: number): number | undefined {
  if (step === undefined) return reached;
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
    return pair ? offsetOf(pair.value, rest, startOf(pair.key, reached)) : reached;
  }
  const item = isSeq(node) ? node.items[Number(step)] : undefined;
  return item === undefined ? reached : offsetOf(item, rest, startOf(item, reached));
}

function startOf<Otherwise>(node: unknown, otherwise: Otherwise): number | Otherwise {
  return isNode(node) ? (node.range?.[0] ?? otherwise) : otherwise;
}

/** What a plain text does without. The parser also needs minutes for nested keys behind question marks. */
const REFUSED: Partial<Record<string, string>> = {
  alias: 'aliases are not taken; put a text that begins with * in quotes',
  anchor: 'anchors are not taken; put a text that begins with & in quotes',
  tag: 'tags are not taken; put a text that begins with ! in quotes',
  'explicit-key-ind': 'keys behind a question mark are not taken; write the key and a colon',
  'directive-line': 'directives are not taken; leave out the line that begins with %',
};

const MOST_FAULTS = 20;

/** Far deeper than any profile. The parser ends the whole process for thousands of levels. */
const DEEPEST = 30;

/** Looks at the tokens before anything is built from them. The token behind a mark is the content of a text. */
function findRefused(text: string): YamlFault[] {
  const faults: YamlFault[] = [];
  let line = 1;
  let before = '';
  let [flows, items] = [0, 0];
  for (const token of new Lexer().lex(text)) {
    const type = before === CST.SCALAR ? undefined : CST.tokenType(token);
    const reason = REFUSED[type ?? ''];
    if (reason !== undefined) faults.push({ line, reason });
    if (faults.length === MOST_FAULTS) break;
    if (type === 'newline') items = 0;
    if (type === 'seq-item-ind') items += 1;
    flows += type ? (FLOW_STEPS[type] ?? 0) : 0;
    if (Math.max(flows, items) > DEEPEST) return [...faults, { line, reason: 'it is nested too deeply' }];
    line += token.split('\n').length - 1;
    before = token;
  }
  return faults;
}

const FLOW_STEPS: Partial<Record<CST.TokenType, number>> = {
  'flow-map-start': 1,
  'flow-seq-start': 1,
  'flow-map-end': -1,
  'flow-seq-end': -1,
};

function pairsOf(node: unknown): Pair[] {
  if (isSeq(node)) return node.items.flatMap(pairsOf);
  return isMap(node) ? node.items.flatMap((pair) => [pair, ...pairsOf(pair.value)]) : [];
}

/** Writes a value as YAML. Each text stays on one line, however long it is. */
export function writeYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
