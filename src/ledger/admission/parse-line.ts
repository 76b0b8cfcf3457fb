/** Returns the object that a line of a journal holds; undefined for an empty or truncated line. */
export function parseLine(line: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
