import type { ReportParametersOf } from '../../../schemas/report-parameters.ts';
import { type ReportName, REPORTS } from '../../../schemas/reports.ts';
import { type ClientWorld, type GatewayClientSettings, readParts } from '../create-gateway-client.ts';
import { callReport } from './call-report.ts';
import type { ReportAnswer } from './report-answers.ts';

/** The transaction reports, a method for each row of `schemas/reports.ts`. As in `GatewayClient`, none throws. */
export type ReportClient = {
  readonly [Report in ReportName]: (parameters: ReportParametersOf<Report>) => Promise<ReportAnswer>;
};

/**
 * Creates the client of ReportLink for one account, which the spec does not cover. It is the only way to learn the
 * outcome of a payment whose answer was lost. Settings and world are those of `createGatewayClient`; the currency is
 * unused.
 * @throws PipelineError GATEWAY_SETUP as `createGatewayClient` does
 */
export function createReportClient(settings: GatewayClientSettings, world: ClientWorld = {}): ReportClient {
  const parts = readParts(settings, world);
  const reports = Object.keys(REPORTS) as ReportName[];
  const methods = reports.map((report) => [report, (parameters: unknown) => callReport(parts, report, parameters)]);
  // The compiler cannot follow keys built from the table; the type above describes each of them.
  return Object.fromEntries(methods) as ReportClient;
}
