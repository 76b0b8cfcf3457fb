import { type Client, createClientAsync } from 'soap';
import { describe, expect, it } from 'vitest';
import { LOGIN, toBase64 } from '../sandbox/support/soap-request.ts';
import { CARD_RECORD } from '../sandbox/support/customer-fields.ts';
import { useSandboxes } from '../sandbox/support/sandbox-world.ts';

const world = useSandboxes();
const CARD_ROWS = '06/15/2026,1001,Ada Byron,5.00,VISA,4222222222222220,1230\nbad';

/** node-soap knows only what the WSDL says. */
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

  it.each([
    ['v2', { forceSoap12Headers: true }],
    ['v3', {}],
    ['', {}],
  ])('charges the record that it created, with version "%s" and %j', async (version, options) => {
    const { url } = await world.start({ now: '2017-06-15T10:00:00Z' });
    const records = await createClientAsync(`${url}/NetGate/CustomerLink${version}.asmx?WSDL`, options);
    const charges = await createClientAsync(`${url}/NetGate/ProcessLink${version}.asmx?WSDL`, options);
    const created = await call(records, 'CreateCreditCardCustomerCode', { ...LOGIN, ...CARD_RECORD });
    expect(created).toEqual({ AUTHORIZATIONRESULT: 'OK', CUSTOMERCODE: 'A10000001' });
    const byCode = { ...LOGIN, customerCode: created.CUSTOMERCODE, total: '5.00' };
    // This client trims values.
    expect(await call(charges, 'ProcessCreditCardWithCustomerCode', byCode)).toMatchObject({
      AUTHORIZATIONRESULT: 'OK: 678594:',
      CUSTOMERCODE: 'A10000001',
      TRANSACTIONID: 'A6000001',
    });
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
  const [result] = Object.values<{ IATSRESPONSE: Record<string, Record<string, string>> }>(answer);
  const payload = result?.IATSRESPONSE['BATCHPROCESSRESULT'] ?? result?.IATSRESPONSE['PROCESSRESULT'];
  if (!payload) throw new Error('no payload in the answer');
  return payload;
}
