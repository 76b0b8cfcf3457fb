import { describe, expect, it } from 'vitest';
import { REPORTS } from '../../../schemas/reports.ts';
import type { GatewayClientSettings } from '../../../src/gateway/create-gateway-client.ts';
import { createReportClient, type ReportClient } from '../../../src/gateway/reports/create-report-client.ts';

const SETTINGS: GatewayClientSettings = { server: 'NA', agentCode: 'TEST88', password: 'TEST88' };

describe('createReportClient', () => {
  it('has the reports of the table and nothing else', () => {
    expect(Object.keys(createReportClient(SETTINGS))).toEqual(Object.keys(REPORTS));
  });

  it.each<[string, Partial<Record<keyof GatewayClientSettings, unknown>>]>([
    ['another server', { server: 'EU' }],
    ['no password', { password: '' }],
    ['plain http', { baseUrl: 'http://gateway.example' }],
  ])('refuses %s, as the client of the operations does', (_what, change) => {
    const settings = { ...SETTINGS, ...change } as GatewayClientSettings;
    expect(() => createReportClient(settings)).toThrow(expect.objectContaining({ code: 'GATEWAY_SETUP' }));
  });

  it('does not compile with wrong calls', () => {
    expect(wrongCalls).toBeTypeOf('function');
  });
});

/** Never called; the compiler must reject each marked line. */
async function wrongCalls(client: ReportClient): Promise<void> {
  const answer = await client.getCreditCardApprovedSpecificDateXML({ date: new Date(0) });
  if (answer.kind === 'read') answer.report.entries satisfies readonly object[];
  // @ts-expect-error a report exists only when it was read
  void answer.report;
  await client.getACHEFTRejectDateRangeCSV({ fromDate: new Date(0), toDate: '2026-06-15T00:00:00Z', endIndex: 9 });
  // @ts-expect-error the end of the range is missing
  await client.getACHEFTRejectDateRangeCSV({ fromDate: new Date(0) });
  // @ts-expect-error an index is a number
  await client.getACHEFTRejectDateRangeCSV({ fromDate: new Date(0), toDate: new Date(0), endIndex: '9' });
  // @ts-expect-error a currency that the service does not list
  await client.getCreditCardBankReconciliationReportCSV({ fromDate: '', toDate: '', currency: 'JPY' });
  // @ts-expect-error cards have no returned payments
  await client.getCreditCardReturnSpecificDateXML({ date: new Date(0) });
}
