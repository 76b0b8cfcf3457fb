import type { ReportParametersOf } from '../../../schemas/report-parameters.ts';
import { type ReportName, REPORTS } from '../../../schemas/reports.ts';
import { type ClientWorld, type GatewayClientSettings, readParts } from '../create-gateway-client.ts';
import { callReport } from './call-report.ts';
import type { ReportAnswer } from './report-answers.ts';

/** The journals of the service, one method for each row of schemas/reports.ts. A method never throws, as in GatewayClient. */
export type ReportClient = {
  readonly [Report in ReportName]: (parameters: ReportParametersOf<Report>) => Promise<ReportAnswer>;
};

/**
 * The client of ReportLink for one account, beyond the spec. It is the only way to learn what became of a payment whose
 * answer was lost. Settings and world are those of `createGatewayClient`; the currency is not asked for.
 * @throws PipelineError GATEWAY_SETUP as `createGatewayClient` does
 */
export function createReportClient(settings: GatewayClientSettings, world: ClientWorld = {}): ReportClient {
  const parts = readParts(settings, world);
  const reports = Object.keys(REPORTS) as ReportName[];
  const methods = reports.map((report) => [report, (parameters: unknown) => callReport(parts, report, parameters)]);
  // Made from the table by name, which the compiler cannot follow; the type above says the same of each name.
  return Object.fromEntries(methods) as ReportClient;
}
