import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Folder, foldersHere } from '../../config/config.ts';
import { displayName, isIgnoredName } from '../../files/file-names.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { holdsCardNumber, maskName } from '../../kernel/mask.ts';
import { mustStillBeAllowed } from '../access/guard.ts';
import { fieldOf } from '../access/read-form.ts';
import { Refusal } from '../access/refusal.ts';
import { actorOf } from '../access/viewer.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { describeTaking } from '../../explain/read-schedules.ts';
import { saidState, saidWord } from '../../../schemas/shown.ts';
import { groupDigits, groupedCount } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import { capital, ended } from '../../explain/why/sentence.ts';
import { readBlocks, readShownFile, type ShownFile } from '../../explain/read-blocks.ts';
import { fileWith } from '../pages/files/read-address.ts';
import { checkUpload, toVerdict } from './check-upload.ts';
import { BodyRefusal, drainBody, readBody, tooLarge, takeUpload } from './take-upload.ts';
import { openTurns, UPLOAD_TURNS } from './upload-turns.ts';
import type { App } from '../../app.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import { latin1, readCompanionName } from '../../files/completeness.ts';
import { findWaitingUpload, readUpload, type UploadRow } from '../../ledger/file/note-upload.ts';

/**
 * Registers `POST /drop/check`, which previews the decision on a file, and `POST /drop/submit`, which puts it into its
 * folder. `GET /drop/uploads/:uploadNo` says where it is now. Bodies are the raw bytes of the file, never unpacked and
 * never held as a whole.
 */
export function dropRoutes(server: FastifyInstance, context: WebContext): void {
  const { app } = context;
  const turns = openTurns(UPLOAD_TURNS);
  server.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));

  server.post('/drop/check', { config: { may: 'check' } }, async (request, reply) =>
    withFile(context, turns, request, reply, async ({ folder, name, source }) => {
      const looked = await checkUpload(app, folder, { name, source });
      const blocksOf = await readBlocks(app.ledger, app.settings);
      const verdict = toVerdict(app, folder, name, looked, blocksOf(folder.account));
      return { ...verdict, waiting: await describeWaiting(app, folder, verdict.sha256) };
    }),
  );

  server.post('/drop/submit', { config: { may: 'drop' } }, async (request, reply) =>
    withFile(context, turns, request, reply, async ({ folder, name, source }) => {
      const sha256 = fieldOf(request.query, 'sha256');
      if (!/^[0-9a-f]{64}$/.test(sha256)) throw cannotDrop(name, 'the file was not checked', 'Check it first.');
      const replaces = await findReplaced(app, request, folder);
      const actor = actorOf(viewerOf(request));
      // A long upload may outlive its session or its user's right to drop files.
      const mayStill = () => mustStillBeAllowed(request, context);
      const taken = await takeUpload(app, folder, { name, sha256, source, actor, replaces, mayStill });
      switch (taken.is) {
        case 'dropped':
          app.log.info({ folder: folder.id, actor, uploadNo: taken.uploadNo }, 'file dropped on the dashboard');
          return { uploadNo: taken.uploadNo, says: `Received. ${describeTaking(app, folder)}` };
        case 'other-bytes':
          void reply.code(409);
          return says('OTHER_BYTES', 'The file has changed since the check. Check it again.');
        case 'name-taken': {
          void reply.code(409);
          const free = maskName(taken.free);
          return says('NAME_TAKEN', `The folder already has a file with this name. Rename yours, such as "${free}".`);
        }
      }
    }),
  );

  server.get('/drop/uploads/:uploadNo', { config: { may: 'check' } }, async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    const number = fieldOf(request.params, 'uploadNo');
    const upload = /^\d{1,15}$/.test(number) ? await readUpload(app.ledger, Number(number)) : undefined;
    if (!upload) throw new Refusal('NOT_FOUND');
    return describeUpload(app, upload);
  });
}

/**
 * Returns the id of the file that this one corrects; undefined when it corrects none.
 * @throws PipelineError when the old file is of another account, or was let go meanwhile: both would be paid
 */
async function findReplaced(app: App, request: FastifyRequest, folder: Folder): Promise<string | undefined> {
  const fileId = fieldOf(request.query, 'replaces');
  if (fileId === '') return undefined;
  const { account, state, name } = await fileWith(app, fileId);
  const action = `take the file as a correction of "${name}"`;
  if (account !== folder.account) throw new PipelineError('USAGE', action, 'that file is of another account');
  if (state === 'held' || state === 'rejected') return fileId;
  const next = 'Open that file before you drop this one: its payments may be sent.';
  throw new PipelineError('MOVE_REFUSED', action, `its state is ${saidState(state)} now`, { next });
}

