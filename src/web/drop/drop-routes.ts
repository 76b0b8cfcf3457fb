import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { type Folder, foldersHere } from '../../config/config.ts';
import { displayName } from '../../files/display-name.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskName } from '../../kernel/mask.ts';
import { readUpload } from '../../ledger/transfer/read-upload.ts';
import { fieldOf } from '../access/read-form.ts';
import { Refusal } from '../access/refusal.ts';
import { actorOf } from '../access/viewer.ts';
import { type Desk, viewerOf } from '../desk.ts';
import { checkUpload } from './check-upload.ts';
import { describeTaking } from './describe-taking.ts';
import { describeWaiting } from './describe-waiting.ts';
import { findNameFault } from './find-name-fault.ts';
import { openTurns, type Turns } from './open-turns.ts';
import { BodyRefusal, drainBody, readBody, tooLarge } from './read-body.ts';
import { takeUpload } from './take-upload.ts';
import { toVerdict } from './to-verdict.ts';

/** Files read at the same time. Each takes memory for its rows, and all share one processor. */
const MOST_AT_ONCE = 4;

/**
 * Registers `POST /drop/check`, which previews the decision on a file, and `POST /drop/submit`, which puts it into its
 * folder. `GET /drop/uploads/:uploadNo` says where it is now. Bodies are the raw bytes of the file, never unpacked and
 * never held as a whole.
 */
export function dropRoutes(server: FastifyInstance, desk: Desk): void {
  const { app } = desk;
  const turns = openTurns(MOST_AT_ONCE);
  server.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));

  server.post('/drop/check', { config: { may: 'check' } }, async (request, reply) =>
    withFile(desk, turns, request, reply, async ({ folder, name, source }) => {
      const verdict = toVerdict(app, folder, name, await checkUpload(app, folder, { name, source }));
      return { ...verdict, waiting: await describeWaiting(app, folder, verdict.sha256) };
    }),
  );

  server.post('/drop/submit', { config: { may: 'drop' } }, async (request, reply) =>
    withFile(desk, turns, request, reply, async ({ folder, name, source }) => {
      const sha256 = fieldOf(request.query, 'sha256');
      if (!/^[0-9a-f]{64}$/.test(sha256)) throw cannotDrop(name, 'it was not checked', 'Check it first.');
      const actor = actorOf(viewerOf(request));
      const taken = await takeUpload(app, folder, { name, sha256, source, actor });
      switch (taken.is) {
        case 'dropped':
          app.log.info({ folder: folder.id, actor, uploadNo: taken.uploadNo }, 'file dropped at the desk');
          return { uploadNo: taken.uploadNo, says: `Dropped. ${describeTaking(app, folder)}` };
        case 'other-bytes':
          void reply.code(409);
          return says('OTHER_BYTES', 'The file was changed since it was checked. Check it again.');
        case 'name-taken': {
          void reply.code(409);
          const free = maskName(taken.free);
          return says('NAME_TAKEN', `A file of this name lies in the folder already. Rename yours, such as "${free}".`);
        }
      }
    }),
  );

  server.get('/drop/uploads/:uploadNo', { config: { may: 'check' } }, async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    const number = fieldOf(request.params, 'uploadNo');
    const upload = /^\d{1,15}$/.test(number) ? await readUpload(app.ledger, Number(number)) : undefined;
    if (!upload) throw new Refusal('NOT_FOUND');
    const { name, file_id: fileId, state } = upload;
    return { uploadNo: upload.upload_no, name, fileId, state, path: fileId && `/files/${fileId}` };
  });
}

type SentFile = { folder: Folder; name: string; source: AsyncIterable<Uint8Array> };

/** Checks folder, name and size before it reads a byte. After any answer, the rest of the body is drained. */
async function withFile(
  { app }: Desk,
  turns: Turns,
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
    return await turns(() => work({ folder, name, source: readBody(request.body as Readable, { maxBytes }) }));
  } catch (error) {
    if (!(error instanceof BodyRefusal)) throw error;
    void reply.code(error.statusCode);
    return says(error.code, error.message);
  }
}

/** Rejects a compressed body, which would have to be unpacked to an unknown size. */
function mustBePlain({ headers }: FastifyRequest): void {
  if ((headers['content-encoding'] ?? 'identity') === 'identity') return;
  throw new PipelineError('USAGE', 'take the file', 'its bytes are compressed on the way', {
    next: 'Send it as it is.',
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
