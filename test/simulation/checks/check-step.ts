import { readFile } from 'node:fs/promises';
import { checkFence, checkHosts } from '../hosts/check-hosts.ts';
import { isWide } from '../hosts/installation.ts';
import { noteSend } from '../hosts/sends.ts';
import type { Instance } from '../instance/open-instance.ts';
import type { World } from '../world.ts';
import { contentOf, readBatches, readBooks, type SeenBatch } from '../database.ts';

/** Checks what must hold at any moment. Returns what does not, in words. */
export async function checkStep(world: World): Promise<string[]> {
  const batches = await readBatches(world);
  world.totals.count('checks', 'after a step');
  return [
    ...world.complaints.splice(0),
    ...checkCalls(world),
    ...(isWide(world) ? await checkHosts(world) : [...checkSends(world, batches), ...checkTwice(world, batches)]),
    ...checkInFlight(batches),
    ...checkAudit(batches),
  ];
}

/** Checks that a call sent at most one request, only after its intent, and none when it reports so. */
function checkCalls(world: World): string[] {
  return world.calls.flatMap(({ account, declared, posts, answer }) => {
    if (posts > 1) return [`one call of account ${account} sent ${posts} requests`];
    if (posts === 1 && !declared) return [`a request of account ${account} left before its intent was declared`];
    const saysUnsent = answer === 'not_sent' || answer === 'withheld' || answer === 'restricted';
    return saysUnsent && posts > 0 ? [`a call of account ${account} says ${answer}, but a request arrived`] : [];
  });
}

/** Checks that every request has an attempt in the ledger: the intent was on disk before the first byte. */
function checkSends(world: World, batches: readonly SeenBatch[]): string[] {
  const sends = batches.reduce((sum, batch) => sum + batch.sends, 0);
  return world.posts() > sends ? [`${world.posts()} requests arrived, the ledger knows of ${sends} attempts`] : [];
}

/** Checks that the service took a batch once, plus once for each recorded resolution that allowed another send. */
function checkTwice(world: World, batches: readonly SeenBatch[]): string[] {
  const allowed = new Map<string, number>();
  for (const batch of batches) {
    const content = contentOf(world, batch);
    const sends = Math.min(batch.sends, 1 + batch.pardons);
    allowed.set(content, (allowed.get(content) ?? 0) + sends);
  }
  const booked = new Map<string, number>();
  for (const { content } of readBooks(world)) booked.set(content, (booked.get(content) ?? 0) + 1);
  return [...booked].flatMap(([content, times]) => {
    const most = allowed.get(content) ?? 0;
    if (times <= most) return [];
    world.totals.count('money', 'batches taken too often', times - most);
    return [`the service took a batch ${times} times that may have been sent ${most} times: ${content.slice(0, 120)}`];
  });
}

function checkInFlight(batches: readonly SeenBatch[]): string[] {
  const busy = batches
    .filter(({ state }) => state === 'preparing' || state === 'sending')
    .map(({ account }) => account);
  return busy.length === new Set(busy).size ? [] : ['two batches of one account are in flight'];
}

/** Checks that the audit trail ends with the present state; otherwise something other than a move set it. */
function checkAudit(batches: readonly SeenBatch[]): string[] {
  return batches.flatMap(({ name, batchNo, state, lastMove }) =>
    (lastMove ?? 'ready') === state ? [] : [`${name}/${batchNo} is ${state}, the audit trail says ${lastMove}`],
  );
}

/** Checks, right before a first byte, that ledger and journal hold the intent and that the account may send. */
export async function checkDeclared(world: World, instance: Instance, account: string): Promise<void> {
  const { pool } = instance.server().office;
  const { rows } = await pool.query<{ id: string; no: number; attempt: number; is_noted: boolean; call: string }>(
    `SELECT b.file_id AS id, b.batch_no AS no, b.attempt,
            EXISTS (SELECT 1 FROM attempt a WHERE a.file_id = b.file_id AND a.batch_no = b.batch_no
                      AND a.attempt = b.attempt AND a.verdict IS NULL) AS is_noted,
            (SELECT a.call FROM attempt a WHERE a.file_id = b.file_id AND a.batch_no = b.batch_no
               AND a.attempt = b.attempt) AS call
     FROM batch b WHERE b.account = $1 AND b.state = 'sending'`,
    [account],
  );
  const [sending] = rows;
  if (!sending?.is_noted) {
    world.complaints.push(`a request of account ${account} is about to leave and no attempt stands in the ledger`);
    return;
  }
  if (isWide(world)) {
    await noteSend(world, instance, { fileId: sending.id, batchNo: sending.no, call: sending.call });
    await checkFence(world, instance, sending.call);
  }
  const journal = await readFile(instance.host.settings.paths.journal, 'utf8');
  const isWritten = journal.split('\n').some((line) => {
    return line.includes(`"fileId":"${sending.id}","batchNo":${sending.no},"attempt":${sending.attempt},`);
  });
  if (!isWritten)
    world.complaints.push(`a request of account ${account} is about to leave without a line in the journal`);
  const { rowCount } = await pool.query(
    `SELECT 1 FROM batch WHERE account = $1 AND state IN ('unknown', 'refused') LIMIT 1`,
    [account],
  );
  if (rowCount) world.complaints.push(`a request of account ${account} is about to leave while one of it is in doubt`);
}
