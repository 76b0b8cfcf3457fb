import type { Program } from './build-program.ts';
import type { World } from './open-world.ts';
import { runCommand } from './run-command.ts';

type Doubt = { batch: string; account: string; invoices: string[] };

/**
 * What the person at the desk does with batches in doubt: one that the service has is adopted by its id, one that it
 * does not have is declared not received, and is then sent again. The person looks into the books of the service.
 * @param most batches to resolve; the others stay listed
 * @returns how many were resolved, and what a command refused although it was right
 */
export async function resolveDoubts(
  program: Program,
  world: World,
  most: number,
): Promise<{ resolved: number; failures: string[] }> {
  const doubts = await world.ledger.query<Doubt>(
    `SELECT b.file_id || '/' || b.batch_no AS batch, b.account, array_agg(r.invoice) AS invoices
     FROM batch b JOIN file f USING (file_id) JOIN payment_row r ON r.file_no = f.file_no AND r.batch_no = b.batch_no
     WHERE b.state = 'unknown' GROUP BY b.file_id, b.batch_no ORDER BY b.file_id, b.batch_no`,
  );
  const books = new Map((await world.service.books()).map((row) => [row.invoice, row.batchId]));
  const failures: string[] = [];
  const chosen = doubts.slice(0, most);
  for (const { batch, invoices } of chosen) {
    const batchId = books.get(invoices[0]!);
    const verb =
      batchId === undefined
        ? ['--not-received', '--evidence', 'its invoices are not in the books']
        : ['--adopt', batchId];
    const words = ['resolve', batch, ...verb, '--reason', 'the books of the service were read'];
    const { status, said } = await runCommand(program, world.place.root, words);
    if (status !== 0) failures.push(`"${words.join(' ')}" ended with ${status}: ${said}`);
  }
  return { resolved: chosen.length, failures };
}
