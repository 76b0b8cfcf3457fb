import { describe, expect, it } from 'vitest';
import * as acts from '../../../../src/sandbox/faults/acts/result-files.ts';
import type { Step } from '../../../../src/sandbox/faults/steps.ts';
import type { Reply } from '../../../../src/sandbox/reply.ts';
import { bodyOf, CHARGE, doneBatch } from '../support/sample-answers.ts';

const ACH = [
  'B-1,Ada,Byron,CHECKING,0*********************0001,1.00,Gift,Received',
  'B-2,Ada,Byron,CHECKING,0*********************0009,2.00,Gift,Received',
];
const CARD = ['06/15/2026,K-1,Ada,Byron,1 Road,Troy,NY,12180,5.00,VISA,4***********2220,1230,OK: 678594:'];
const CANADA = ['06/15/2026,K-1,Ada Byron,5.00,VISA,4***********2220,1230,OK: 678594:'];
const CODES = ['C-1,A10000001,5.00,Gift,Received'];
const GARBAGE = ['not,a,row,Wrong Format'];

const { changeRows } = acts;

describe('changes of result files', () => {
  it.each<[string, (reply: Reply) => readonly Step[], readonly string[], readonly string[]]>([
    ['drops the last row', changeRows(acts.dropRow), ACH, ACH.slice(0, 1)],
    ['adds a row', changeRows(acts.addRow), CODES, [...CODES, 'C-19,A10000001,5.00,Gift,Received']],
    ['reverses the rows', changeRows(acts.reverseRows), ACH, ACH.toReversed()],
    ['alters an amount', changeRows(acts.alterAmount), ACH, [ACH[0]?.replace('1.00', '2.00') ?? '', ACH[1] ?? '']],
    ['alters an amount of a card', changeRows(acts.alterAmount), CARD, [CARD[0]?.replace('5.00', '6.00') ?? '']],
    ['alters an amount in Canada', changeRows(acts.alterAmount), CANADA, [CANADA[0]?.replace('5.00', '6.00') ?? '']],
    ['alters an amount by code', changeRows(acts.alterAmount), CODES, ['C-1,A10000001,6.00,Gift,Received']],
    ['alters an invoice', changeRows(acts.alterInvoice), CARD, [CARD[0]?.replace('K-1', 'K-19') ?? '']],
    [
      'alters the first that can be',
      changeRows(acts.alterInvoice),
      [...GARBAGE, ...CODES],
      [...GARBAGE, 'C-19,A10000001,5.00,Gift,Received'],
    ],
    ['alters a number', changeRows(acts.alterLastFour), CARD, [CARD[0]?.replace('2220', '2221') ?? '']],
    ['alters a number from 9', changeRows(acts.alterLastFour), ACH.slice(1), [ACH[1]?.replace('0009', '0000') ?? '']],
    ['leaves codes as they are', changeRows(acts.alterLastFour), CODES, CODES],
    ['quotes cells', changeRows(acts.quoteCells), CODES, ['"C-1","A10000001","5.00","Gift","Received"']],
    [
      'times out the last row',
      changeRows(acts.timeOutLastRow),
      ACH,
      [ACH[0] ?? '', ACH[1]?.replace('Received', 'TIMEOUT') ?? ''],
    ],
  ])('%s', (_name, act, sent, expected) => {
    expect(fileOf(act(doneBatch(linesOf(sent))))).toBe(linesOf(expected));
  });

  it('leaves bytes that are no UTF-8 as they are', () => {
    const file = linesOf(['C-1,A1,5.00,caf\xe9,Received', ...CODES]);
    expect(fileOf(changeRows(acts.dropRow)(doneBatch(file)))).toBe('C-1,A1,5.00,caf\xe9,Received\r\n');
  });

  it('ends rows with line feeds', () => {
    expect(fileOf(acts.endWithLineFeeds(doneBatch(linesOf(ACH))))).toBe(`${ACH.join('\n')}\n`);
  });

  it('damages the encoding', () => {
    const done = doneBatch(linesOf(ACH));
    expect(base64Of(acts.damageBase64(done))).toMatch(/^[\w+/=]+![\w+/=]+$/);
    expect(Buffer.from(fileOf(acts.encodeTwice(done)), 'base64').toString()).toBe(linesOf(ACH));
    expect(base64Of(acts.emptyFile(done))).toBe('');
  });

  it('says that a batch is still running, as the service says it', () => {
    const body = bodyOf(acts.sayStillRunning(doneBatch('a')));
    expect(body).toContain(
      '>Batch Processing, Please Wait ....</AUTHORIZATIONRESULT><BATCHID>1000001</BATCHID></BATCH',
    );
    expect(body).not.toContain('FILE');
  });
});

describe('holdsResultFile', () => {
  it('tells a result file from other answers', () => {
    expect(acts.holdsResultFile(doneBatch('a'))).toBe(true);
    expect(acts.holdsResultFile(CHARGE)).toBe(false);
    expect(acts.holdsResultFile({ ...CHARGE, body: Buffer.from('x') })).toBe(false);
  });
});

function linesOf(rows: readonly string[]): string {
  return rows.map((row) => `${row}\r\n`).join('');
}

function base64Of(steps: readonly Step[]): string {
  return /<BATCHPROCESSRESULTFILE>([^<]*)</.exec(bodyOf(steps))?.[1] ?? 'no file';
}

function fileOf(steps: readonly Step[]): string {
  return Buffer.from(base64Of(steps), 'base64').toString('latin1');
}
