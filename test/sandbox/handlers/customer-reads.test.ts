import { beforeEach, describe, expect, it } from 'vitest';
import {
  BANK_RECORD,
  BANK_XML,
  CARD_RECORD,
  CARD_XML,
  type Fields,
  STYLES,
  toBase64,
} from '../support/soap-request.ts';
import {
  type CallArguments,
  callSandbox,
  CUSTOMER_PATH,
  goldenNullFailure,
  goldenRecord,
  goldenSuccess,
  NOW,
} from '../support/make-context.ts';
import { useSandboxes } from '../support/sandbox-world.ts';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import { CUSTOMER_REFUSALS, customerPayload } from '../../../src/sandbox/handlers/customers.ts';

const world = useSandboxes();

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await world.start({ now: NOW });
});
const DETAIL = 'GetCustomerCodeDetail';

describe('customerDetail', () => {
  it.each(STYLES)('shows %s the records, numbers masked', async (style) => {
    await call('CreateCreditCardCustomerCode', CARD_RECORD);
    await call('CreateACHEFTCustomerCode', BANK_RECORD);
    for (const [customerCode, xml] of [
      ['A10000001', CARD_XML],
      ['A10000002', BANK_XML],
    ] as const) {
      expect(await call(DETAIL, { customerCode }, { style })).toBe(
        goldenSuccess(DETAIL, `<CUSTOMERS>${xml}</CUSTOMERS>`, style),
      );
    }
  });

  it('shows the full name too when it is asked by the names of version 1', async () => {
    await call('CreateCreditCardCustomerCode', CARD_RECORD);
    const answer = await call(`${DETAIL}V1`, { customerCode: 'A10000001' });
    const xml = CARD_XML.replace('</CSTC>', '</CSTC><FLN>Ada Byron</FLN>');
    expect(answer).toBe(goldenSuccess(`${DETAIL}V1`, `<CUSTOMERS>${xml}</CUSTOMERS>`));
  });

  it('does not know codes that never were, nor those of another account', async () => {
    const accounts = ['TEST88', 'OTHER'].map((agentCode) => ({ agentCode, password: 'TEST88' }));
    sandbox = await world.start({ now: NOW, accounts });
    await call('CreateCreditCardCustomerCode', CARD_RECORD);
    const login = { agentCode: 'OTHER', password: 'TEST88' };
    expect(await call(DETAIL, { customerCode: 'A10000001' }, { login })).toBe(
      goldenRecord(DETAIL, "Error : The customer code doesn't exist!", 'A10000001'),
    );
  });

  it('needs a code, then a login', async () => {
    expect(await call(DETAIL, {}, { login: {} })).toBe(goldenNullFailure(DETAIL));
    expect(await call(DETAIL, { customerCode: '' }, { login: {} })).toBe(
      goldenRecord(DETAIL, 'Error : Invalid Username or Password.', ''),
    );
  });
});

const XML = 'GetCustomerListByCreationTimeXML';
const CSV = 'GetCustomerListByCreationTimeCSV';
const ALL: Fields = { customerCode: '', fromDate: '2017-06-15', toDate: '2017-06-17T00:00:00Z' };
const HEADER =
  'Customer Code,First Name,Last Name,Company,Address,City,State,Country,Zip Code,Phone,Mobile,Fax,Email,Comment,' +
  'Recurring,Amount,Begin Date,End Date,Schedule Type,Schedule Date,Method of Payment,Account,Expiry,' +
  'Title,Item 1,Item 2,Item 3,Item 4,Item 5,Item 6\r\n';
const CARD_ROW =
  'A10000001,Ada,Byron,Engine Co.,1 Some Road,Troy,NY,,12180,555-555-1234,555-555-5555,555-555-4321,ada@example.com,' +
  'note,true,5,2017-06-16T00:00:00,2027-06-15T00:00:00,Weekly,7,VISA,4***********2220,12/20,,,,,,,\r\n';
const BANK_ROW =
  'A10000002,Ada,Byron,,,,,,,,,,,,false,,2017-06-16T00:00:00,2017-06-16T00:00:00,,,CHECKING,' +
  '0*********************0001,,,,,,,,\r\n';

