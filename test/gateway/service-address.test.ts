import { describe, expect, it } from 'vitest';
import { serviceAddress } from '../../src/gateway/service-address.ts';

describe('serviceAddress', () => {
  it.each([
    ['NA', undefined, 'https://www.iatspayments.com/NetGate/ProcessLinkv2.asmx'],
    ['UK', undefined, 'https://www.uk.iatspayments.com/NetGate/ProcessLinkv2.asmx'],
    ['NA', 'https://gateway.example:8443', 'https://gateway.example:8443/NetGate/ProcessLinkv2.asmx'],
    ['NA', 'https://gateway.example/behind/', 'https://gateway.example/behind/NetGate/ProcessLinkv2.asmx'],
    ['NA', 'http://127.0.0.1:8899', 'http://127.0.0.1:8899/NetGate/ProcessLinkv2.asmx'],
    ['NA', 'http://127.9.9.9', 'http://127.9.9.9/NetGate/ProcessLinkv2.asmx'],
    ['NA', 'http://localhost:8899/', 'http://localhost:8899/NetGate/ProcessLinkv2.asmx'],
    ['NA', 'http://[::1]:8899', 'http://[::1]:8899/NetGate/ProcessLinkv2.asmx'],
  ] as const)('of %s at %s is %s', (server, baseUrl, address) => {
    expect(serviceAddress(server, baseUrl).href).toBe(address);
  });

  it('of customers is CustomerLink on either server', () => {
    expect(serviceAddress('NA', undefined, 'CustomerLink').href).toBe(
      'https://www.iatspayments.com/NetGate/CustomerLinkv2.asmx',
    );
    expect(serviceAddress('UK', 'http://127.0.0.1:8899/x/', 'CustomerLink').href).toBe(
      'http://127.0.0.1:8899/x/NetGate/CustomerLinkv2.asmx',
    );
  });

  it.each([
    'http://www.iatspayments.com',
    'http://10.0.0.1',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1@evil.example',
    'https://user:pw-canary@gateway.example',
    'https://gateway.example/?x=1',
    'https://gateway.example/#x',
    'ftp://127.0.0.1',
    'not a URL',
    '',
  ])('refuses %s without repeating it', (baseUrl) => {
    expect(() => serviceAddress('NA', baseUrl)).toThrow(expect.objectContaining({ code: 'GATEWAY_SETUP' }));
    expect(() => serviceAddress('NA', baseUrl)).not.toThrow(/canary|evil|example/);
  });
});
