import { describe, expect, it } from 'vitest';
import { operationPage } from '../../src/sandbox/serve-request.ts';

const ADDRESS = 'http://127.0.0.1:8899/NetGate/ProcessLinkv2.asmx';

describe('operationPage', () => {
  it('shows a request in both versions of SOAP, with every element in its order', () => {
    const { status, contentType, body } = operationPage('getBatchProcessResultFile', ADDRESS, '');
    expect([status, contentType]).toEqual([200, 'text/html; charset=utf-8']);
    const page = String(body).replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"');
    expect(page).toContain('<h1>GetBatchProcessResultFile</h1><p>Get the results of a batch.</p>');
    expect(page.match(/POST .*\nHost: .*/g)).toEqual(
      Array(2).fill('POST /NetGate/ProcessLinkv2.asmx HTTP/1.1\nHost: 127.0.0.1:8899'),
    );
    expect(page).toContain('SOAPAction: "https://www.iatspayments.com/NetGate/GetBatchProcessResultFile"');
    expect(page).toContain('; action="https://www.iatspayments.com/NetGate/GetBatchProcessResultFile"');
    const fields = [
      '<agentCode>text</agentCode>',
      '<password>text</password>',
      '<customerIPAddress>ipv4</customerIPAddress>',
      '<batchId>text</batchId>',
    ];
    expect(page.match(/<(\w+)>(text|ipv4)<\/\1>/g)).toEqual([...fields, ...fields]);
  });

  it('shows the names of version 1 where they are used', () => {
    const { body } = operationPage('deleteCustomerCode', ADDRESS, 'V1');
    expect(body).toContain('NetGate/DeleteCustomerCodeV1&quot;');
    expect(body).toContain('&lt;DeleteCustomerCodeV1 xmlns=');
  });
});
