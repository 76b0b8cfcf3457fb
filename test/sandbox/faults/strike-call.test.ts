import { describe, expect, it } from 'vitest';
import { type FaultPlan, planFaults } from '../../../src/sandbox/faults/plan-faults.ts';
import { strikeCall } from '../../../src/sandbox/faults/strike-call.ts';
import type { BookRow } from '../../../src/sandbox/books/book-row.ts';
import type { HttpCall } from '../../../src/sandbox/reply.ts';
import { type Fields, LOGIN, PATH, soapRequest } from '../support/soap-request.ts';
import { bodyOf, CHARGE, doneBatch } from './support/sample-answers.ts';

const BATCH_ROW = { account: 'TEST88', batchId: '41' } as BookRow;

describe('strikeCall', () => {
  it.each<[FaultPlan['kind'], number]>([
    ['http-500', 0],
    ['booked-then-reset', 1],
  ])('%s: the call is served %i times', async (kind, times) => {
    const { struck, served } = await strike({ kind }, 'ProcessCreditCard');
    expect(struck).toMatchObject({ fault: { kind }, operation: 'processCreditCard' });
    expect(served).toBe(times);
  });

  it('does nothing when nothing is due', async () => {
    expect(await strike({ kind: 'http-500', after: 1 }, 'ProcessCreditCard')).toEqual({ struck: undefined, served: 0 });
    const get = { ...callOf('ProcessCreditCard'), method: 'GET' };
    expect(await strike({ kind: 'http-500' }, get)).toEqual({ struck: undefined, served: 0 });
  });

  it('looks at the result of a batch before it strikes', async () => {
    const plan = { kind: 'result-empty' } as const;
    const { struck } = await strike(plan, 'GetBatchProcessResultFile', { reply: doneBatch('a\r\n') });
    expect(bodyOf(struck?.steps ?? [])).toContain('<BATCHPROCESSRESULTFILE></BATCHPROCESSRESULTFILE>');
    expect((await strike(plan, 'GetBatchProcessResultFile')).struck).toBeUndefined();
  });

  it.each<[string, readonly BookRow[], string | undefined]>([
    ['the account has none', [], undefined],
    ['it is of another account', [{ ...BATCH_ROW, account: 'TESTCA' }], undefined],
    ['it is a single charge', [{ ...BATCH_ROW, batchId: '' }], undefined],
    ['there is one', [BATCH_ROW, { ...BATCH_ROW, batchId: '42' }, { ...BATCH_ROW, batchId: '' }], '42'],
  ])('gives the batch id before this one, if %s', async (_when, rows, expected) => {
    const reply = doneBatch('a');
    const { struck } = await strike({ kind: 'repeated-batch-id' }, 'ProcessACHEFTChargeBatch', { rows, reply });
    const found = struck && /<BATCHID>(\d+)</.exec(bodyOf(struck.steps))?.[1];
    expect(found).toBe(expected);
  });

  it('strikes a request that cannot be read as well, but not as an operation', async () => {
    const call = { ...callOf('x'), body: Buffer.from('no XML') };
    expect((await strike({ kind: 'soap-fault-server' }, call)).struck?.operation).toBeUndefined();
    expect((await strike({ kind: 'http-500', operation: 'processACHEFT' }, call)).struck).toBeUndefined();
  });
});

async function strike(
  plan: FaultPlan,
  asked: string | HttpCall,
  { rows = [] as readonly BookRow[], reply = CHARGE } = {},
) {
  const faults = planFaults({ shut: () => {}, open: async () => {} });
  faults.plan(plan);
  let served = 0;
  const struck = await strikeCall(
    typeof asked === 'string' ? callOf(asked) : asked,
    { rows: () => rows },
    faults,
    async () => {
      served += 1;
      return reply;
    },
  );
  return { struck, served };
}

function callOf(element: string, fields: Fields = LOGIN): HttpCall {
  const { headers, body } = soapRequest(element, fields);
  return {
    method: 'POST',
    path: PATH,
    query: new URLSearchParams(),
    headers: { 'content-type': headers['Content-Type'] },
    body: Buffer.from(body),
  };
}
