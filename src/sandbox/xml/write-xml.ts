/**
 * An element around text. Empty ones are written as .NET writes them, with a space before the slash: the recorded
 * lengths of answers count it.
 */
export function textElement(name: string, text: string): string {
  return element(name, escapeText(text));
}

/** An element around XML that is written already. */
export function element(name: string, ...inner: readonly string[]): string {
  const content = inner.join('');
  return content === '' ? `<${name} />` : `<${name}>${content}</${name}>`;
}

/** Text so that it reads back as it was; a carriage return would otherwise come back as a line feed. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#xD;');
}
