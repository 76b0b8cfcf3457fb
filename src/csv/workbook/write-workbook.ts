import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { PipelineError } from '../../kernel/errors.ts';
import { columnName, LAST_ROW } from './cell-address.ts';
import { dayOf } from './cell-value.ts';

/** A cell to write: text, a decimal such as 25.00, or a day by its number. None can be a formula. */
export type WorkbookCell = string | { readonly decimal: string } | { readonly day: number } | ExtraCell;

/** A cell that only a workbook with `EXTRA_STYLES` may have: a whole number, or a moment as a day and its fraction. */
type ExtraCell = { readonly whole: number } | { readonly moment: number };

/** The order of the sheet's styles: text, a number with two decimals, and a date as the reader's country writes it. */
const STYLES = [49, 2, 14];

/** Styles of whole numbers and of moments. Outputs go without them, because they are written again byte for byte. */
export const EXTRA_STYLES = [1, 22];

/** Excel shows a date that does not fit into its column as a row of signs. */
const COLUMN_WIDTH = 14;

const DAY_MS = 86_400_000;
const FIRST_DAY_MS = Date.UTC(1899, 11, 30);

/** Returns the cell of a moment as a clock shows it. @param shown `2026-06-15 05:00:00`, with anything after it */
export function momentCell(shown: string): WorkbookCell {
  return { moment: (Date.parse(`${shown.slice(0, 10)}T${shown.slice(11, 19)}Z`) - FIRST_DAY_MS) / DAY_MS };
}

export type WorkbookType = 'text' | 'number' | 'date';

/** Returns a cell of a type. What is no plain amount or date stays a text. */
export function typedCell(text: string, type: WorkbookType): WorkbookCell {
  if (type === 'number' && /^-?\d{1,13}(?:\.\d{1,2})?$/.test(text)) return { decimal: text };
  const day = type === 'date' ? dayOf(text.trim()) : undefined;
  return day === undefined ? text : { day };
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types';
const SHEET_PART = 'xl/worksheets/sheet1.xml';

/**
 * Writes a workbook of one sheet, row by row. Equal rows make equal bytes with the same Node.js, whose zlib packs them.
 * @param name of the sheet, at most 31 characters
 * @param extraStyles `EXTRA_STYLES` where its cells need them
 * @throws PipelineError INTERNAL for more rows than a sheet has
 */
export function writeWorkbook(
  name: string,
  rows: AsyncIterable<readonly WorkbookCell[]>,
  extraStyles: readonly number[] = [],
): AsyncIterable<Uint8Array> {
  const zip = new ZipFile();
  const options = { mtime: new Date(Date.UTC(2000, 0, 1)), forceDosTimestamp: true };
  for (const [part, xml] of Object.entries(indexParts(name, [...STYLES, ...extraStyles])))
    zip.addBuffer(Buffer.from(HEAD + xml), part, options);
  const sheet = Readable.from(sheetXml(rows), { objectMode: false });
  const output = Readable.from(zip.outputStream);
  sheet.on('error', (error) => output.destroy(error));
  zip.addReadStream(sheet, SHEET_PART, options);
  zip.end();
  return output as AsyncIterable<Uint8Array>;
}

function indexParts(name: string, styles: readonly number[]): Readonly<Record<string, string>> {
  return {
    '[Content_Types].xml':
      `<Types xmlns="${TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      `${overrideOf('xl/workbook.xml', 'sheet.main')}${overrideOf(SHEET_PART, 'worksheet')}${overrideOf('xl/styles.xml', 'styles')}</Types>`,
    '_rels/.rels': relations({ officeDocument: 'xl/workbook.xml' }),
    'xl/workbook.xml':
      `<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets><sheet name="${escaped(name)}" sheetId="1" r:id="r1"/></sheets>` +
      '</workbook>',
    'xl/_rels/workbook.xml.rels': relations({ worksheet: 'worksheets/sheet1.xml', styles: 'styles.xml' }),
    'xl/styles.xml':
      `<styleSheet xmlns="${MAIN}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>` +
      '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
      '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>' +
      `<cellXfs count="${styles.length}">${styles.map((id) => `<xf numFmtId="${id}" applyNumberFormat="1"/>`).join('')}</cellXfs>` +
      '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
  };
}

function overrideOf(part: string, kind: string): string {
  return `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;
}

function relations(parts: Readonly<Record<string, string>>): string {
  const each = Object.entries(parts).map(
    ([type, target], at) => `<Relationship Id="r${at + 1}" Type="${DOCUMENT}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${RELATIONS}">${each.join('')}</Relationships>`;
}

async function* sheetXml(rows: AsyncIterable<readonly WorkbookCell[]>): AsyncGenerator<Buffer> {
  const format = `<sheetFormatPr defaultColWidth="${COLUMN_WIDTH}" defaultRowHeight="15"/>`;
  yield Buffer.from(`${HEAD}<worksheet xmlns="${MAIN}">${format}<sheetData>`);
  let line = 0;
  for await (const cells of rows) {
    line += 1;
    if (line > LAST_ROW)
      throw new PipelineError('INTERNAL', 'write a workbook', `a sheet has at most ${LAST_ROW} rows`);
    yield Buffer.from(
      `<row r="${line}">${cells.map((cell, place) => cellXml(cell, columnName(place + 1) + line)).join('')}</row>`,
    );
  }
  yield Buffer.from('</sheetData></worksheet>');
}

function cellXml(cell: WorkbookCell, address: string): string {
  if (typeof cell !== 'string') {
    const [style, value] = styledValue(cell);
    return `<c r="${address}" s="${style}"><v>${value}</v></c>`;
  }
  return cell === ''
    ? ''
    : `<c r="${address}" t="inlineStr" s="0"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
}

function styledValue(cell: Exclude<WorkbookCell, string>): [style: number, value: string | number] {
  if ('decimal' in cell) return [1, cell.decimal];
  if ('day' in cell) return [2, cell.day];
  return 'whole' in cell ? [3, cell.whole] : [4, cell.moment];
}

/** XML cannot hold control characters, so the format has its own way of writing them. */
function escaped(text: string): string {
  return text
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replace(
      /[\0-\x1f\x7f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      numbered,
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function numbered(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
}
