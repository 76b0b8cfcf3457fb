import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readdir, readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { checkFence, checkHosts, findForgotten } from '../hosts/check-hosts.ts';
import { isWide, noteSend } from '../hosts/installation.ts';
import { remembersSends } from '../hosts/lost-sends.ts';
import type { Instance } from '../instance/open-instance.ts';
import { hostNow, type World } from '../world.ts';
import { contentOf, MARK, payeeOf, readBatches, readBooks, type SeenBatch } from '../database.ts';
import type { Account } from '../../../src/config/config.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import { openOriginal } from '../../../workers/open-original.ts';
import { placeOf } from '../steps/change-merchants.ts';
import { findCanaries } from '../../support/canaries.ts';
import { checkBooks, checkOutputs } from './check-outputs.ts';

/** Checks what must hold at any moment. Returns what does not, in words. */
export async function checkStep(world: World): Promise<string[]> {
  const batches = await readBatches(world);
  world.totals.count('checks', 'after a step');
  return [
    ...world.complaints.splice(0),
    ...checkCalls(world),
    ...(remembersSends(world)
      ? await checkHosts(world)
      : [...checkSends(world, batches), ...checkTwice(world, batches)]),
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
  const posts = world.services.posts();
  return posts > sends ? [`${posts} requests arrived, the ledger knows of ${sends} attempts`] : [];
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
  const busy = batches.filter(({ state }) => state === 'sending').map(({ merchantMark }) => merchantMark);
  return busy.length === new Set(busy).size ? [] : ['two batches of one merchant are in flight'];
}

/** Checks that the audit trail ends with the present state; otherwise something other than a move set it. */
function checkAudit(batches: readonly SeenBatch[]): string[] {
  return batches.flatMap(({ name, batchNo, state, lastMove }) =>
    (lastMove ?? 'ready') === state ? [] : [`${name}/${batchNo} is ${state}, the audit trail says ${lastMove}`],
  );
}

/**
 * Checks, when a first byte may leave, that ledger and journal hold the intent and that the account may send.
 * @returns a function that checks it again; a ledger that has gone back since then no longer tells
 */
export async function checkDeclared(world: World, instance: Instance, account: string): Promise<() => Promise<void>> {
  const { installation } = world;
  const { timesBack } = installation;
  const call = await checkIntent(world, instance, account);
  if (call && remembersSends(world)) await noteSend(world, instance, call);
  return async () => {
    if (installation.timesBack === timesBack) await checkIntent(world, instance, account);
  };
}

type Declared = Parameters<typeof noteSend>[2];

async function checkIntent(world: World, instance: Instance, account: string): Promise<Declared | undefined> {
  const { pool } = instance.server().office;
  const own = instance.app.settings.accounts.get(account);
  if (own && world.unanswered.has(placeOf(own)))
    world.complaints.push(`a request of account ${account} is about to leave, and nobody has said whose address it is`);
  if (own && isShut(own, world.stageAt) && isShut(own, hostNow(world)))
    world.complaints.push(`a request of account ${account} is about to leave outside its window`);
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
    const forgotten = await findForgotten(world, instance, account);
    if (forgotten) return forgotten;
    world.complaints.push(`a request of account ${account} is about to leave and no attempt stands in the ledger`);
    return undefined;
  }
  if (isWide(world)) await checkFence(world, instance, sending.call);
  const journal = await readFile(instance.host.settings.paths.journal, 'utf8');
  const isWritten = journal.split('\n').some((line) => {
    return line.includes(`"fileId":"${sending.id}","batchNo":${sending.no},"attempt":${sending.attempt},`);
  });
  if (!isWritten)
    world.complaints.push(`a request of account ${account} is about to leave without a line in the journal`);
  const { rowCount } = await pool.query(
    `SELECT 1 FROM batch b JOIN file f USING (file_id)
     WHERE f.merchant_no = (SELECT merchant_no FROM file WHERE file_id = $1) AND b.state IN ('unknown', 'refused') LIMIT 1`,
    [sending.id],
  );
  if (rowCount)
    world.complaints.push(`a request of account ${account} is about to leave while one of its merchant is in doubt`);
  return { fileId: sending.id, batchNo: sending.no, call: sending.call };
}

/**
 * Returns whether an account may not send at a moment, worked out without product code. A call that begins in its window
 * may end after it, so the caller asks for the beginning of its stage as well.
 */