/** Says where a dropped file is, and once it is taken, how it stands and what keeps it from being sent. */
async function describeUpload({ ledger, settings }: Pick<App, 'ledger' | 'settings'>, upload: UploadRow) {
  const { upload_no: uploadNo, name, account, file_id: fileId, state } = upload;
  if (fileId === null || state === null) return { uploadNo, name, fileId, state, path: null };
  const file = await readShownFile(ledger, settings, { file_id: fileId, account, state });
  return {
    uploadNo,
    name,
    fileId,
    state,
    shown: file.shown,
    says: sayTaken(file, upload, settings.accounts.get(account)?.currency ?? ''),
    path: `/files/${fileId}`,
  };
}

function sayTaken(
  { shown, blockedBy }: ShownFile,
  { valid_rows: rows, valid_cents: cents }: UploadRow,
  currency: string,
): string {
  if (rows === null || cents === null || rows === 0) return `Received: ${saidWord(shown)}.`;
  const why = blockedBy.length === 0 ? '' : ` ${blockedBy.map(({ says }) => ended(capital(says))).join(' ')}`;
  const sum = `${groupedCount(rows, 'payment')}, ${groupDigits(formatCents(cents))} ${currency}`.trimEnd();
  return `Received. ${sum}: ${saidWord(shown)}.${why}`;
}

type SentFile = { folder: Folder; name: string; source: AsyncIterable<Uint8Array> };

/** Checks folder, name and size before it reads a byte. After any answer, the rest of the body is drained. */
async function withFile(
  { app }: WebContext,
  turns: ReturnType<typeof openTurns>,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (file: SentFile) => Promise<unknown>,
): Promise<unknown> {
  reply.raw.once('finish', () => drainBody(request.raw));
  void reply.header('cache-control', 'no-store');
  try {
    mustBePlain(request);
    const folder = foldersHere(app.settings).find(({ id }) => id === fieldOf(request.query, 'folder'));
    if (!folder) throw new Refusal('NOT_FOUND');
    const name = fieldOf(request.query, 'name');
    const fault = findNameFault(name, folder);
    if (fault) throw cannotDrop(name, fault, 'Rename it.');
    const { maxBytes } = folder;
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
    const { person } = viewerOf(request);
    return await turns(person, () => work({ folder, name, source: readBody(request.body as Readable, { maxBytes }) }));
  } catch (error) {
    if (!(error instanceof BodyRefusal)) throw error;
    void reply.code(error.statusCode);
    if (error.code === 'BUSY') void reply.header('retry-after', '30');
    return says(error.code, error.message);
  }
}

/** Rejects a compressed body, which would have to be unpacked to an unknown size. */
function mustBePlain({ headers }: FastifyRequest): void {
  if ((headers['content-encoding'] ?? 'identity') === 'identity') return;
  throw new PipelineError('USAGE', 'take the file', 'its bytes are compressed for transport', {
    next: 'Send it uncompressed.',
  });
}

function cannotDrop(name: string, reason: string, next: string): PipelineError {
  const shown = maskName(displayName(name)).slice(0, LONGEST_SHOWN);
  return new PipelineError('USAGE', `take the file "${shown}"`, reason, { next });
}

const LONGEST_SHOWN = 80;

function says(code: string, text: string) {
  return { error: { code, says: text } };
}

/**
 * Says who dropped the same bytes, and when, while they still wait in a folder; otherwise null. No other check sees
 * them there, and a folder with a schedule may keep them for days.
 */
export async function describeWaiting(
  app: Pick<App, 'ledger' | 'account'>,
  { account }: Pick<Folder, 'account'>,
  sha256: string,
): Promise<string | null> {
  const found = await findWaitingUpload(app.ledger, account, sha256);
  if (!found) return null;
  const who = found.actor.replace(/^operator:/, '');
  const when = formatInZone(found.at, app.account(account).timeZone);
  return `${who} dropped the same bytes as "${found.name}" at ${when}, and they are not taken yet. One of the two will be refused.`;
}

/** Returns the fault of a dropped file's name; undefined when the name is fine. */
export function findNameFault(name: string, { complete }: Pick<Folder, 'complete'>): string | undefined {
  if (name === '') return 'it has no name';
  if (/[/\\]/.test(name) || name === '..') return 'it contains a path; give a file name only';
  if (displayName(name) !== name || /\p{Cs}/u.test(name)) return 'it contains invisible or invalid characters';
  if (name.startsWith('.')) return 'it begins with a dot, and such files are never taken';
  if (isIgnoredName(latin1(name)))
    return 'such names mark files that are still being written, so it would never be taken';
  const companion = readCompanionName(latin1(name), complete);
  if (companion) {
    const ending = latin1(name).slice(companion.of.length);
    return `${ending} is the suffix of ${companion.kind} files here; choose the payment file`;
  }
  if (Buffer.byteLength(name) > LONGEST_BYTES) return `it is longer than ${LONGEST_BYTES} bytes`;
  if (holdsCardNumber(name)) return 'it contains what looks like a card number';
  return undefined;
}

/** File systems allow 255 bytes; unfinished files and markers add to the name. */
const LONGEST_BYTES = 200;
