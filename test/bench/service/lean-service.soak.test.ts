import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../../bench/peers/afternoon/call-service.ts';
import { type LeanService, startLeanService } from '../../../bench/service/lean-service.ts';
import { createGateway, type Gateway } from '../../../src/gateway/create-gateway.ts';

const ROW = '06/15/2026,1001,Ada,Byron,1 Mill Lane,Troy,NY,12180,5.00,VISA,4222222222222220,12/35';

let service: LeanService;
let gateway: Gateway;
beforeEach(async () => {
  service = await startLeanService();
  const times = { connectTimeoutMs: 30_000, answerTimeoutMs: 30_000 };
  const login = { agentCode: 'TEST88', password: 'TEST88' };
  gateway = createGateway({ server: 'NA', currency: 'USD', baseUrl: service.url, ...login, ...times });
});
afterEach(() => service.close());

async function submit(): Promise<string> {
  const body = Buffer.from(ROW);
  const answer = await gateway.submitBatch({
    operation: 'processCreditCardBatch',
    body,
    beforeFirstByte: async () => true,
  });
  if (answer.kind !== 'submitted') throw new Error(answer.kind);
  return answer.batchId;
}

describe('startLeanService', () => {
  it('takes a batch of paydrop and has its result at once', async () => {
    const batchId = await submit();
    expect(await gateway.fetchBatchResult({ batchId })).toMatchObject({
      kind: 'done',
      file: Buffer.from(`${ROW.replace('4222222222222220', '4***********2220')},OK: 678594:\r\n`),
    });
    expect(service.figures()).toEqual({ batches: 1, rows: 1 });
  });

  it('serves the afternoon script as well', async () => {
    const script = await connect(service.url);
    const id = await script.submit(Buffer.from(ROW).toString('base64'));
    expect(await script.fetchResult(id)).toEqual([{ invoice: '1001', amount: '5.00', message: 'OK: 678594:' }]);
  });

  it('gives each batch an id of its own', async () => {
    expect(await submit()).not.toBe(await submit());
  });

  it('says that a batch is not done when it is told to hold, and of one that it does not know', async () => {
    const batchId = await submit();
    expect(await gateway.fetchBatchResult({ batchId: '77' })).toMatchObject({ kind: 'running' });
    service.hold();
    expect(await gateway.fetchBatchResult({ batchId })).toMatchObject({ kind: 'running' });
  });
});
