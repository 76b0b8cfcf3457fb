import type { Program } from '../../support/build-program.ts';
import type { LedgerView } from './ledger-view.ts';
import { runCommand } from './run-command.ts';
import type { Service } from './service.ts';

/** What an operator can inspect, and where they run commands. */
export type Dashboard = {
  ledger: Pick<LedgerView, 'query'>;
  service: Pick<Service, 'books'>;
  place: { readonly root: string };
  env?: Readonly<Record<string, string>>;
};

type Doubt = { batch: string; account: string; invoices: string[] };

/**
 * Resolves batches in doubt as an operator does who reads the books of the service. It assigns the id of a batch that
 * is there, and declares one that is missing not received, so that it is sent again.
 * @param most batches to resolve; the others stay listed
 * @returns how many were resolved, and which right commands were refused
 */
export async function resolveDoubts(
  program: Program,
  dashboard: Dashboard,
  most: number,
): Promise<{ resolved: number; failures: string[] }> {
  const doubts = await dashboard.ledger.query<Doubt>(
    `SELECT b.file_id || '/' || b.batch_no AS batch, b.account, array_agg(r.invoice) AS invoices
     FROM batch b JOIN file f USING (file_id) JOIN payment_row r ON r.file_no = f.file_no AND r.batch_no = b.batch_no
     WHERE b.state = 'unknown' GROUP BY b.file_id, b.batch_no ORDER BY b.file_id, b.batch_no`,
  );
  const books = new Map((await dashboard.service.books()).map((row) => [row.invoice, row.batchId]));
  const failures: string[] = [];
  const chosen = doubts.slice(0, most);
  for (const { batch, invoices } of chosen) {
    const batchId = books.get(invoices[0]!);
    const verb =
      batchId === undefined
        ? ['--not-received', '--evidence', 'its invoices are not in the books']
        : ['--adopt', batchId];
    const words = ['resolve', batch, ...verb, '--reason', 'the books of the service were read'];
    const { status, said } = await runCommand(program, dashboard.place.root, words, dashboard.env);
    if (status !== 0) failures.push(`"${words.join(' ')}" ended with ${status}: ${said}`);
  }
  return { resolved: chosen.length, failures };
}
