import { describe, expect, it } from 'vitest';
import { frontPage, helpPage } from '../../src/sandbox/pages.ts';

const BASE = 'http://127.0.0.1:8899';

describe('frontPage', () => {
  const { body, contentType } = frontPage(BASE, [
    { agentCode: 'TEST88', password: 'not-to-be-shown' },
    { agentCode: 'UDDD88', password: 'not-to-be-shown', server: 'UK' },
  ]);

  it('says what it is and links every description of a service that is served', () => {
    expect(contentType).toBe('text/html; charset=utf-8');
    expect(body).toContain('<h1>Payment service sandbox</h1>');
    for (const version of ['', 'v2', 'v3', 'v4']) {
      expect(body).toContain(`<a href="${BASE}/NetGate/ProcessLink${version}.asmx?WSDL">`);
      expect(body).toContain(`<a href="${BASE}/NetGate/CustomerLink${version}.asmx?WSDL">`);
      expect(body).toContain(`<a href="${BASE}/NetGate/ReportLink${version}.asmx?WSDL">`);
    }
  });

  it('lists the cards and what they answer', () => {
    expect(body).toContain('<li>4222222222222220: all amounts: OK: 678594:</li>');
    expect(body).toContain('6.00: OK: 678594:X;');
    expect(body).toContain('192.00: OK: 678594: (bad IP address: REJECT: 5); other amounts: REJECT: 15</li>');
    expect(body).toContain('15.00: REJECT: 19 (security code 1234: OK: 678594:Y);');
    expect(body).toContain('Any card above 2000.00: REJECT: 39');
    expect(body).toContain('OK: 555555: in a single charge');
  });

  it('shows accounts without their passwords', () => {
    expect(body).toContain('<li>TEST88 (NA and UK)</li><li>UDDD88 (UK)</li>');
    expect(body).not.toContain('not-to-be-shown');
  });
});

describe('helpPage', () => {
  it('lists the operations with their elements', () => {
    const { body } = helpPage('ProcessLink', `${BASE}/NetGate/ProcessLinkv2.asmx`, ['getBatchProcessResultFile']);
    expect(body).toContain('<h1>ProcessLink</h1>');
    expect(body).toContain(`<a href="${BASE}/NetGate/ProcessLinkv2.asmx?WSDL">`);
    expect(body).toContain(
      'GetBatchProcessResultFile: Get the results of a batch (agentCode, password, customerIPAddress, batchId)',
    );
    const reports = helpPage('ReportLink', BASE, ['getACHEFTReturnSpecificDateXML']);
    expect(reports.body).toContain(
      'GetACHEFTReturnSpecificDateXML: Returned bank payments of a day, as XML (agentCode, password, date, customerIPAddress)',
    );
  });
});
