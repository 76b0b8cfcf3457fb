import { type Client, createClientAsync } from 'soap';
import { describe, expect, it } from 'vitest';
import { LOGIN, toBase64 } from './support/soap-request.ts';
import { useSandboxes } from './support/sandbox-world.ts';

const world = useSandboxes();
const CARD_ROWS = '06/15/2026,1001,Ada Byron,5.00,VISA,4222222222222220,1230\nbad';

/** node-soap knows nothing but what the description says. */
describe('node-soap as a client of the sandbox', () => {
  it.each([
    ['ProcessLinkv2.asmx', { forceSoap12Headers: true }],
    ['ProcessLinkv2.asmx', {}],
    ['processlinkV4.asmx', {}],
    ['ProcessLink.asmx', {}],
  ])('submits a batch and reads its result at %s with %j', async (path, options) => {
    const { url, clock } = await world.start({ batchDelayMs: 60_000 });
    const client = await createClientAsync(`${url}/NetGate/${path}?WSDL`, options);
    const submitted = await call(client, 'ProcessCreditCardBatch', { ...LOGIN, batchFile: toBase64(CARD_ROWS) });
    expect(submitted).toEqual({ AUTHORIZATIONRESULT: 'Batch Processing, Please Wait ....', BATCHID: '1000001' });
    expect(await call(client, 'GetBatchProcessResultFile', { ...LOGIN, batchId: submitted.BATCHID })).toEqual(
      submitted,
    );
    clock.advance(60_000);
    const done = await call(client, 'GetBatchProcessResultFile', { ...LOGIN, batchId: submitted.BATCHID });
    expect(done).toMatchObject({ AUTHORIZATIONRESULT: 'Batch Process Has Been Done', BATCHID: '1000001' });
    expect(Buffer.from(done.BATCHPROCESSRESULTFILE ?? '', 'base64').toString()).toBe(
      '06/15/2026,1001,Ada Byron,5.00,VISA,4***********2220,1230,OK: 678594:\r\nbad,Wrong Format\r\n',
    );
  });

  it.each([{ forceSoap12Headers: true }, {}])('reads a fault as one with %j', async (options) => {
    const { url } = await world.start();
    const client = await createClientAsync(`${url}/NetGate/ProcessLinkv2.asmx?WSDL`, options);
    const failed = call(client, 'ProcessCreditCardBatch', { ...LOGIN, batchFile: 'QUI*' });
    await expect(failed).rejects.toThrow('Server was unable to read request.');
  });
});

async function call(client: Client, operation: string, fields: object): Promise<Record<string, string>> {
  const [answer] = await client[`${operation}Async`](fields);
  const [result] = Object.values<{ IATSRESPONSE: { BATCHPROCESSRESULT: Record<string, string> } }>(answer);
  if (!result) throw new Error('no result element');
  return result.IATSRESPONSE.BATCHPROCESSRESULT;
}
