import { reportParametersOf } from '../../../schemas/report-parameters.ts';
import { type ReportName, REPORTS } from '../../../schemas/reports.ts';
import { RESTRICTION_MESSAGES } from '../../../schemas/restrictions.ts';
import type { Server } from '../../../schemas/operations.ts';
import type { ClientParts } from '../call-operation.ts';
import { faultsOf } from '../check-parameters.ts';
import { exchange } from '../exchange.ts';
import { hideSecrets } from '../hide-secrets.ts';
import { buildRequest } from '../soap/build-request.ts';
import { readReport } from './read-report.ts';
import type { ReportAnswer } from './report-answers.ts';

/** Queries one report in the steps of `callOperation`: the restriction, the parameters, and only then the network. */
export async function callReport(parts: ClientParts, report: ReportName, parameters: unknown): Promise<ReportAnswer> {
  const { server, login } = parts.account;
  const servers: readonly Server[] = REPORTS[report].servers;
  if (!servers.includes(server)) return { kind: 'restricted', message: RESTRICTION_MESSAGES.server };

  const parsed = reportParametersOf(report).safeParse(parameters);
  if (!parsed.success) return { kind: 'invalid', faults: faultsOf(parsed.error) };

  const values = parsed.data;
  const address = parts.addressOf(report);
  const secrets = hideSecrets(login, values);
  const request = await buildRequest({ operation: report, address: address.href, login, values });
  const outcome = await exchange(parts, { operation: report, request, address, secrets });
  if (outcome.kind === 'not_sent') return outcome;
  return readReport({ report, server, scrub: secrets }, outcome);
}
