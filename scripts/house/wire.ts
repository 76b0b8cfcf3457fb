/** What a client of PostgreSQL sends: how it names itself, each statement, and each message that asks for an answer. */
export type WireListener = {
  /** The client's settings, such as `application_name` and `database`. */
  started(settings: ReadonlyMap<string, string>): void;
  executed(statement: string): void;
  /** A message ends with Sync or Flush, or is a query without values. The server then answers. */
  asked(): void;
};

const HEAD = 5;

/**
 * Reads the bytes that a client sends, in any pieces (PostgreSQL's frontend protocol 3.0, without encryption).
 * @returns takes the next piece
 */
export function wireReader(listener: WireListener): (piece: Uint8Array) => void {
  let left: Buffer = Buffer.alloc(0);
  let hasStarted = false;
  const texts = new Map<string, string>();
  let bound = '';
  const take = (kind: string, body: Buffer) => {
    const strings = body.toString('utf8').split('\0');
    const [first = '', second = ''] = strings;
    if (kind === 'P') texts.set(first, second);
    if (kind === 'B') bound = texts.get(second) ?? '';
    if (kind === 'E') listener.executed(bound);
    if (kind === 'Q') for (const statement of splitStatements(first)) listener.executed(statement);
    if (kind === 'Q' || kind === 'S' || kind === 'H') listener.asked();
  };
  return (piece) => {
    left = Buffer.concat([left, piece]);
    while (left.length >= HEAD) {
      // Only the first message has no letter for its kind.
      const from = hasStarted ? 1 : 0;
      const end = from + left.readUInt32BE(from);
      if (left.length < end) return;
      const body = left.subarray(from + 4, end);
      if (hasStarted) take(String.fromCharCode(left[0]!), body);
      else listener.started(readSettings(body));
      hasStarted = true;
      left = left.subarray(end);
    }
  };
}

/** @param body four bytes of the protocol's version, then names and values in turn */
function readSettings(body: Buffer): Map<string, string> {
  const parts = body.subarray(4).toString('utf8').split('\0');
  return new Map(
    parts.flatMap((name, index) => (index % 2 === 0 && name !== '' ? [[name, parts[index + 1] ?? '']] : [])),
  );
}

/** Splits a text at the semicolons between its statements. Semicolons in texts, comments and functions are none. */
export function splitStatements(text: string): string[] {
  const statements = [''];
  for (const [part] of text.matchAll(/'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|--.*|\/\*[\s\S]*?\*\/|[^;]|;/g))
    if (part === ';') statements.push('');
    else statements[statements.length - 1] += part;
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}

/** Returns the statement without its values, so that two uses of it are equal. */
export function shapeOf(statement: string): string {
  return statement
    .replace(/'(?:[^']|'')*'/g, '?')
    .replace(/\b\d+\b/g, '?')
    .replace(/\bNULL\b/g, '?')
    .replace(/\s+/g, ' ');
}
