import { afterEach, describe, expect, it } from 'vitest';
import { createGateway, type GatewaySettings } from '../../src/gateway/create-gateway.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { DONE, WAIT } from './support/soap-answers.ts';

const BODY = Buffer.from('1001,Ada,Byron,CHECKING,02100002100000000000000001,5.00,Gift\n1002,Ada');

let sandbox: Sandbox;

afterEach(() => sandbox.close());

describe('the gateway with the sandbox', () => {
  it('submits a batch, sees it running and fetches its result', async () => {
    sandbox = await startSandbox({ batchDelayMs: 60_000 });
    const gateway = createGateway(settings());
    const answer = await submitTo(gateway);
    expect(answer).toEqual({
      kind: 'submitted',
      serviceAt: expect.any(Date),
      batchId: expect.stringMatching(/./),
      text: WAIT,
    });
    const batchId = answer.kind === 'submitted' ? answer.batchId : '';
    expect(await gateway.fetchBatchResult({ batchId })).toEqual({ kind: 'running', text: WAIT });
    sandbox.clock.advance(60_000);
    const result = await gateway.fetchBatchResult({ batchId });
    expect(result).toMatchObject({ kind: 'done', text: DONE });
    const rows = result.kind === 'done' ? result.file.toString().trim().split('\r\n') : [];
    expect(rows).toEqual([
      expect.stringMatching(/^1001,Ada,Byron,CHECKING,.*0001,5\.00,Gift,Received/),
      expect.stringMatching(/^1002,Ada,Wrong Format/),
    ]);
  });

  it('is refused with a wrong password', async () => {
    sandbox = await startSandbox();
    const answer = await submitTo(createGateway(settings({ password: 'wrong' })));
    expect(answer).toEqual({ kind: 'refused', serviceAt: expect.any(Date), text: 'REJECT: 1', code: 1 });
  });

  it('does not know a batch that was never submitted', async () => {
    sandbox = await startSandbox();
    const answer = await createGateway(settings()).fetchBatchResult({ batchId: '424242' });
    expect(answer).toEqual({ kind: 'not_known', text: 'Error : Invalid Batch ID.' });
  });
});

function settings(more: Partial<GatewaySettings> = {}): GatewaySettings {
  return { server: 'NA', agentCode: 'TEST88', password: 'TEST88', baseUrl: sandbox.url, ...more };
}

function submitTo(gateway: ReturnType<typeof createGateway>) {
  return gateway.submitBatch({
    operation: 'processACHEFTChargeBatch',
    body: BODY,
    beforeFirstByte: async () => true,
  });
}
