import { describe, expect, it } from 'vitest';
import { blockChecker, replacedFaults } from '../../../src/csv/check/check-blocks.ts';
import { type CheckerOptions, exactTotals, recordChecker } from '../../../src/csv/check/check-records.ts';
import type { CheckRules } from '../../../src/csv/check/check-rules.ts';
import { decoderOfLines } from '../../../src/csv/read/open-plain-text.ts';
import { faultTally } from '../../../src/csv/check/fault-effect.ts';
import { newFileShape } from '../../../src/csv/read/split-lines.ts';
import { CARD_HEADER, cardLine, cardLines, cutBytes, rulesWith, VISA } from '../support.ts';
import { compileBlockScan, newScannedRows } from '../../../src/csv/scan/scan-block.ts';
import { KeyedHash } from '../../../src/rows/keyed-hash.ts';
import { HASH_WORDS, hashPayment } from '../../../src/csv/check/duplicate-rows.ts';
import { tryProperty } from '../../support/random.ts';

describe('check blocks', () => {
  /** Checks each text as a block; the last one ends the file. */
  function check(blocks: readonly string[], rules: CheckRules = rulesWith(), largestTotalCents?: number) {
    const tally = faultTally(rules.folder);
    const shape = newFileShape();
    const checker = recordChecker(rules, tally, largestTotalCents === undefined ? {} : { largestTotalCents });
    const decodeLine = decoderOfLines('utf-8');
    const { checkBlock } = blockChecker({ rules, groupLines: 1, checker, tally, shape, decodeLine });
    const groups = blocks.map((text, index) => {
      const { packed, withheld, faults } = checkBlock({
        bytes: Buffer.from(text),
        isLast: index === blocks.length - 1,
      });
      return {
        lines: [...packed.lines.subarray(0, packed.count)],
        withheld: withheld.map(({ raw }) => raw.line),
        faults: faults.map(({ code, line }) => `${line} ${code}`),
      };
    });
    return { groups, found: checker.close(), shape, counts: tally.counts() };
  }

  function file(...lines: string[]): string {
    return lines.map((line) => `${line}\n`).join('');
  }

  describe('blockChecker', () => {
    it('keeps rows in the order of their lines, whichever way they go', () => {
      const umlaut = cardLine({ invoice: 'N-7', city: 'Zürich' });
      const text = file(CARD_HEADER, ...cardLines(2), '', umlaut, cardLine({ invoice: 'N-8', expiry: '0101' }));
      const { groups, found } = check([text, file(cardLine({ invoice: 'N-9', city: '"A, B"' })), '']);
      expect(groups).toEqual([
        { lines: [2, 3, 5], withheld: [6], faults: ['6 EXPIRY_PAST'] },
        { lines: [7], withheld: [], faults: ['7 TEXT_REPLACED'] },
        { lines: [], withheld: [], faults: [] },
      ]);
      expect(found).toMatchObject({ headerLine: 1, records: 5, valid: { rows: 4, cents: 10_000 } });
    });

    it('names the earlier of two equal payments as the first, also when it was not scanned', () => {
      const twice = { invoice: 'N-9', city: 'Zürich' };
      const lines = [...cardLines(40), cardLine(twice), ...cardLines(2), cardLine({ ...twice, city: 'Troy' })];
      const { groups, counts } = check([file(...lines)]);
      expect(groups[0]!.faults).toEqual(['41', '42', '43', '44'].map((line) => `${line} DUPLICATE_ROW`));
      expect(counts).toEqual({ DUPLICATE_ROW: 4 });
      expect(groups[0]!.lines).toHaveLength(44);
    });

    it('counts once what it reads twice, because a row of a run was a duplicate', () => {
      const replaced = (n: number) => cardLine({ invoice: `R-${n}`, city: '"A, B"' });
      const { groups, counts, shape, found } = check([file(...cardLines(2), replaced(1), replaced(1), replaced(2))]);
      expect(groups[0]!.faults).toEqual(['3 TEXT_REPLACED', '4 TEXT_REPLACED', '4 DUPLICATE_ROW', '5 TEXT_REPLACED']);
      expect(counts).toEqual({ TEXT_REPLACED: 3, DUPLICATE_ROW: 1 });
      expect([shape.physicalLines, found.records, found.valid.rows]).toEqual([5, 5, 5]);
    });

    it('scans no row that would make the total inexact', () => {
      const { groups, found } = check([file(...cardLines(3))], rulesWith(), 7_499);
      expect(groups[0]).toEqual({ lines: [1, 2], withheld: [3], faults: ['3 AMOUNT_LIMIT'] });
      expect(found.valid).toEqual({ rows: 2, cents: 5_000 });
    });

    it('holds a Ctrl-Z back over blocks, until it is known what it is', () => {
      const [one, two] = [file(cardLine()), file(cardLine({ invoice: 'N-2' }))];
      expect(check([`${one}\u001a\n`, '\n']).shape).toMatchObject({ physicalLines: 3, blankLines: 2 });
      const { groups, shape } = check([`${one}\u001a\n`, two, '']);
      expect(groups.map(({ withheld, lines }) => [lines, withheld])).toEqual([
        [[1], []],
        [[3], [2]],
        [[], []],
      ]);
      expect(shape.blankLines).toBe(0);
    });

    it('tells line ends apart, and whether the last line has one', () => {
      const [one, two] = cardLines(2);
      const ends = (text: string) => check([text]).shape;
      expect(ends(`${one}\n${two}\n`)).toMatchObject({ mixesLineEnds: false, isLastLineOpen: false });
      expect(ends(`${one}\r\n${two}\r\n`)).toMatchObject({ mixesLineEnds: false, physicalLines: 2 });
      expect(ends(`${one}\r${two}\r`)).toMatchObject({ mixesLineEnds: false, physicalLines: 2 });
      expect(ends(`${one}\r\n${two}\n`)).toMatchObject({ mixesLineEnds: true });
      expect(ends(`${one}\n${two}`)).toMatchObject({ isLastLineOpen: true, physicalLines: 2 });
    });

    it('takes no line for a row that is longer than any may be', () => {
      const { groups } = check([file(cardLine(), cardLine({ invoice: `N-2${' '.repeat(17_000)}` }))]);
      expect(groups[0]).toEqual({ lines: [1], withheld: [2], faults: ['2 LINE_TOO_LONG'] });
    });
  });

  it('replacedFaults tells of the rows that were asked for, and passes over those between them', () => {
    const lines = ['"A, B"', 'x', '"C, D"', '"E, F"'].map((city, n) => cardLine({ city, invoice: `N-${n}` }));
    const rows = newScannedRows();
    const block = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    compileBlockScan({ layout: 'card', rules: rulesWith(), hashKey: new Uint32Array(2) })(block, 0, block.length, rows);
    const tell = replacedFaults('card')(rows, block);
    const fault = (line: number, value: string) => ({ code: 'TEXT_REPLACED', line, column: 'city', value });
    expect(tell(0, 2, 11)).toEqual([fault(11, 'A, B')]);
    expect(tell(3, 4, 20)).toEqual([fault(20, 'E, F')]);
    expect(tell(4, 4, 21)).toEqual([]);
  });

  it('replacedFaults shows no number of the row', () => {
    const rows = newScannedRows();
    const number = '12345678';
    const block = Buffer.from(`INV-1,"Ada, 1234",Byron,CHECKING,${number},5.00,"no. 5678, 9"\n`);
    const order = {
      layout: 'ach',
      rules: rulesWith({ operation: 'ach-charge' }),
      hashKey: new Uint32Array(2),
    } as const;
    compileBlockScan(order)(block, 0, block.length, rows);
    const faults = replacedFaults('ach')(rows, block)(0, 1, 1);
    expect(faults.map(({ value }) => value)).toEqual(['Ada, 1234', 'no. 5678, 9']);
    expect(JSON.stringify(faults)).not.toContain(number);
    expect(JSON.stringify(faults)).not.toContain(VISA);
  });

  function open(rules: CheckRules = rulesWith(), options?: CheckerOptions) {
    const tally = faultTally(rules.folder);
    const checker = recordChecker(rules, tally, options);
    const checkTexts = (texts: string[], firstLine = 1) => {
      const records = texts.map((text, index) => ({ line: firstLine + index, cells: text.split(',') }));
      const lines = texts.map((text, index) => ({ number: firstLine + index, text, tooLong: false }));
      return checker.checkGroup(records, lines);
    };
    return { tally, checkTexts, ...checker };
  }

  describe('recordChecker', () => {
    it('finds header and layout in the first group and keeps them for the others', () => {
      const { checkTexts, close } = open();
      expect(checkTexts([CARD_HEADER, ...cardLines(2)])).toHaveLength(2);
      expect(checkTexts([cardLine({ invoice: 'N-3' })], 4)).toMatchObject([{ payment: { line: 4 } }]);
      expect(close()).toEqual({
        layout: 'card',
        headerLine: 1,
        faults: [],
        records: 3,
        valid: { rows: 3, cents: 7_500 },
        declaredCents: 7_500,
      });
    });

    it('takes the layout of a later group when the first names none', () => {
      const { checkTexts, close } = open();
      expect(checkTexts(['a,b'])[0]?.faults).toMatchObject([{ code: 'COLUMN_COUNT' }]);
      expect(checkTexts(cardLines(1), 2)[0]?.payment).toBeDefined();
      expect(close()).toMatchObject({ layout: 'card', records: 2, valid: { rows: 1 } });
    });

    it('takes a header for a header only at the top', () => {
      const { checkTexts, close } = open();
      const [, row] = checkTexts([cardLine(), CARD_HEADER]);
      expect(row?.faults.map((fault) => fault.code)).toContain('TITLES_REPEATED');
      expect(row?.payment).toBeUndefined();
      expect(close()).toMatchObject({ headerLine: null, records: 2, valid: { rows: 1 } });
    });

    it('hands on no cell of a row that seems to hold a security code', () => {
      const { checkTexts } = open();
      const rows = checkTexts([`${cardLine()},987`]);
      expect(rows).toMatchObject([{ raw: { line: 1, cells: [] }, faults: [{ code: 'SECURITY_CODE', line: 1 }] }]);
      expect(JSON.stringify(rows)).not.toContain('987');
    });

    it('hands on no row at all when the header names a security code', () => {
      const { checkTexts, close, tally } = open();
      const header = CARD_HEADER.replace('State', 'CVV');
      expect(checkTexts([header, cardLine({ state: '987' })])).toEqual([]);
      expect(checkTexts([cardLine({ state: '987' })], 3)).toEqual([]);
      expect(close()).toMatchObject({ records: 2, valid: { rows: 0 }, faults: [{ code: 'SECURITY_CODE', line: 1 }] });
      expect(tally.has('reject')).toBe(true);
    });

    it('lists the first thousand broken rows and counts all', () => {
      const { checkTexts, close, tally } = open();
      const rows = checkTexts([...cardLines(1), ...Array<string>(1_200).fill('a,b'), ...cardLines(1)]);
      expect(rows).toHaveLength(1_002);
      expect(tally.counts().COLUMN_COUNT).toBe(1_200);
      expect(close().records).toBe(1_202);
    });

    it('takes no row that would make the total inexact', () => {
      const { checkTexts, close, tally } = open(rulesWith(), { largestTotalCents: 7_499 });
      const rows = checkTexts(cardLines(3));
      expect(rows.map((row) => row.payment?.amountCents)).toEqual([2_500, 2_500, undefined]);
      expect(rows[2]?.amountCents).toBe(2_500);
      expect(rows[2]?.faults).toMatchObject([{ code: 'AMOUNT_LIMIT', line: 3 }]);
      expect(close()).toMatchObject({ records: 3, valid: { rows: 2, cents: 5_000 } });
      expect(tally.counts()).toEqual({ AMOUNT_LIMIT: 1 });
    });
  });

  describe('exactTotals', () => {
    it('adds up charges and refunds', () => {
      const totals = exactTotals(1_000);
      expect([500, -200, 700].map(totals.add)).toEqual([true, true, true]);
      expect(totals.sum()).toEqual({ rows: 3, cents: 1_000 });
    });

    it.each([1, -1])('takes no amount that carries the sum beyond its limit, sign %i', (sign) => {
      const totals = exactTotals(1_000);
      expect([1_000, 1, -5, 6, 5].map((cents) => totals.add(sign * cents))).toEqual([true, false, true, false, true]);
      expect(totals.sum()).toEqual({ rows: 3, cents: sign * 1_000 });
    });
  });

  const output = Buffer.from('INV-7,C1,INV-8');
  const PAYMENT = { output, invoiceStart: 0, invoiceEnd: 5, payerStart: 6, payerEnd: 8, cents: 2_500 };

  function hash(payment: typeof PAYMENT, key = Uint32Array.of(1, 2)): string {
    const hashes = new Uint32Array(3 * HASH_WORDS);
    hashPayment(new KeyedHash(key), payment, hashes, 1);
    expect([...hashes.subarray(0, HASH_WORDS), ...hashes.subarray(2 * HASH_WORDS)]).toEqual([0, 0, 0, 0]);
    return String(hashes.subarray(HASH_WORDS, 2 * HASH_WORDS));
  }

  it('hashPayment gives the same for the same payment and key, and else something different', () => {
    const others = [
      hash({ ...PAYMENT, invoiceStart: 9, invoiceEnd: 14 }),
      hash({ ...PAYMENT, payerEnd: 7 }),
      hash({ ...PAYMENT, cents: 2_501 }),
      hash(PAYMENT, Uint32Array.of(1, 3)),
    ];
    expect(hash({ ...PAYMENT, output: Buffer.from(output) })).toBe(hash(PAYMENT));
    expect(new Set([hash(PAYMENT), ...others]).size).toBe(5);
  });
});

/** check-payment-file.soak.test.ts tries more. */
describe('however the bytes are cut', () => {
  it('the answer is the same', async () => {
    await tryProperty(cutBytes(3_000), 8);
  });
});
