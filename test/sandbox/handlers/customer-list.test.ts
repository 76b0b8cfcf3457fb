import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import { BANK_RECORD, BANK_XML, CARD_RECORD, CARD_XML } from '../support/customer-fields.ts';
import { callSandbox, CUSTOMER_PATH, goldenRecord, goldenSuccess } from '../support/process-call.ts';
import { type Fields, STYLES, toBase64 } from '../support/soap-request.ts';
import { useSandboxes } from '../support/sandbox-world.ts';

const world = useSandboxes();
const XML = 'GetCustomerListByCreationTimeXML';
const CSV = 'GetCustomerListByCreationTimeCSV';
const path = CUSTOMER_PATH;
const ALL: Fields = { customerCode: '', fromDate: '2017-06-15', toDate: '2017-06-17T00:00:00Z' };
const HEADER =
  'Customer Code,First Name,Last Name,Company,Address,City,State,Country,Zip Code,Phone,Mobile,Fax,Email,Comment,' +
  'Recurring,Amount,Begin Date,End Date,Schedule Type,Schedule Date,Method of Payment,Account,Expiry\r\n';
const CARD_ROW =
  'A10000001,Ada,Byron,Engine Co.,1 Some Road,Troy,NY,,12180,555-555-1234,555-555-5555,555-555-4321,ada@example.com,' +
  'note,true,5,2017-06-16T00:00:00,2027-06-15T00:00:00,Weekly,7,VISA,4***********2220,12/20\r\n';
const BANK_ROW =
  'A10000002,Ada,Byron,,,,,,,,,,,,false,,2017-06-16T00:00:00,2017-06-16T00:00:00,,,CHECKING,' +
  '0*********************0001,\r\n';

describe('customerList', () => {
  it.each(STYLES)('lists for %s what was created, the oldest first', async (style) => {
    const sandbox = await startWithRecords();
    expect(await callSandbox(sandbox, XML, ALL, { path, style })).toBe(goldenList(CARD_XML + BANK_XML, style));
    expect(await callSandbox(sandbox, CSV, ALL, { path, style })).toBe(
      goldenSuccess(CSV, `<FILE>${toBase64(HEADER + CARD_ROW + BANK_ROW)}</FILE>`, style),
    );
  });

  it.each<[Fields, string]>([
    [{ toDate: '2017-06-16' }, CARD_XML],
    [{ fromDate: '2017-06-16' }, BANK_XML],
    [{ fromDate: '2017-06-16T10:00:00-01:00' }, BANK_XML],
    [{ customerCode: 'A10000002' }, BANK_XML],
    [{ customerCode: 'A10000003' }, ''],
    [{ toDate: '2017-06-14' }, ''],
  ])('lists only what fits %j', async (fields, xml) => {
    const sandbox = await startWithRecords();
    expect(await callSandbox(sandbox, XML, { ...ALL, ...fields }, { path })).toBe(goldenList(xml));
  });

  it('shows nothing without an end, nothing to another account, and a header alone', async () => {
    const sandbox = await startWithRecords();
    expect(await callSandbox(sandbox, XML, { customerCode: '', fromDate: '2017-06-15' }, { path })).toBe(
      goldenList(''),
    );
    const login = { agentCode: 'OTHER', password: 'TEST88' };
    expect(await callSandbox(sandbox, XML, ALL, { path, login })).toBe(goldenList(''));
    expect(await callSandbox(sandbox, CSV, ALL, { path, login })).toBe(
      goldenSuccess(CSV, `<FILE>${toBase64(HEADER)}</FILE>`),
    );
  });

  it.each([XML, CSV])('%s needs a login, and dates that can be read', async (element) => {
    const sandbox = await world.start();
    expect(await callSandbox(sandbox, element, ALL, { path, login: {} })).toBe(
      goldenRecord(element, 'Error : Invalid Username or Password.', ''),
    );
    expect(await callSandbox(sandbox, element, { ...ALL, toDate: 'today' }, { path })).toContain(
      'The string is not a valid AllXsd value.</soap:Text>',
    );
  });
});

async function startWithRecords(): Promise<Sandbox> {
  const accounts = ['TEST88', 'OTHER'].map((agentCode) => ({ agentCode, password: 'TEST88' }));
  const sandbox = await world.start({ now: '2017-06-15T11:00:00Z', accounts });
  await callSandbox(sandbox, 'CreateCreditCardCustomerCode', CARD_RECORD, { path });
  sandbox.clock.set('2017-06-16T11:00:00Z');
  await callSandbox(sandbox, 'CreateACHEFTCustomerCode', BANK_RECORD, { path });
  return sandbox;
}

function goldenList(inner: string, style?: Parameters<typeof goldenSuccess>[2]): string {
  return goldenSuccess(XML, inner === '' ? '<CUSTOMERS />' : `<CUSTOMERS>${inner}</CUSTOMERS>`, style);
}
