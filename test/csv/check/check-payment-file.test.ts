import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { FaultCode } from '../../../schemas/errors.ts';
import { checkPaymentFile, type CheckRules } from '../../../src/csv/check/check-payment-file.ts';
import {
  achLine,
  CARD_HEADER,
  cardLine,
  cardLines,
  checkAll,
  type Checked,
  OTHER_VISA,
  rulesWith,
  VISA,
} from '../support.ts';

type Settings = Parameters<typeof checkAll>[1];
type Verdict = Checked['verdict'];

const file = (...lines: string[]) => lines.map((line) => `${line}\n`).join('');
const sound = (count = 20) => file(...cardLines(count));
const CANADIAN = `06/15/2026,INV-1,Ada Byron,5.00,VISA,${VISA},1228`;
const ACH: Settings = { operation: 'ach-charge' };
const REFUND: Settings = { operation: 'ach-refund' };
const UK: Settings = { account: { server: 'UK', country: 'UK', currency: 'EUR' } };

type Faulty = [FaultCode, Verdict, string | Buffer, Settings?];
const WARNED: FaultCode[] = ['TEXT_REPLACED', 'DATE_FAR', 'STATE_UNKNOWN', 'ZIP_SHORT'];
describe('checkPaymentFile', () => {
  it('accepts a sound file and says everything about it', async () => {
    const text = file(CARD_HEADER, '', ...cardLines(3));
    const { rows, rowFaults, codes, ...check } = await checkAll(text);
    expect(check).toEqual({
      verdict: 'accept',
      layout: 'card',
      headerLine: 1,
      faults: [],
      faultCounts: {},
      bytes: text.length,
      sha256: createHash('sha256').update(text).digest('hex'),
      physicalLines: 5,
      blankLines: 1,
      records: 3,
      valid: { rows: 3, cents: 7_500 },
      invalid: { rows: 0 },
      declaredCents: 7_500,
    });
    expect(rows.map((row) => row.payment?.line)).toEqual([3, 4, 5]);
    expect([rowFaults, codes]).toEqual([[], []]);
  });

  it.each<[string, Settings, string]>([
    ['ach', ACH, file(achLine())],
    ['ach', REFUND, file(achLine({ amount: '-5.00' }))],
    ['ach-code', ACH, file('INV-1,A1,5.00,Gift')],
    ['ach-code', REFUND, file('INV-1,A1,-5.00,Gift')],
    ['card', {}, file(cardLine())],
    ['card', { account: { server: 'UK', country: 'UK', currency: 'GBP' } }, file(cardLine())],
    ['card-ca', { account: { server: 'NA', country: 'CA', currency: 'CAD' } }, file(CANADIAN)],
    ['card-code', {}, file('INV-1,A1,5.00,Gift')],
  ])('accepts a file of %s', async (layout, settings, text) => {
    expect(await checkAll(text, settings)).toMatchObject({ verdict: 'accept', layout, valid: { rows: 1 }, codes: [] });
  });

  const NOTED = file(cardLine({ date: '06/15/2016', city: '"Troy, NY"', state: 'ZZ', zipCode: '1218' }));
  /** test/scripts/write-samples.test.ts has a file for every code that reading finds. */
  const FAULTY: Faulty[] = [
    ['FIELD_REQUIRED', 'accept', sound() + file(cardLine({ invoice: '' }))],
    ['FIELD_TOO_LONG', 'accept', sound() + file(cardLine({ city: 'x'.repeat(41) }))],
    ['FIELD_COMMA', 'accept', sound() + file(cardLine({ state: '"N,Y"' }))],
    ['FIELD_COMMA', 'accept', sound() + file(cardLine({ city: '"a,b"' })), { folder: { textCommas: 'reject' } }],
    ['FIELD_CHARACTER', 'accept', sound() + file(cardLine({ invoice: 'a\u200bb' }))],
    ['AMOUNT_FORMAT', 'accept', sound() + file(cardLine({ amount: '(5.00)' }))],
    ['AMOUNT_ZERO', 'accept', sound() + file(cardLine({ amount: '0.00' }))],
    ['AMOUNT_LIMIT', 'accept', sound() + file(cardLine({ amount: '99999999999999' }))],
    ['DATE_FORMAT', 'accept', sound() + file(cardLine({ date: '02/30/2026' }))],
    ['CARD_FORMAT', 'accept', sound() + file(cardLine({ cardNumber: '4222 2222 2222 2220' }))],
    ['CARD_CHECK_DIGIT', 'accept', sound() + file(cardLine({ cardNumber: '4222222222222221' }))],
    ['CARD_BRAND', 'accept', sound() + file(cardLine({ mop: 'MC' }))],
    ['MOP_UNKNOWN', 'accept', sound() + file(cardLine({ mop: 'MAESTR' }))],
    ['MOP_RESTRICTED', 'accept', sound() + file(cardLine({ mop: 'MAESTRO', cardNumber: '6759649826438453' })), UK],
    ['EXPIRY_FORMAT', 'accept', sound() + file(cardLine({ expiry: '1328' }))],
    ['EXPIRY_PAST', 'accept', sound() + file(cardLine({ expiry: '05/26' }))],
    ['ACCOUNT_FORMAT', 'hold', file(achLine(), achLine({ accountNumber: '0210-0002' })), ACH],
    [
      'ACCOUNT_ROUTING',
      'hold',
      file(achLine({ accountNumber: '0210000210001' }), achLine({ accountNumber: '0210000310001' })),
      { ...ACH, folder: { routingCheck: true } },
    ],
    ['ACCOUNT_TYPE', 'hold', file(achLine(), achLine({ accountType: 'C' })), ACH],
    ['CARD_NUMBER_IN_TEXT', 'accept', sound() + file(cardLine({ street: `card ${OTHER_VISA}` }))],
    ['TITLES_REPEATED', 'reject', file(CARD_HEADER) + sound() + file(CARD_HEADER, cardLine())],
    ['TITLES_REPEATED', 'reject', sound() + file(CARD_HEADER, cardLine())],
    ['COLUMN_COUNT', 'reject', sound() + file(`${cardLine()},x`)],
    ['COLUMN_COUNT', 'reject', sound() + file(cardLine({ street: '1 Some Road, Apt 4' }))],
    ['STRAY_QUOTE', 'reject', sound() + file(cardLine({ street: '5" Road' }))],
    ['LINE_BREAK', 'reject', sound() + file(cardLine({ expiry: '"1228' }))],
    ['CONTROL_CHARACTER', 'reject', sound() + file(cardLine({ street: 'a\tb' }))],
    ['NOT_CSV', 'reject', Buffer.from(sound(), 'utf16le')],
    ['ENCODING', 'reject', Buffer.from(sound() + file(cardLine({ street: 'Caf\u00e9' })), 'latin1')],
    ['ENCODING', 'reject', sound() + file(cardLine({ street: '\ufffd' }))],
    ['LINE_TOO_LONG', 'reject', sound() + file('x'.repeat(20_000))],
    ['SECURITY_CODE', 'reject', sound() + file(`${cardLine()},123`)],
    ['SECURITY_CODE', 'reject', file(`${CARD_HEADER},CVV2`, `${cardLine()},`)],
    ['SECURITY_CODE', 'reject', file(CARD_HEADER.replace('State', 'Security Code'), cardLine({ state: '123' }))],
    ['HEADER_MISSING', 'reject', sound(), { folder: { header: 'required' } }],
    ['HEADER_UNEXPECTED', 'reject', file(CARD_HEADER) + sound(), { folder: { header: 'none' } }],
    ['NOT_CSV', 'reject', Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(70_000)])],
    ['NOT_CSV', 'reject', `<table>\n${sound()}`],
    ['WRONG_SEPARATOR', 'reject', (file(CARD_HEADER) + sound(700)).replaceAll(',', ';')],
    ['WRONG_SEPARATOR', 'reject', sound().replaceAll(',', '\t'), { folder: { header: 'required' } }],
    ['WRONG_SEPARATOR', 'reject', file('"Report"', ...cardLines(4).map((line) => `"${line.replaceAll(',', '";"')}"`))],
    ['ONLY_NULS', 'reject', Buffer.alloc(70_000)],
    ['ONLY_NULS', 'reject', Buffer.alloc(1)],
    ['ONLY_NULS', 'reject', Buffer.concat([Buffer.alloc(4_096), Buffer.from(sound())])],
    ['EMPTY', 'reject', ''],
    ['NO_ROWS', 'reject', file(CARD_HEADER)],
    ['NO_ROWS', 'reject', '\r\n \r\n\u001a'],
    ['NO_ROWS', 'reject', '\ufeff'],
    ['LAYOUT_COUNTRY', 'reject', file(CANADIAN)],
    ['LAYOUT_COUNTRY', 'reject', sound(), { account: { server: 'NA', country: 'CA', currency: 'CAD' } }],
    ['LAYOUT_FOLDER', 'reject', file('INV-1,A1,5.00,x'), { folder: { layout: 'card' } }],
    ['LAYOUT_FOLDER', 'reject', file(CARD_HEADER.replace('City,State', 'State,City')) + sound()],
    ['WRONG_SIGN', 'hold', sound() + file(cardLine({ amount: '-5.00' }))],
    [
      'WRONG_SIGN',
      'hold',
      file('INV-0,A1,5.00,') + file(...Array.from({ length: 20 }, (_, n) => `N-${n},A1,-1,`)),
      REFUND,
    ],
    ['SPREADSHEET_DAMAGE', 'hold', sound() + file(cardLine({ cardNumber: '4.22222E+15' }))],
    ['SPREADSHEET_DAMAGE', 'hold', sound() + file(cardLine({ expiry: '928' }))],
    ['LIMIT_ROW_AMOUNT', 'hold', sound() + file(cardLine({ amount: '500.01' })), { largestRowCents: 50_000 }],
    ['SPREADSHEET_DAMAGE', 'hold', sound() + file(cardLine({ zipCode: '="02180"' }))],
    ['DUPLICATE_ROW', 'hold', sound() + file(cardLine({ invoice: 'N-1' }))],
    ['DUPLICATE_ROW', 'reject', sound() + file(cardLine({ invoice: 'N-1' })), { folder: { duplicateRows: 'reject' } }],
    ['DUPLICATE_ROW', 'accept', sound() + file(cardLine({ invoice: 'N-1' })), { folder: { duplicateRows: 'warn' } }],
    ['TOO_MANY_BAD_ROWS', 'hold', sound(8) + file(cardLine({ mop: 'X' }))],
    [
      'TOO_MANY_BAD_ROWS',
      'reject',
      sound() + file(cardLine({ mop: 'X' })),
      { folder: { badRows: { policy: 'reject-file', maxPercent: 10 } } },
    ],
    ['NO_FINAL_NEWLINE', 'hold', sound().trimEnd(), { folder: { finalNewline: 'hold' } }],
    ['LAST_LINE_OPEN', 'accept', sound().trimEnd()],
    ['MIXED_LINE_ENDS', 'accept', `${sound()}${cardLine()}\r\n`],
    ...WARNED.map((code): Faulty => [code, 'accept', NOTED]),
  ];

  it.each(FAULTY)('answers %s with %s', async (code, verdict, bytes, settings) => {
    const checked = await checkAll(bytes, settings);
    expect(checked).toMatchObject({ verdict });
    expect(checked.codes).toContain(code);
    expect(checked.faultCounts[code]).toBeGreaterThan(0);
  });
});

