import type { XmlHandlers } from './read-xml.ts';

/**
 * Collects the text of a cell. It may be cut into runs of different fonts, and may have a reading aid for Japanese, which
 * is no part of it.
 */
export function cellText(longest: number) {
  let parts = '';
  let isText = false;
  let isAid = false;

  const open: XmlHandlers['open'] = (name) => {
    if (name === 't') isText = true;
    else if (name === 'rPh') isAid = true;
  };
  const close = (name: string) => {
    if (name === 't') isText = false;
    else if (name === 'rPh') isAid = false;
  };
  /** A text that is too long keeps one character too many. */
  const text = (piece: string) => {
    if (isText && !isAid && parts.length <= longest) parts = (parts + piece).slice(0, longest + 1);
  };
  /** Returns the text, and starts the next one. */
  const take = (): string => {
    const taken = plainText(parts);
    parts = '';
    return taken;
  };

  return { open, close, text, take };
}

/** Reads `_x000D_`, the way in which Excel writes control characters, and makes one blank of each line end or tab. */
export function plainText(text: string): string {
  const read = text.includes('_x')
    ? text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
  return /[\t\n\r]/.test(read) ? read.replace(/\r\n|[\t\n\r]/g, ' ') : read;
}
