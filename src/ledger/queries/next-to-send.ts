import { wasSentBefore } from './find-sent-before.ts';

/**
 * The one batch of an account that is next to be sent, as a query: of its accepted files the one that was claimed first,
 * of that the first batch. A file that is still being read or held does not keep the others waiting.
 *
 * It goes from file to file and stops at the first that has one, so a backlog of many batches costs no more than a few. The
 * files under way are listed apart (OFFSET keeps it so), because for the first of a sorted list the planner would rather
 * walk through all files that there ever were.
 * @param account name of the account in the query around it
 */
export function nextToSend(account: string): string {
  return `SELECT b.file_id, b.batch_no, b.not_before
    FROM (SELECT f.file_id, f.file_no FROM file f
          WHERE f.account = ${account} AND f.state IN ('accepted', 'in_progress') ORDER BY f.file_no OFFSET 0) under_way
    CROSS JOIN LATERAL (SELECT * FROM batch ready WHERE ready.file_id = under_way.file_id AND ready.state = 'ready'
      AND NOT ${wasSentBefore('ready')} ORDER BY ready.batch_no LIMIT 1) b
    ORDER BY under_way.file_no LIMIT 1`;
}
