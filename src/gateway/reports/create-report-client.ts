import { type ReportParametersOf, reportParametersOf } from '../../../schemas/reports.ts';
import { type ReportName, type ReportRow, REPORTS } from '../../../schemas/reports.ts';
import { type ClientWorld, type GatewayClientSettings, readParts } from '../create-gateway-client.ts';
import type { JournalLine, JournalReport, ReportAnswer } from '../answers.ts';
import { RESTRICTION_MESSAGES } from '../../../schemas/restrictions.ts';
import type { Server } from '../../../schemas/operations.ts';
import type { ClientParts } from '../call-operation.ts';
import { faultsOf } from '../check-parameters.ts';
import { exchange } from '../exchange.ts';
import { hideSecrets, type Scrub } from '../hide-secrets.ts';
import { buildRequest } from '../soap/build-request.ts';
import { decodeFile } from '../read-customers.ts';
import type { Elements } from '../soap/parse-envelope.ts';
import { isElements, readAnswer, type ServiceAnswer, textOf } from '../soap/read-answer.ts';
import type { PostOutcome } from '../transport/post.ts';
import { hideWholeNumbers } from './hide-whole-numbers.ts';
import { readJournalCsv } from './read-journal-csv.ts';
import { type LineField, type LineSource, type LineTexts, makeJournalLine } from './make-journal-line.ts';

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

/** Queries one report in the steps of `callOperation`: the restriction, the parameters, and only then the network. */
async function callReport(parts: ClientParts, report: ReportName, parameters: unknown): Promise<ReportAnswer> {
  const { server, login } = parts.account;
  const servers: readonly Server[] = REPORTS[report].servers;
  if (!servers.includes(server)) {
    return { kind: 'restricted', message: `${RESTRICTION_MESSAGES.server} Judged: server ${server}.` };
  }

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

export type AnsweredReport = { readonly report: ReportName; readonly server: Server; readonly scrub: Scrub };

/** Reads the answer to a report query. A report is empty only when the service says so; all else is `failed`. */
export function readReport(call: AnsweredReport, outcome: PostOutcome): ReportAnswer {
  if (outcome.kind === 'broken') return failed(outcome.why);
  if (outcome.httpStatus !== 200) return failed(`the service answered HTTP ${outcome.httpStatus}`);
  const reading = readAnswer(call.report, outcome.body);
  if (reading.kind === 'unreadable') return failed(reading.why);
  const { status, errors } = reading.answer;
  if (status !== 'Success' || errors !== '') return failed(call.scrub.text(errors) || 'the service says Failure');
  const report = readContent(REPORTS[call.report], reading.answer, call.server);
  return typeof report === 'string' ? failed(report) : { kind: 'read', report };
}

/** @returns the report, or why it cannot be read */
function readContent(row: ReportRow, answer: ServiceAnswer, server: Server): JournalReport | string {
  if (row.form === 'XML') {
    const entries = readJournalXml(answer, { row, server });
    return typeof entries === 'string' ? entries : { entries };
  }
  const text = decodeFile(answer);
  if (text === undefined) return 'the answer holds no file in base64';
  if (row.list === 'reconciliation') return { entries: [], csv: hideWholeNumbers(text) };
  const journal = readJournalCsv(text, { row, server });
  return journal.kind === 'read' ? { entries: journal.entries, csv: journal.csv } : journal.why;
}

function failed(errors: string): ReportAnswer {
  return { kind: 'failed', errors };
}

/**
 * Reads JOURNALREPORT; an empty one has no lines. Unknown elements are ignored. A transaction without a required
 * element makes the whole report unreadable, as in a CSV.
 * @returns the lines, or why they cannot be read
 */
export function readJournalXml({ payload }: ServiceAnswer, source: LineSource): readonly JournalLine[] | string {
  if (Object.keys(payload).join() !== 'JOURNALREPORT') return 'the answer holds no journal';
  const list = payload.JOURNALREPORT;
  if (list === null || list === '') return [];
  if (!isElements(list) || Object.keys(list).some((name) => name !== 'TN')) {
    return 'the journal holds something else than transactions';
  }
  const entries: JournalLine[] = [];
  for (const transaction of Array.isArray(list.TN) ? list.TN : [list.TN]) {
    const texts = readTransaction(transaction);
    if (typeof texts === 'string') return texts;
    entries.push(makeJournalLine(texts, source));
  }
  return entries;
}

const NEEDED = ['TNID', 'INV', 'DTM', 'AMT', 'RST'] as const;

/** @returns the texts of a transaction, or why they cannot be read */
function readTransaction(transaction: unknown): LineTexts | string {
  if (!isElements(transaction)) return 'a transaction of the journal holds nothing';
  const missing = NEEDED.find((name) => !Object.hasOwn(transaction, name));
  if (missing) return `a transaction of the journal has no ${missing}`;
  const customer = inside(transaction.CST);
  const account = inside(transaction.CC ?? transaction.ACH);
  const texts: Record<LineField, string | undefined> = {
    transactionId: textOf(transaction.TNID),
    invoice: textOf(transaction.INV),
    at: textOf(transaction.DTM),
    customerCode: customer && textOf(customer.CSTC),
    paymentMethod: account && (textOf(account.MP ?? account.ACTYP) || textOf(transaction.TNTYP)),
    amount: textOf(transaction.AMT),
    result: textOf(transaction.RST),
    number: account && textOf(account.CCN ?? account.ACN),
    comment: textOf(transaction.CM),
  };
  return isWhole(texts) ? texts : 'a transaction of the journal says two things at once';
}

function isWhole(texts: Record<LineField, string | undefined>): texts is Record<LineField, string> {
  return Object.values(texts).every((text) => text !== undefined);
}

/** Returns an empty object when the block is absent, undefined when it is repeated. */
function inside(block: unknown): Elements | undefined {
  if (block === undefined || block === null || block === '') return {};
  return isElements(block) ? block : undefined;
}