function isShut({ window, timeZone }: Account, at: Date): boolean {
  if (!window) return false;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const part = (type: string) => format.formatToParts(at).find((one) => one.type === type)!.value;
  const time = `${part('hour')}:${part('minute')}`;
  const isDay = window.days.some((day) => day === part('weekday').toLowerCase());
  return !isDay || time < window.from || time >= window.to;
}

/** Checks what must hold once nothing moves. Returns what does not, in words. */
export async function checkRest(world: World): Promise<string[]> {
  world.totals.count('checks', 'at rest');
  await addWorkerDrops(world);
  return [
    ...(await checkRuns(world)),
    ...(await checkNewFiles(world)),
    ...(await checkRefusals(world)),
    ...(await checkFiles(world)),
    ...(await checkDrops(world)),
    ...(await checkRows(world)),
    ...(await checkBooks(world)),
    ...(await checkOutputs(world)),
    ...(await checkTrail(world)),
    ...(await checkLeaks(world)),
  ];
}

/** Checks that a file is final, or open for a reason that an operator finds in a list. */
async function checkFiles(world: World): Promise<string[]> {
  const { rows } = await world.office.pool.query<{
    name: string;
    state: string;
    batches: string[] | null;
    isFormer: boolean;
    isLeft: boolean;
    stopped: boolean;
  }>(
    `SELECT f.name, f.state, f.account <> ALL ($1) AS "isFormer",
            f.account <> ALL ($1) AND f.account NOT LIKE '%.%' AS "isLeft", (SELECT array_agg(CASE WHEN b.state = 'ready' AND b.paid_since IS NOT NULL THEN 'perhaps paid' ELSE b.state END ORDER BY b.batch_no) FROM batch b WHERE b.file_id = f.file_id) AS batches,
            f.account <> ALL ($1) OR EXISTS (SELECT 1 FROM account_stop s LEFT JOIN account a USING (account)
                       WHERE s.account = '*' OR a.merchant_no = f.merchant_no)
            OR EXISTS (SELECT 1 FROM batch b WHERE b.merchant_no = f.merchant_no AND b.state IN ('unknown', 'refused'))
            OR EXISTS (SELECT 1 FROM late_arrival l WHERE l.file_id = f.file_id AND l.acknowledged_at IS NULL) AS stopped
     FROM file f ORDER BY f.file_no`,
    [[...world.settings.accounts.keys()]],
  );
  return rows.flatMap(({ name, state, batches, isFormer, isLeft, stopped }) => {
    world.totals.count('files', isFormer ? `${state}, of a former meaning` : state);
    for (const batch of batches ?? []) world.totals.count('batches', batch);
    if (FINAL.has(state) || state === 'held' || (state === 'claimed' && isLeft)) return [];
    if (state !== 'accepted' && state !== 'in_progress') return [`${name} rests as ${state}`];
    const open = (batches ?? []).filter((batch) => batch !== 'reconciled' && batch !== 'cancelled');
    if (open.length === 0) return [`${name} rests as ${state} although no batch of it is open`];
    const idle = open.filter(
      (batch) => !(LISTED.has(batch) || (batch === 'ready' && stopped) || (batch === 'submitted' && isFormer)),
    );
    return idle.map((batch) => `${name} rests with a batch that is ${batch}, and nobody is told`);
  });
}

const FINAL = new Set(['completed', 'rejected', 'cancelled', 'partly_cancelled']);
const LISTED = new Set(['unknown', 'exception', 'refused', 'perhaps paid']);

/** Adds the files that a worker dropped for a person: it may have died before anything could note them. */
async function addWorkerDrops(world: World): Promise<void> {
  const [instance] = world.instances;
  const { rows } = await world.office.pool.query<{ id: string; folder: string; name: string }>(
    `SELECT file_id AS id, folder, name FROM file WHERE name ~ '__[0-9a-z]{8}-again-[0-9]+[.]csv$' ORDER BY file_no`,
  );
  const left = [...world.drops];
  for (const { id, folder, name } of rows) {
    const known = left.findIndex((drop) => drop.folder === folder && drop.name === name);
    if (known >= 0) left.splice(known, 1);
    else if (instance) {
      const bytes = await buffer(openOriginal(instance.app, await readFileRow(world.office, id)));
      const titles = world.settings.folders.find((one) => one.id === folder)!.header !== 'none';
      world.drops.push({ folder, name, bytes, titles });
      world.totals.count('drops', 'by a run');
    }
  }
}

