import {
  REPORT_FIELDS,
  REPORT_TIMES,
  type ReportField,
  reportPurpose,
  type ReportRow,
  REPORTS,
} from '../../schemas/reports.ts';
import { code, page, table } from './markdown.ts';

const ROWS = Object.entries(REPORTS) as [string, ReportRow][];
const FIELDS = Object.entries(REPORT_FIELDS) as [ReportField, (typeof REPORT_FIELDS)[ReportField]][];

export function renderReports(): string {
  return page(
    '# Reports',
    `**An extension: the specification does not have these.** The ${ROWS.length} operations of ReportLink list what was booked, so that a payment whose answer was lost can be found by its invoice number. They are known from public clients; nothing here was checked against the live service. All of them only read.`,
    table(
      ['Report', 'Servers', 'Lists', 'Parameters'],
      ROWS.map(([name, row]) => [code(name), row.servers.join(', '), reportPurpose(row), row.wire.map(code).join(' ')]),
    ),
    '## Parameters',
    'In the order of the table above they are written to the service, after the agent code and the password.',
    table(
      ['Parameter', 'Need', 'Meaning'],
      FIELDS.map(([name, { required, about }]) => [code(name), required ? 'required' : 'optional', about]),
    ),
    '## Times',
    'Days begin and end, and times are written, in the zone of the server.',
    table(
      ['Server', 'Zone', 'Date in a CSV'],
      Object.entries(REPORT_TIMES).map(([server, { timeZone, order }]) => [server, code(timeZone), order]),
    ),
  );
}
