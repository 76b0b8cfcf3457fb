import { wasSentBefore } from './find-sent-before.ts';

/**
 * The one batch of an account that is next to be sent, as a query: of its accepted files the one that was claimed first,
 * of that the first batch. A file that is still being read or held does not keep the others waiting.
 * @param account name of the account in the query around it
 */
export function nextToSend(account: string): string {
  return `SELECT b.file_id, b.batch_no, b.not_before FROM batch b JOIN file f USING (file_id)
    WHERE b.account = ${account} AND b.state NOT IN ('reconciled', 'cancelled') AND b.state = 'ready'
      AND f.state IN ('accepted', 'in_progress') AND NOT ${wasSentBefore('b')}
    ORDER BY f.file_no, b.batch_no LIMIT 1`;
}