describe('what checkPaymentFile yields', () => {
  it.each([
    ['NOT_CSV', `<table>\n${sound(700)}`, 0],
    ['WRONG_SEPARATOR', sound(1_300).replaceAll(',', ';'), 1_300],
  ] as const)('is one fault, %s, of a file that is no CSV, and its whole size', async (code, text, records) => {
    const checked = await checkAll(text);
    expect(checked).toMatchObject({ codes: [code], rows: [], records, bytes: text.length, verdict: 'reject' });
    expect(checked).toMatchObject({ sha256: createHash('sha256').update(text).digest('hex') });
  });

  it('is every row in file order, with line, column, code and masked value of every fault', async () => {
    const text = file(
      CARD_HEADER,
      cardLine({ invoice: 'A', cardNumber: '4222222222222221' }),
      '',
      cardLine({ invoice: 'B', street: '5" Road' }),
      cardLine({ invoice: 'C', amount: '$5', expiry: '0120' }),
      `${cardLine({ invoice: 'D' })},extra`,
    );
    const checked = await checkAll(text);
    expect(checked.rows.map((row) => [row.raw.line, row.raw.cells.length])).toEqual([
      [2, 12],
      [4, 0],
      [5, 12],
      [6, 13],
    ]);
    expect(checked.rowFaults).toEqual([
      { code: 'CARD_CHECK_DIGIT', line: 2, column: 'cardNumber', value: '************2221' },
      { code: 'STRAY_QUOTE', line: 4 },
      { code: 'AMOUNT_FORMAT', line: 5, column: 'amount', value: '$5' },
      { code: 'EXPIRY_PAST', line: 5, column: 'expiry', value: '0120' },
      { code: 'COLUMN_COUNT', line: 6, detail: '13 columns, expected 12' },
    ]);
    expect(checked).toMatchObject({ verdict: 'reject', records: 4, valid: { rows: 0 }, invalid: { rows: 4 } });
  });

  it('has a payment exactly for the rows without more than a warning', async () => {
    const lines = [...cardLines(30), cardLine({ city: '"a,b"' }), cardLine({ mop: 'X' }), cardLine({ amount: '-1' })];
    const { rows, valid, invalid, records, declaredCents } = await checkAll(file(...lines));
    const isSound = (codes: string[]) => codes.every((code) => code === 'TEXT_REPLACED');
    for (const row of rows) {
      expect(row.payment !== undefined).toBe(isSound(row.faults.map((fault) => fault.code)));
    }
    expect(valid).toEqual({ rows: 31, cents: 31 * 2_500 });
    expect(invalid.rows + valid.rows).toBe(records);
    // The sender's control total covers every readable amount, including those of withheld rows.
    expect(declaredCents).toBe(32 * 2_500 - 100);
  });

  it('is never one row made of two by stray quotes', async () => {
    const text = file(
      ...cardLines(3),
      'INV-8,A1,5.00,"two payments',
      'INV-9,A1,6.00,in one"',
      cardLine({ invoice: 'N-4', city: '"Troy, NY"' }),
    );
    const checked = await checkAll(text);
    expect(checked.verdict).toBe('reject');
    expect(checked.rowFaults.map((fault) => [fault.code, fault.line])).toEqual([
      ['LINE_BREAK', 4],
      ['STRAY_QUOTE', 5],
      ['TEXT_REPLACED', 6],
    ]);
  });

  it('comes in groups, as they are asked for', async () => {
    let given = 0;
    async function* source() {
      for (let chunk = 0; chunk < 100; chunk += 1) {
        given += 1;
        yield Buffer.from(file(...Array.from({ length: 700 }, (_, n) => cardLine({ invoice: `N-${chunk}-${n}` }))));
      }
    }
    const check = checkPaymentFile(source(), rulesWith());
    expect(given).toBe(0);
    const first = await check.next();
    expect(first.value).toMatchObject({ layout: 'card', packed: { count: expect.any(Number) } });
    expect(given).toBeLessThanOrEqual(3);
    await check.return(undefined as never);
    expect(given).toBeLessThanOrEqual(3);
  });

  it('leaves out broken lines after the first thousand, and says how many there were', async () => {
    const checked = await checkAll(file(...cardLines(2), ...Array<string>(2_500).fill('x\u0007')));
    expect(checked.rowFaults).toHaveLength(1_000);
    expect(checked.faultCounts).toEqual({ CONTROL_CHARACTER: 2_500, TOO_MANY_BAD_ROWS: 1 });
    expect(checked.faults).toEqual([
      { code: 'TOO_MANY_BAD_ROWS', line: 0, detail: '2500 of 2502 rows are invalid; the folder allows 10 %' },
      { code: 'CONTROL_CHARACTER', line: 0, detail: '2500 in all; 1500 of them are not listed' },
    ]);
    expect(checked).toMatchObject({ verdict: 'reject', records: 2_502, invalid: { rows: 2_500 } });
  });
});