/** Checks that no run is left, unless a person has to look at its account first, and that each new file has come back. */
async function checkRuns(world: World): Promise<string[]> {
  if (world.installation.timesBack > 0) return [];
  const { rows } = await world.office.pool.query<{ run: number; state: string; result: string | null; lost: boolean }>(
    `SELECT r.run_no::int AS run, r.state, i.result,
            i.result = 'done' AND i.resubmission_no IS NOT NULL AND s.new_file_id IS NULL AS lost
     FROM reprocess_run r JOIN reprocess_item i USING (run_no) LEFT JOIN resubmission s USING (resubmission_no)
     ORDER BY r.run_no, i.item_no`,
  );
  for (const { result } of rows) if (result !== null) world.totals.count('reprocessed', result);
  // Items and transitions were written together, so neither stands alone.
  const { rows: odd } = await world.office.pool.query<{ run: number; items: number; moves: number }>(
    `SELECT run_no::int AS run, items::int, moves::int FROM reprocess_run r
       CROSS JOIN LATERAL (SELECT count(*) AS items FROM reprocess_item i WHERE i.run_no = r.run_no
         AND (i.result = 'done' OR i.dropped_at IS NOT NULL)) i
       CROSS JOIN LATERAL (SELECT count(*) AS moves FROM audit a WHERE a.move IN ('resubmit', 'retry')
         AND a.evidence->>'selection' = r.run_no::text) a WHERE items <> moves`,
  );
  const alone = odd.map(({ run, items, moves }) => `run ${run} did ${items} items in ${moves} transitions`);
  return alone.concat(
    rows.flatMap(({ run, state, lost }) => {
      if (state === 'running') return [`run ${run} is not ended`];
      return lost ? [`a file of run ${run} has not come back`] : [];
    }),
  );
}

/** Checks that the rows of a new file are charged at the merchant of the file that they came from, or were held for that. */
async function checkNewFiles(world: World): Promise<string[]> {
  const { rows } = await world.office.pool.query<{ name: string }>(
    `SELECT n.name FROM resubmission s JOIN file n ON n.file_id = s.new_file_id JOIN file f ON f.file_id = s.file_id
     WHERE n.merchant_no <> f.merchant_no AND n.meant_for IS NULL
       AND NOT EXISTS (SELECT FROM audit a WHERE a.file_id = f.file_id AND a.evidence ? 'movedTo')`,
  );
  return rows.map(({ name }) => `${name} holds rows of another merchant`);
}

/**
 * Checks that no file was refused or held for what another merchant was sent: what a trial was told never counts for
 * real. Files are compared by the bytes that were dropped.
 */
async function checkRefusals(world: World): Promise<string[]> {
  if (world.installation.timesBack > 0) return [];
  const { rows } = await world.office.pool.query<{
    fileNo: number;
    name: string;
    folder: string;
    sha256: string;
    code: string | null;
    merchantMark: string;
  }>(
    `SELECT f.file_no AS "fileNo", f.name, f.folder, f.sha256, f.reason_code AS code, ${MARK} AS "merchantMark"
     FROM file f ORDER BY f.file_no`,
  );
  return rows.flatMap((file) => {
    if (file.code !== 'DUPLICATE_FILE' && file.code !== 'CHARGED_BEFORE') return [];
    const others = rows.filter(({ fileNo }) => fileNo !== file.fileNo);
    const own = others.filter((other) => payeeOf(world, other) === payeeOf(world, file));
    const like = file.code === 'DUPLICATE_FILE' ? own.filter(({ sha256 }) => sha256 === file.sha256) : own;
    return like.length > 0 ? [] : [`${file.name} is refused as ${file.code}, and its merchant had nothing like it`];
  });
}

/** Checks that every drop was taken once, and that nothing is left in a folder. */
async function checkDrops(world: World): Promise<string[]> {
  const { rows } = await world.office.pool.query<{ folder: string; name: string }>('SELECT folder, name FROM file');
  const claimed = await readClaimed(world);
  const count = (list: readonly { folder: string; name: string }[], of: { folder: string; name: string }) =>
    list.filter(({ folder, name }) => folder === of.folder && name === of.name).length;
  // A ledger restored to an earlier state does not know later drops.
  const isForgetful = world.installation.timesBack > 0;
  const lost = world.drops.filter((drop) => {
    const [times, drops] = [count(rows, drop), count(world.drops, drop)];
    return isForgetful ? times > drops : times !== drops;
  });
  const folders = world.settings.folders.flatMap(({ path, work }) => [path, work]);
  const left = (await Promise.all([...new Set(folders)].map((folder) => readdir(folder)))).flat();
  return [
    ...lost.map(
      ({ name, folder }) => `${name} of ${folder} stands ${count(rows, { name, folder })} times in the ledger`,
    ),
    ...left
      .filter((name) => !name.startsWith('.') && !name.endsWith('.ctl') && !claimed.includes(name))
      .map((name) => `${name} still lies in a folder`),
  ];
}

