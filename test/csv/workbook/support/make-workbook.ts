import { crc32, deflateRawSync } from 'node:zlib';

/** What is wrong with a part of a made zip. */
type PartFlaw = {
  /** The part that the zip states twice, with other content, or under another size or checksum. */
  readonly name: string;
  readonly statedBytes?: number;
  readonly statedCrc?: number;
  readonly isEncrypted?: true;
};

/** A cell as XML, or a plain value: text, a number, or nothing. */
export type MadeCell = string | number | undefined | { readonly xml: string };

export type MadeWorkbook = {
  readonly rows: readonly (readonly MadeCell[])[];
  /** Attributes of rows, by their number from 1. */
  readonly rowAttributes?: Readonly<Record<number, string>>;
  /** XML in front of and behind the rows. */
  readonly before?: string;
  readonly behind?: string;
  readonly sheets?: readonly (readonly [name: string, state?: string])[];
  readonly is1904?: boolean;
  /** Writes texts as the format shares them, and not into the cells. */
  readonly isShared?: boolean;
  /** Replaces parts, or adds some. */
  readonly parts?: Readonly<Record<string, string>>;
  readonly flaw?: PartFlaw;
};

/** Styles of the made workbooks: plain, date, date and time, shown with zeros in front, money. */
export const STYLE = { plain: 0, date: 1, time: 2, padded: 3, money: 4, ownDate: 5 } as const;

const STYLES = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="00000"/>
<numFmt numFmtId="165" formatCode="[$-409]d\\-mmm\\-yyyy;@"/><numFmt numFmtId="166" formatCode="&quot;Summe &quot;#,##0.00"/></numFmts>
<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/>
<xf numFmtId="164"/><xf numFmtId="166"/><xf numFmtId="165"/></cellXfs></styleSheet>`;

const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** Writes a workbook whose first sheet has the rows; the others are empty. */
export function makeWorkbook(book: MadeWorkbook): Buffer {
  const { sheets = [['Dues']], parts = {}, is1904 = false } = book;
  const shared: string[] = [];
  const own: Record<string, string> = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml':
      `<workbook xmlns:r="${DOCUMENT}"><workbookPr${is1904 ? ' date1904="1"' : ''}/><sheets>` +
      sheets
        .map(([name, state], at) => `<sheet name="${name}"${state ? ` state="${state}"` : ''} r:id="r${at + 1}"/>`)
        .join('') +
      '</sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations([
      ...sheets.map((_, at) => ['worksheet', `worksheets/sheet${at + 1}.xml`] as const),
      ['styles', 'styles.xml'],
      ['sharedStrings', '/xl/sharedStrings.xml'],
    ]),
    'xl/styles.xml': STYLES,
  };
  sheets.forEach((_, at) => {
    own[`xl/worksheets/sheet${at + 1}.xml`] = at === 0 ? sheetXml(book, shared) : sheetXml({ rows: [] }, []);
  });
  own['xl/sharedStrings.xml'] = `<sst>${shared.map((text) => `<si><t>${escaped(text)}</t></si>`).join('')}</sst>`;
  return makeZip(Object.entries({ ...own, ...parts }), book.flaw);
}

function relations(list: readonly (readonly [type: string, target: string])[]): string {
  const each = list.map(
    ([type, target], at) => `<Relationship Id="r${at + 1}" Type="${DOCUMENT}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${RELATIONS}">${each.join('')}</Relationships>`;
}

function sheetXml(
  { rows, rowAttributes = {}, before = '', behind = '', isShared }: MadeWorkbook,
  shared: string[],
): string {
  const lines = rows.map((cells, at) => {
    const written = cells.map((cell, place) =>
      cellXml(cell, `${letterOf(place)}${at + 1}`, isShared ? shared : undefined),
    );
    return `<row r="${at + 1}"${rowAttributes[at + 1] ? ` ${rowAttributes[at + 1]}` : ''}>${written.join('')}</row>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<worksheet>${before}<sheetData>${lines.join('')}</sheetData>${behind}</worksheet>`;
}

function cellXml(cell: MadeCell, address: string, shared: string[] | undefined): string {
  if (cell === undefined) return '';
  if (typeof cell === 'object') return cell.xml.replaceAll('@', address);
  if (typeof cell === 'number') return `<c r="${address}"><v>${cell}</v></c>`;
  if (!shared) return `<c r="${address}" t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`;
  return `<c r="${address}" t="s"><v>${shared.push(cell) - 1}</v></c>`;
}

/** Returns a cell of a style, whose value is written as given. */
export function styled(value: number | string, style: number): MadeCell {
  return { xml: `<c r="@" s="${style}"><v>${value}</v></c>` };
}

function letterOf(place: number): string {
  return String.fromCharCode(65 + place);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Writes a zip of parts. It knows nothing of the reader of the product. */
function makeZip(parts: readonly (readonly [name: string, content: string | Buffer])[], flaw?: PartFlaw): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of parts) {
    const own = flaw?.name === name ? flaw : undefined;
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(own?.isEncrypted ? 1 : 0, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(own?.statedCrc ?? crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(own?.statedBytes ?? bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), fields, rest, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end]);
}