describe('headers', () => {
  it.each<[string, CheckRules['folder']['header'], Verdict, number | null]>([
    [file(CARD_HEADER) + sound(), 'auto', 'accept', 1],
    [file(CARD_HEADER) + sound(), 'required', 'accept', 1],
    [`\ufeff${file('', CARD_HEADER)}${sound()}`, 'auto', 'accept', 2],
    [file(`"${CARD_HEADER.replaceAll(',', '","')}"`) + sound(), 'auto', 'accept', 1],
    [sound(), 'auto', 'accept', null],
    [sound(), 'none', 'accept', null],
    [file(CARD_HEADER) + sound(), 'none', 'reject', 1],
    [sound(), 'required', 'reject', null],
  ])('of %.30j in a folder that says %s', async (text, header, verdict, headerLine) => {
    const checked = await checkAll(text, { folder: { header } });
    expect(checked).toMatchObject({ verdict, headerLine, records: 20, valid: { rows: 20 } });
  });

  it('can never be submitted in words nobody knows, nor anything that stands below them', async () => {
    const foreign = 'P\u00e4iv\u00e4,Numero,Etunimi,Sukunimi,Katu,Kaupunki,Maa,Postinumero,Summa,Laji,Kortti,asti';
    const checked = await checkAll(file(foreign) + sound());
    expect(checked).toMatchObject({ verdict: 'reject', headerLine: 1, faultCounts: { LAYOUT_FOLDER: 12 } });
  });
});

