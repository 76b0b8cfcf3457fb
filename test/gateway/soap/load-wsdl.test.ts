import { describe, expect, it } from 'vitest';
import { loadWsdl } from '../../../src/gateway/soap/load-wsdl.ts';

describe('loadWsdl', () => {
  it('describes the one operation', async () => {
    const wsdl = await loadWsdl('deleteCustomerCode', 'https://gateway.example/x');
    expect(Object.keys(wsdl.definitions.bindings.CustomerLinkSoap12?.methods ?? {})).toEqual(['DeleteCustomerCode']);
  });

  it('is made new each time, so that one answer cannot change how the next is read', async () => {
    const first = await loadWsdl('getBatchProcessResultFile', '');
    const second = await loadWsdl('getBatchProcessResultFile', '');
    expect(first).not.toBe(second);
    expect(first.definitions.messages).not.toBe(second.definitions.messages);
  });
});