/** Returns the files that wait unread, which at rest are those of accounts that left the configuration. */
async function readClaimed({ office }: World): Promise<string[]> {
  const { rows } = await office.pool.query<{ id: string }>(`SELECT file_id AS id FROM file WHERE state = 'claimed'`);
  return rows.map(({ id }) => id);
}

/** Checks that every row has one outcome, waits in an open batch, or was never sent. */
async function checkRows(world: World): Promise<string[]> {
  const { rows } = await world.office.pool.query<{ name: string; line: number; why: string; cents: number | null }>(
    `SELECT f.name, r.line, r.amount_cents AS cents,
            CASE WHEN o.outcome IS NOT NULL THEN o.outcome
                 WHEN f.state = 'rejected' THEN 'rejected'
                 WHEN r.batch_no IS NULL THEN 'invalid'
                 WHEN b.state IS NULL THEN 'without a batch'
                 WHEN b.state = 'reconciled' THEN 'reconciled without an outcome'
                 ELSE b.state END AS why
     FROM payment_row r JOIN file f USING (file_no)
     LEFT JOIN batch b ON b.file_id = f.file_id AND b.batch_no = r.batch_no
     LEFT JOIN current_outcome o ON o.file_no = r.file_no AND o.line = r.line`,
  );
  return rows.flatMap(({ name, line, why, cents }) => {
    world.totals.count('rows', why);
    world.totals.count('money', why, Math.abs(cents ?? 0));
    return why.includes('without') ? [`line ${line} of ${name} is ${why}`] : [];
  });
}

async function checkTrail(world: World): Promise<string[]> {
  const { brokenAt: broken } = await verifyAudit(world.office);
  const { rows } = await world.office.pool.query<{ name: string; state: string; said: string }>(
    `SELECT f.name, f.state, a.to_state AS said FROM file f
     CROSS JOIN LATERAL (SELECT to_state FROM audit WHERE file_id = f.file_id AND batch_no IS NULL AND to_state IS NOT NULL
                         ORDER BY seq DESC LIMIT 1) a WHERE a.to_state <> f.state`,
  );
  return [
    ...(broken === undefined ? [] : [`the audit chain is broken at ${broken}`]),
    ...rows.map(({ name, state, said }) => `${name} is ${state}, the audit trail says ${said}`),
  ];
}

/**
 * Whether a number stands in plain bytes that were claimed and decided before the ledger went back to a time before that.
 * Nothing else can open them any more, so they are kept for a person, as the sender wrote them.
 */
function isForgottenClaim(place: string): boolean {
  const dir = /^(.*\/quarantine\/[^/]+)\/drop: /.exec(place)?.[1];
  return (
    dir !== undefined && readFileSync(join(dir, 'reason.json'), 'utf8').includes('the ledger does not know the file')
  );
}

/** Checks that no whole number stands in outputs, data, quarantine, ledger, queue or log. */
async function checkLeaks(world: World): Promise<string[]> {
  const { out, data, quarantine } = world.settings.paths;
  const found = await findCanaries(world.canaries.length > 0 ? [out, data, quarantine] : [], world.canaries);
  // A claim is plain until its file is decided, and that of an account that left the configuration waits for it.
  const claimed = await readClaimed(world);
  const onDisk = found.filter(
    (place) => !claimed.some((id) => place.includes(`/work/${id}/`)) && !isForgottenClaim(place),
  );
  const texts = {
    'the ledger': await ledgerText(world),
    'the queue': JSON.stringify(world.queue.waiting()),
    'the log': world.logText(),
  };
  const elsewhere = Object.entries(texts).flatMap(([place, text]) =>
    world.canaries.filter((number) => text.includes(number)).map((number) => `${place} holds …${number.slice(-4)}`),
  );
  return [...onDisk, ...elsewhere].map((leak) => `a number leaked: ${leak}`);
}

/** Returns every table as text, except the sealed bytes. */
async function ledgerText(world: World): Promise<string> {
  const tables = world.database.tables.filter((name) => name !== 'sealed_part');
  const parts = tables.map((table) => `SELECT row_to_json(t)::text AS text FROM ${table} t`);
  const { rows } = await world.office.pool.query<{ text: string }>(parts.join(' UNION ALL '));
  return rows.map(({ text }) => text).join('\n');
}