describe('encodings', () => {
  const text = file(CARD_HEADER, cardLine({ city: 'Zürich' }), cardLine({ invoice: 'N-2', city: 'Málaga' }));
  const utf16le = Buffer.from(`\ufeff${text}`, 'utf16le');

  it.each<[string, Buffer, CheckRules['folder']['charset']]>([
    ['UTF-8', Buffer.from(text), 'utf-8'],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`), 'windows-1252'],
    ['UTF-16 LE', utf16le, 'utf-8'],
    ['UTF-16 BE', Buffer.from(utf16le).swap16(), 'iso-8859-1'],
    ['windows-1252', Buffer.from(text, 'latin1'), 'windows-1252'],
    ['ISO 8859-1', Buffer.from(text, 'latin1'), 'iso-8859-1'],
  ])('%s gives the same payments', async (_, bytes, charset) => {
    const checked = await checkAll(bytes, { folder: { charset } });
    expect(checked).toMatchObject({ verdict: 'accept', headerLine: 1, codes: [], bytes: bytes.length });
    expect(checked.rows.map((row) => row.payment?.canonical[5])).toEqual(['Zürich', 'Málaga']);
  });

  it('names the line of each undecodable byte', async () => {
    const lines = [cardLine(), cardLine({ city: 'Zürich' }), cardLine(), cardLine({ city: 'Málaga' })];
    const checked = await checkAll(Buffer.from(file(...lines), 'latin1'));
    expect(checked.rowFaults.flatMap(({ code, line }) => (code === 'ENCODING' ? [line] : []))).toEqual([2, 4]);
    expect(checked.verdict).toBe('reject');
  });
});
