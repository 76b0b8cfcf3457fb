import type { AnyAnswer } from '../../../../src/gateway/client-answers.ts';
import { createGatewayClient } from '../../../../src/gateway/create-gateway-client.ts';
import type { FaultPlan } from '../../../../src/sandbox/faults/plan-faults.ts';
import type { Sandbox } from '../../../../src/sandbox/start-sandbox.ts';

/** The calls that faults are tried with, as in FAULT_EXPECTATIONS. */
export type Tried = 'charge' | 'submit' | 'fetch';

const BANK_ROWS = [1, 2, 3].map((n) => `B-${n},Ada,Byron,CHECKING,02100002100000000000000001,${n}.00,Gift`);

/** The file that `submitEarlier` submits, whose result is fetched. */
export const EARLIER_FILE = BANK_ROWS.join('\n');

/** Plans a fault, makes one network call that would succeed without it, and counts the rows it booked. */
export async function strikeCall(
  sandbox: Sandbox,
  tried: Tried,
  plan: FaultPlan,
  answerMs: number,
): Promise<{ answer: AnyAnswer; countBooked: () => number }> {
  const client = clientOf(sandbox.url, answerMs);
  const batchId = await submitEarlier(sandbox);
  const before = sandbox.books().length;
  sandbox.faults.plan(plan);
  const answer = await makeCall(client, tried, batchId);
  return { answer, countBooked: () => sandbox.books().length - before };
}

export function clientOf(baseUrl: string, answerMs = 20_000) {
  return createGatewayClient(
    { server: 'NA', agentCode: 'TEST88', password: 'TEST88', currency: 'USD', baseUrl, timeouts: { answerMs } },
    { wait: async () => {} },
  );
}

/** @returns the id of a finished batch */
export async function submitEarlier({ url }: Pick<Sandbox, 'url'>): Promise<string> {
  const answer = await clientOf(url).processACHEFTChargeBatch({ batchFile: Buffer.from(EARLIER_FILE) });
  if (answer.kind !== 'accepted') throw new Error(`the earlier batch was not taken: ${answer.kind}`);
  return answer.result.batchId;
}

function makeCall(client: ReturnType<typeof clientOf>, tried: Tried, batchId: string): Promise<AnyAnswer> {
  switch (tried) {
    case 'charge':
      return client.processCreditCard({
        creditCardNum: '4222222222222220',
        creditCardExpiry: '12/35',
        mop: 'VISA',
        firstName: 'Ada',
        lastName: 'Byron',
        address: '1 Some Road',
        city: 'Troy',
        state: 'NY',
        zipCode: '12180',
        cvv2: '123',
        total: '5.00',
        invoiceNum: 'I-1',
      });
    case 'submit':
      return client.processACHEFTChargeBatch({ batchFile: Buffer.from('L-1,A10000001,5.00,Gift') });
    case 'fetch':
      return client.getBatchProcessResultFile({ batchId });
  }
}
