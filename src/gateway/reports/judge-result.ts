import { rejectionOf } from '../../../schemas/rejections.ts';
import type { ReportRow } from '../../../schemas/reports.ts';
import type { JournalOutcome } from './report-answers.ts';

/**
 * Returns the outcome of a payment from the result of its line. Only a listed text that fits its list is proof. A
 * time-out is none, because the processor itself resends a bank payment.
 */
export function judgeResult(result: string, { method, list }: Pick<ReportRow, 'method' | 'list'>): JournalOutcome {
  const text = result.trim().replace(/:\s+/g, ':');
  if (/TIMEOUT/i.test(text)) return 'unknown';
  if (list === 'returned') return 'returned';
  const code = /^REJ(?:ECT)?:(\d{1,4})$/.exec(text)?.[1];
  if (code !== undefined) return list === 'rejected' ? judgeCode(Number(code), method) : 'unknown';
  // The bank refused it. The text occurs in both lists, because the payment counted as approved for days.
  if (text === 'OK:Reject') return 'rejected';
  if (list !== 'approved') return 'unknown';
  if (text === 'OK:BankAccept') return 'approved';
  if (!APPROVED.test(text)) return 'unknown';
  return method === 'card' ? 'approved' : 'accepted';
}

/** `OK`, `OK:678594:` or `OK:678594:X` */
const APPROVED = /^OK(?::(?=[A-Z]*\d)[A-Z0-9]{1,20}(?::[A-Za-z]?)?)?$/;

/** Judges a rejection code. Some card codes do not say whether money moved; bank codes all mean that it did not. */
function judgeCode(code: number, method: ReportRow['method']): JournalOutcome {
  return method === 'card' && rejectionOf(code).advice === 'unknown' ? 'unknown' : 'rejected';
}
