/**
 * Returns an element around text. Empty elements have a space before the slash, as in .NET: the recorded lengths of
 * answers count it.
 */
export function textElement(name: string, text: string): string {
  return element(name, escapeText(text));
}

/** Returns an element around finished XML. */
export function element(name: string, ...inner: readonly string[]): string {
  const content = inner.join('');
  return content === '' ? `<${name} />` : `<${name}>${content}</${name}>`;
}

/** Escapes text so that it reads back unchanged; a carriage return would otherwise become a line feed. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#xD;');
}
