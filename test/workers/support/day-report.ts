import { formatInZone } from '../../../src/calendar/zone-time.ts';

const TITLES =
  'Invoice,Date,Agent,Customer Code,Account Type,First Name, Last Name, Account Number, Total, Result, Detail,Transaction ID';

export type ReportLine = {
  at: Date;
  invoice?: string;
  number?: string;
  total?: string;
  result?: string;
  kind?: string;
  customerCode?: string;
};

/** Returns a day's report of bank payments as the service writes it. */
export function dayReport(lines: readonly ReportLine[], agent = 'TEST88'): string {
  const rows = lines.map(({ at, ...line }, index) => {
    const { invoice = `OTHER-${index}`, number = '******0009', total = '5.00', kind = 'CHECKING' } = line;
    const { result = 'OK:555555:', customerCode = 'Quick Client' } = line;
    return `${invoice},${writeTime(at)},${agent},"${customerCode}",${kind},"Ada","Byron",'${number},${total},${result}, ,A900000${index}`;
  });
  return [TITLES, ...rows].map((line) => `${line}\r\n`).join('');
}

/** Writes a time as the North American server does. */
function writeTime(at: Date): string {
  const text = formatInZone(at, 'America/Vancouver');
  const [year, month, day] = text.slice(0, 10).split('-');
  return `${month}/${day}/${year} ${text.slice(11, 19)}`;
}
