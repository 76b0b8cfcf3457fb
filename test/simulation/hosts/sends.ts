import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import type { Instance } from '../instance/open-instance.ts';
import type { SubmitCall } from '../instance/tap.ts';
import type { World } from '../world.ts';

/** A call that got as far as its first byte, whatever happened to the ledger that let it out. */
export type Send = {
  readonly call: string;
  readonly fileId: string;
  readonly batchNo: number;
  readonly instance: Instance;
  /** Its rows: line of the file, and the row's key in the books of the service. */
  readonly rows: ReadonlyMap<number, string>;
  /** What was seen of it; undefined while it is in progress. */
  seen?: SubmitCall;
};

/** Records a call right before its first byte. A row that may have been sent before needs a pardon since then. */
export async function noteSend(
  world: World,
  instance: Instance,
  { fileId, batchNo, call }: { fileId: string; batchNo: number; call: string },
): Promise<void> {
  const { pool } = instance.server().office;
  await notePardons(world);
  const { rows } = await pool.query<{ line: number; key: string; account: string; operation: FolderOperation }>(
    `SELECT r.line, concat_ws(' ', r.invoice, r.amount_cents, r.customer_code) AS key, f.account, f.operation
     FROM payment_row r JOIN file f USING (file_no) WHERE f.file_id = $1 AND r.batch_no = $2`,
    [fileId, batchNo],
  );
  const keyOf = ({ account, operation, key }: (typeof rows)[number]) =>
    rowKey(world.settings.accounts.get(account)!.agentCode, FOLDER_OPERATIONS[operation].operation, key);
  const send = { call, fileId, batchNo, instance, rows: new Map(rows.map((row) => [row.line, keyOf(row)])) };
  for (const line of send.rows.keys()) {
    const before = world.sends.filter((other) => other.fileId === fileId && other.rows.has(line) && mayBeTaken(other));
    const pardons = pardonsOf(world, [...before, send]);
    if (before.length <= pardons || world.installation.hasVouched) continue;
    const times = `${before.length} times before, with ${pardons} pardons`;
    world.complaints.push(`line ${line} of file ${fileId} is about to leave, and may have been sent ${times}`);
    break;
  }
  world.sends.push(send);
}

/** Returns whether the service may have taken it, by what is known of the call. */
function mayBeTaken({ seen }: Send): boolean {
  return seen === undefined || (seen.posts > 0 && seen.answer !== 'refused');
}

export function noteSeen(world: World, instance: Instance, call: SubmitCall): void {
  const send = world.sends.findLast((one) => one.instance === instance && one.seen === undefined);
  if (send && call.declared) send.seen = call;
}

/** Records the pardons of every ledger, so that none disappears when an older ledger is put back. */
export async function notePardons(world: World): Promise<void> {
  for (const { office } of world.installation.servers) {
    const { rows } = await office.pool.query<{ link: string; batch: string }>(
      `SELECT encode(hash, 'hex') AS link, concat_ws('/', file_id, batch_no) AS batch FROM audit WHERE move = 'absolve'`,
    );
    for (const { link, batch } of rows) world.pardons.set(link, batch);
  }
}

function pardonsOf(world: World, sends: readonly Send[]): number {
  const batches = new Set(sends.map(({ fileId, batchNo }) => `${fileId}/${batchNo}`));
  return [...world.pardons.values()].filter((batch) => batches.has(batch)).length;
}

/** Checks, by the books and over all ledgers, that a row of a file was taken once, plus once for each pardon. */
export function checkTakenTwice(world: World): string[] {
  const allowed = new Map<string, number>();
  const sendsOf = new Map<string, { key: string; sends: Send[] }>();
  for (const send of world.sends)
    for (const [line, key] of send.rows) {
      const place = `${send.fileId} ${line}`;
      const known = sendsOf.get(place);
      if (known) known.sends.push(send);
      else sendsOf.set(place, { key, sends: [send] });
    }
  for (const { key, sends } of sendsOf.values()) {
    const times = Math.min(sends.length, 1 + pardonsOf(world, sends));
    allowed.set(key, (allowed.get(key) ?? 0) + times);
  }
  const taken = new Map<string, number>();
  for (const { account, operation, invoice, amountCents, customerCode } of world.sandbox.books()) {
    const key = rowKey(account, operation, [invoice, amountCents, customerCode].join(' '));
    taken.set(key, (taken.get(key) ?? 0) + 1);
  }
  return [...taken].flatMap(([key, times]) => {
    const most = allowed.get(key) ?? 0;
    if (times <= most) return [];
    // A person who vouches for a lost journal answers for what the ledger cannot know.
    if (world.installation.hasVouched) {
      world.totals.count('money', 'rows taken too often after a person vouched', times - most);
      return [];
    }
    world.totals.count('money', 'rows taken too often', times - most);
    return [`the service took a row ${times} times that may have been sent ${most} times: ${key}`];
  });
}

/** Counts the rows of calls that the ledger holds as forgotten; no batch answers for them. */
export async function readForgotten(world: World): Promise<Map<string, number>> {
  const { rows } = await world.office.pool.query<{ call: string }>('SELECT call FROM forgotten_send');
  const forgotten = new Map<string, number>();
  for (const send of world.sends.filter(({ call }) => rows.some((row) => row.call === call)))
    for (const key of send.rows.values()) forgotten.set(key, (forgotten.get(key) ?? 0) + 1);
  return forgotten;
}

/** Returns the key of a row in the books. */
export function rowKey(agentCode: string, operation: string, row: string): string {
  return `${agentCode} ${operation.toLowerCase()} ${row}`;
}
