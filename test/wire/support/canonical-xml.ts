import { readXml, type XmlElement } from '../../../src/sandbox/xml/read-xml.ts';

export type CanonicalElement = {
  /** `{namespace}local` */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: string | readonly CanonicalElement[];
};

/**
 * Returns a document without what means nothing in XML: prefixes, the spelling of empty elements and references, and
 * white space between elements. Names, namespaces, order, attributes and every character of a value stay. White space
 * is dropped only beside child elements; in an element without children it is a value.
 * It uses the sandbox's reader, so that other code reads what node-soap writes for the client.
 */
export function canonicalXml(document: string): CanonicalElement {
  const root = readXml(document);
  if ('fault' in root) throw new Error(root.fault);
  return canonical(root, new Map());
}

function canonical(element: XmlElement, outer: ReadonlyMap<string, string>): CanonicalElement {
  const namespaces = new Map(outer);
  const attributes: Record<string, string> = {};
  for (const [name, value] of element.attributes) {
    if (name === 'xmlns') namespaces.set('', value);
    else if (name.startsWith('xmlns:')) namespaces.set(name.slice('xmlns:'.length), value);
    else attributes[name] = value;
  }
  if (element.children.length > 0 && element.text.trim() !== '')
    throw new Error(`${element.name} mixes text and elements`);
  return {
    name: `{${namespaces.get(element.prefix) ?? ''}}${element.name}`,
    attributes,
    content:
      element.children.length === 0 ? element.text : element.children.map((child) => canonical(child, namespaces)),
  };
}