describe('customerList', () => {
  it.each(STYLES)('lists for %s what was created, the oldest first', async (style) => {
    await startWithRecords();
    expect(await call(XML, ALL, { style })).toBe(goldenList(CARD_XML + BANK_XML, style));
    expect(await call(CSV, ALL, { style })).toBe(
      goldenSuccess(CSV, `<FILE>${toBase64(HEADER + CARD_ROW + BANK_ROW)}</FILE>`, style),
    );
  });

  it.each<[Fields, string]>([
    [{ toDate: '2017-06-16' }, CARD_XML],
    [{ fromDate: '2017-06-16' }, BANK_XML],
    [{ fromDate: '2017-06-16T10:00:00-01:00' }, BANK_XML],
    [{ customerCode: 'A10000002' }, BANK_XML],
    [{ customerCode: 'A10000003' }, ''],
    [{ fromDate: '2017-06-13', toDate: '2017-06-14' }, ''],
  ])('lists only what fits %j', async (fields, xml) => {
    await startWithRecords();
    expect(await call(XML, { ...ALL, ...fields })).toBe(goldenList(xml));
  });

  it('shows nothing to another account, and a header alone', async () => {
    await startWithRecords();
    const login = { agentCode: 'OTHER', password: 'TEST88' };
    expect(await call(XML, ALL, { login })).toBe(goldenList(''));
    expect(await call(CSV, ALL, { login })).toBe(goldenSuccess(CSV, `<FILE>${toBase64(HEADER)}</FILE>`));
  });

  it('shows nothing without an end, if that is allowed', async () => {
    sandbox = await world.start({ now: NOW, allow: ['list-range-given'] });
    await call('CreateCreditCardCustomerCode', CARD_RECORD);
    expect(await call(XML, { customerCode: '', fromDate: '2017-06-15' })).toBe(goldenList(''));
  });

  it.each([XML, CSV])('%s needs a login, and dates that can be read', async (element) => {
    expect(await call(element, ALL, { login: {} })).toBe(
      goldenRecord(element, 'Error : Invalid Username or Password.', ''),
    );
    expect(await call(element, { ...ALL, toDate: 'today' })).toContain(
      'The string is not a valid AllXsd value.</soap:Text>',
    );
  });
});

async function startWithRecords(): Promise<void> {
  const accounts = ['TEST88', 'OTHER'].map((agentCode) => ({ agentCode, password: 'TEST88' }));
  sandbox = await world.start({ now: '2017-06-15T11:00:00Z', accounts });
  await call('CreateCreditCardCustomerCode', CARD_RECORD);
  sandbox.clock.set('2017-06-16T11:00:00Z');
  await call('CreateACHEFTCustomerCode', BANK_RECORD);
}

function goldenList(inner: string, style?: Parameters<typeof goldenSuccess>[2]): string {
  return goldenSuccess(XML, inner === '' ? '<CUSTOMERS />' : `<CUSTOMERS>${inner}</CUSTOMERS>`, style);
}

const DELETE = 'DeleteCustomerCode';

describe('deleteCustomer', () => {
  it.each(STYLES)('answers %s with a sentence, and the record is gone', async (style) => {
    await call('CreateCreditCardCustomerCode', CARD_RECORD);
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await call(DELETE, { customerCode: 'A10000001' }, { style })).toBe(
        goldenRecord(DELETE, 'OK', '"A10000001" is deleted', style),
      );
    }
    expect(await call(DETAIL, { customerCode: 'A10000001' })).toBe(
      goldenRecord(DETAIL, "Error : The customer code doesn't exist!", 'A10000001'),
    );
  });

  it('answers the same for a code that never was', async () => {
    expect(await call(DELETE, { customerCode: '-1' })).toBe(goldenRecord(DELETE, 'OK', '"-1" is deleted'));
  });

  it('needs a code, then a login', async () => {
    expect(await call(DELETE, {}, { login: {} })).toBe(goldenNullFailure(DELETE));
    expect(await call(DELETE, { customerCode: '' }, { login: {} })).toBe(
      goldenRecord(DELETE, 'Error : Invalid Username or Password.', ''),
    );
  });
});

describe('customerPayload', () => {
  it('carries no padding and escapes what a client made up', () => {
    expect(customerPayload('OK', '<1>')).toBe(
      '<PROCESSRESULT><AUTHORIZATIONRESULT>OK</AUTHORIZATIONRESULT><CUSTOMERCODE>&lt;1&gt;</CUSTOMERCODE></PROCESSRESULT>',
    );
  });
});

describe('CUSTOMER_REFUSALS', () => {
  it('name no code', () => {
    expect(CUSTOMER_REFUSALS.failurePayload).toBe('<PROCESSRESULT><AUTHORIZATIONRESULT /></PROCESSRESULT>');
    expect(CUSTOMER_REFUSALS.badLoginPayload).toBe(
      '<PROCESSRESULT><AUTHORIZATIONRESULT>Error : Invalid Username or Password.</AUTHORIZATIONRESULT>' +
        '<CUSTOMERCODE /></PROCESSRESULT>',
    );
  });
});

function call(...[element, fields, options]: CallArguments): Promise<string> {
  return callSandbox(sandbox, element, fields, { path: CUSTOMER_PATH, ...options });
}
