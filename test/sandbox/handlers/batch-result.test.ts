import { describe, expect, it } from 'vitest';
import { BATCH_TEXTS, batchPayload } from '../../../src/sandbox/handlers/batch-payload.ts';
import { batchResult } from '../../../src/sandbox/handlers/batch-result.ts';
import { batchSubmission } from '../../../src/sandbox/handlers/batch-submission.ts';
import type { HandlerContext } from '../../../src/sandbox/handlers/handler.ts';
import { ACCOUNT, makeCall, makeContext } from '../support/make-context.ts';
import { toBase64 } from '../support/soap-request.ts';

describe('batchResult', () => {
  it('is running until its time, then done with the file', async () => {
    const { context, clock } = await makeContext();
    await submit(context, 'a,b');
    clock.advance(999);
    expect(await ask(context, '1000001')).toEqual({ payload: batchPayload(BATCH_TEXTS.running, '1000001') });
    clock.advance(1);
    const file = `<BATCHPROCESSRESULTFILE>${toBase64('a,b,Wrong Format\r\n')}</BATCHPROCESSRESULTFILE>`;
    const done = { payload: batchPayload(BATCH_TEXTS.done, '1000001', file) };
    expect(await ask(context, '1000001')).toEqual(done);
    expect(await ask(context, ' 1000001\n')).toEqual(done);
  });

  it('is done with an empty file when nothing was sent', async () => {
    const { context, clock } = await makeContext();
    await submit(context, '');
    clock.advance(1000);
    expect(await ask(context, '1000001')).toEqual({
      payload: batchPayload(BATCH_TEXTS.done, '1000001', '<BATCHPROCESSRESULTFILE />'),
    });
  });

  it.each(['1000002', '', 'x', '01000001', '1000001.0'])('does not know the batch %j', async (batchId) => {
    const { context, clock } = await makeContext();
    await submit(context, 'a,b');
    clock.advance(1000);
    expect(await ask(context, batchId)).toEqual({ payload: batchPayload(BATCH_TEXTS.unknown, batchId) });
  });

  it('does not know the batches of another account', async () => {
    const { context, clock } = await makeContext();
    await submit(context, 'a,b');
    clock.advance(1000);
    const other = makeCall('getBatchProcessResultFile', { batchId: '1000001' }, { ...ACCOUNT, agentCode: 'OTHER' });
    expect(await batchResult.answer(other, context)).toEqual({ payload: batchPayload(BATCH_TEXTS.unknown, '1000001') });
  });
});

function submit(context: HandlerContext, file: string) {
  return batchSubmission('card').answer(makeCall('processCreditCardBatch', { batchFile: toBase64(file) }), context);
}

function ask(context: HandlerContext, batchId: string) {
  return batchResult.answer(makeCall('getBatchProcessResultFile', { batchId }), context);
}
