import { describe, expect, it } from 'vitest';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { readRow } from '../../../src/sandbox/batch/read-row.ts';
import { payerOfRow } from '../../../src/sandbox/batch/process-batch.ts';

const NOBODY = { firstName: '', lastName: '', payment: '', shownNumber: '', expiry: '', comment: '' };

describe('payerOfRow', () => {
  it.each<[string, FolderOperation, string, object]>([
    [
      'a bank row',
      'ach-charge',
      '1001,Ada,Byron,CHECKING,02100002100000000000000001,5.00,Gift',
      {
        firstName: 'Ada',
        lastName: 'Byron',
        payment: 'CHECKING',
        shownNumber: '0*********************0001',
        comment: 'Gift',
      },
    ],
    [
      'a card row',
      'card',
      '06/15/2017,1001,Ada,Byron,1 Some Road,Troy,NY,12180,5.00,VISA,4222222222222220,1230',
      { firstName: 'Ada', lastName: 'Byron', payment: 'VISA', shownNumber: '4***********2220', expiry: '12/30' },
    ],
    [
      'a Canadian card row',
      'card',
      '06/15/2017,1001,Ada King  Byron,5.00,MC,4222222222222220,12/30',
      { firstName: 'Ada King', lastName: 'Byron', payment: 'MC', shownNumber: '4***********2220', expiry: '12/30' },
    ],
    ['one word for a name', 'card', '06/15/2017,1001,Ada,5.00,MC,,', { lastName: 'Ada', payment: 'MC' }],
    ['a row by customer code', 'card', '1001,A1,5.00,Gift', { comment: 'Gift' }],
  ])('of %s', (_, kind, text, payer) => {
    expect(payerOfRow(readRow(kind, text.split(',')))).toEqual({ ...NOBODY, ...payer });
  });
});
