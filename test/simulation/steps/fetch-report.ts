import type { ReportName } from '../../../schemas/reports.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import type { Account } from '../../../src/config/config.ts';
import { buildRequest } from '../../../src/gateway/soap/build-request.ts';
import type { World } from '../world.ts';

/** Fetches the transaction report that a person downloads: every approved payment of one kind, as CSV. */
export async function fetchReport(world: World, account: Account, operation: FolderOperation): Promise<Buffer> {
  const report: ReportName =
    operation === 'card' ? 'getCreditCardApprovedDateRangeCSV' : 'getACHEFTApprovedDateRangeCSV';
  const address = `${world.sandbox.url}/NetGate/ReportLinkv2.asmx`;
  const { agentCode, password } = account;
  const dayMs = 86_400_000;
  const nowMs = world.sandbox.clock.now().getTime();
  const { headers, body } = await buildRequest({
    operation: report,
    address,
    login: { agentCode, password },
    values: {
      fromDate: new Date(nowMs - world.choose.one([2, 100, 900]) * dayMs).toISOString(),
      toDate: new Date(nowMs + dayMs).toISOString(),
      customerIPAddress: '',
      startIndex: '',
      endIndex: '',
    },
  });
  const answer = await fetch(address, { method: 'POST', headers, body: new Uint8Array(body) });
  const [, base64 = ''] = /<FILE>([^<]*)<\/FILE>/i.exec(await answer.text()) ?? [];
  return Buffer.from(base64, 'base64');
}
