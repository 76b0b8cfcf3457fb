import { posix } from 'node:path';
import { shownTitle } from '../check/find-header.ts';
import type { Zip } from './open-zip.ts';
import { isTrue, readXml } from './read-xml.ts';
import { refuse } from './refusal.ts';

export type WorkbookParts = {
  /** Path of the sheet in the zip. */
  readonly sheet: string;
  readonly isSheetHidden: boolean;
  /** Days are counted from 1904 and not from 1900. */
  readonly is1904: boolean;
  readonly styles: string | undefined;
  readonly texts: string | undefined;
};

/** Parts that only name others are small. */
const LARGEST_INDEX_BYTES = 33_554_432;

/** Returns the names of the sheets of cells that are not hidden. */
export async function visibleSheets(zip: Zip): Promise<readonly string[]> {
  const { relations, sheets } = await readBook(zip);
  const cells = new Set(relations.flatMap(({ id, type }) => (type === 'worksheet' ? [id] : [])));
  return sheets.filter(({ id, isHidden }) => cells.has(id) && !isHidden).map(({ name }) => name);
}

async function readBook(zip: Zip) {
  if (zip.names.some((name) => /vbaproject\.bin$|\/macrosheets\//.test(name))) refuse('it holds macros');
  const book = (await readRelations(zip, '')).find(({ type }) => type === 'officeDocument')?.path;
  if (book === undefined || !book.endsWith('.xml')) return refuse('it is no workbook of the kind .xlsx');
  return { relations: await readRelations(zip, book), ...(await readSheets(zip, book)) };
}

/** Finds the parts that make up a sheet. */
export async function findParts(zip: Zip, sheetName: string): Promise<WorkbookParts> {
  const { relations, sheets, is1904 } = await readBook(zip);
  const found = sheets.find(({ name }) => name === sheetName) ?? refuseName(sheetName, sheets);
  const relation = relations.find(({ id }) => id === found.id);
  if (relation?.type !== 'worksheet') return refuse(`${shownName(sheetName)} is no sheet of cells`);
  const pathOf = (type: string) => relations.find((one) => one.type === type)?.path;
  return {
    sheet: relation.path,
    isSheetHidden: found.isHidden,
    is1904,
    styles: pathOf('styles'),
    texts: pathOf('sharedStrings'),
  };
}

type Relation = { readonly id: string; readonly type: string; readonly path: string };

/** Reads which parts belong to a part. Their types end in the same words in both forms of the standard. */
async function readRelations(zip: Zip, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const source = zip.unpack(posix.join(folder, '_rels', `${posix.basename(part)}.rels`), LARGEST_INDEX_BYTES);
  const relations: Relation[] = [];
  if (!source) return relations;
  await readXml(source, {
    open: (name, { Id = '', Type = '', Target = '', TargetMode }) => {
      if (name !== 'Relationship' || TargetMode === 'External') return;
      relations.push({ id: Id, type: posix.basename(Type), path: posix.resolve('/', folder, Target).slice(1) });
    },
  });
  return relations;
}

type Sheet = { readonly name: string; readonly id: string; readonly isHidden: boolean };

async function readSheets(zip: Zip, book: string): Promise<{ sheets: readonly Sheet[]; is1904: boolean }> {
  const sheets: Sheet[] = [];
  let is1904 = false;
  const source = zip.unpack(book, LARGEST_INDEX_BYTES) ?? refuse('it has no list of sheets');
  await readXml(source, {
    open: (name, attributes) => {
      if (name === 'workbookPr') is1904 = isTrue(attributes['date1904']);
      if (name !== 'sheet') return;
      const id = Object.keys(attributes).find((key) => key.endsWith(':id')) ?? '';
      const isHidden = (attributes['state'] ?? 'visible') !== 'visible';
      sheets.push({ name: attributes['name'] ?? '', id: attributes[id] ?? '', isHidden });
    },
  });
  return { sheets, is1904 };
}

const MOST_NAMED = 10;

function refuseName(wanted: string, sheets: readonly Sheet[]): never {
  const names = sheets.slice(0, MOST_NAMED).map(({ name }) => shownName(name));
  const more = sheets.length > MOST_NAMED ? ` and ${sheets.length - MOST_NAMED} more` : '';
  return refuse(`it has no sheet ${shownName(wanted)}; it has ${names.join(', ') || 'none'}${more}`);
}

function shownName(name: string): string {
  return `"${shownTitle(name)}"`;
}

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
