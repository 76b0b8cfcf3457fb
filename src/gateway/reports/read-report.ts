import type { Server } from '../../../schemas/operations.ts';
import { type ReportName, type ReportRow, REPORTS } from '../../../schemas/reports.ts';
import type { Scrub } from '../scrub.ts';
import { decodeFile } from '../read-customers.ts';
import { readAnswer, type ServiceAnswer } from '../soap/read-answer.ts';
import type { PostOutcome } from '../transport/post.ts';
import { hideWholeNumbers } from './hide-whole-numbers.ts';
import { readJournalCsv } from './read-journal-csv.ts';
import { readJournalXml } from './read-journal-xml.ts';
import type { JournalReport, ReportAnswer } from './report-answers.ts';

export type AnsweredReport = { readonly report: ReportName; readonly server: Server; readonly scrub: Scrub };

/** Reads the answer to a report query. A report is empty only when the service says so; all else is `failed`. */
export async function readReport(call: AnsweredReport, outcome: PostOutcome): Promise<ReportAnswer> {
  if (outcome.kind === 'broken') return failed(outcome.why);
  if (outcome.httpStatus !== 200) return failed(`the service answered HTTP ${outcome.httpStatus}`);
  const reading = await readAnswer(call.report, outcome.body);
  if (reading.kind === 'unreadable') return failed(reading.why);
  const { status, errors } = reading.answer;
  if (status !== 'Success' || errors !== '') return failed(call.scrub.text(errors) || 'the service says Failure');
  const report = readContent(REPORTS[call.report], reading.answer, call.server);
  return typeof report === 'string' ? failed(report) : { kind: 'read', report };
}

/** @returns the report, or why it cannot be read */
function readContent(row: ReportRow, answer: ServiceAnswer, server: Server): JournalReport | string {
  if (row.form === 'XML') {
    const journal = readJournalXml(answer, { row, server });
    return journal.kind === 'read' ? { entries: journal.entries } : journal.why;
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
