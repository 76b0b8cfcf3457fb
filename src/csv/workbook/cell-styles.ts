import type { Zip } from './open-zip.ts';
import { readXml } from './read-xml.ts';
import { refuse } from './refusal.ts';
import { LARGEST_INDEX_BYTES } from './workbook-parts.ts';

/** What the style of a cell makes of its number. `padded` shows zeros in front that the number does not have. */
export type StyleKind = 'plain' | 'padded' | 'date';

/** Styles that every workbook has without naming them: dates and times, also those of East Asian languages. */
const DATE_STYLES: readonly (readonly [first: number, last: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];

const MOST_STYLES = 100_000;

/** Reads what each style is, in the order in which cells name them. */
export async function readStyles(zip: Zip, path: string | undefined): Promise<readonly StyleKind[]> {
  const source = path === undefined ? undefined : zip.unpack(path, LARGEST_INDEX_BYTES);
  const formats = new Map<string, StyleKind>();
  const styles: StyleKind[] = [];
  let list = '';
  const open = (name: string, { numFmtId = '', formatCode = '' }: Readonly<Record<string, string>>) => {
    if (name === 'numFmts' || name === 'cellXfs' || name === 'dxfs') list = name;
    else if (name === 'numFmt' && list === 'numFmts') formats.set(numFmtId, kindOfFormat(formatCode));
    else if (name === 'xf' && list === 'cellXfs') styles.push(formats.get(numFmtId) ?? kindOfNumber(Number(numFmtId)));
    if (styles.length > MOST_STYLES) refuse(`it has more than ${MOST_STYLES} styles`);
  };
  const close = (name: string) => {
    if (name === list) list = '';
  };
  if (source) await readXml(source, { open, close });
  return styles;
}

function kindOfNumber(id: number): StyleKind {
  return DATE_STYLES.some(([first, last]) => id >= first && id <= last) ? 'date' : 'plain';
}

/** Tells the kind of a format such as `[$-409]d-mmm-yy;@`. Quoted text, widths, colors and languages do not count. */
function kindOfFormat(format: string): StyleKind {
  const signs = format.replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|general|E[+-]/gi, '');
  if (/[ymdhsbeg]/i.test(signs)) return 'date';
  return signs.startsWith('00') ? 'padded' : 'plain';
}
