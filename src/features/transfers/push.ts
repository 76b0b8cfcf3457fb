import { join, posix } from 'node:path';
import type { App } from '../../app.ts';
import type { Settings } from '../../config/config.ts';
import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { withLock } from '../../ledger/engine/with-lock.ts';
import { openRemote, remoteNamed, type RemoteSession } from './open-remote.ts';
import { tryEach } from './try-each.ts';
import { beginPushing, findUnpushed, notePushed, type PushableOutput, pushTargetName } from './push-records.ts';

/** A folder on an SFTP server that outputs are uploaded to. */
export type PushTarget = Settings['push'][number];

/**
 * Uploads the outputs of this site that a place still lacks, the oldest first. Each is uploaded under a hidden name,
 * compared in size and renamed; its marker follows. Output names are unique, so a repeat after a crash replaces only
 * itself.
 * @returns how many were uploaded
 */
export async function pushOutputs(app: App, target: PushTarget, open: typeof openRemote = openRemote): Promise<number> {
  const name = pushTargetName(target);
  await beginPushing(app.ledger, name);
  const wanted = { target: name, site: app.settings.site, accounts: target.accounts };
  return withLock(app.ledger, `push:${name}:${app.settings.site}`, async () => {
    const outputs = await findUnpushed(app.ledger, wanted);
    if (outputs.length === 0) return 0;
    const session = await open(remoteNamed(app.settings, target.remote));
    try {
      await tryEach(outputs, async (output) => {
        await upload({ app, session, target }, output);
        await notePushed(app.ledger, name, output);
      });
      app.log.info({ remote: target.remote, outputs: outputs.length }, 'outputs uploaded');
      return outputs.length;
    } finally {
      await session.close();
    }
  });
}

type Setting = { app: App; session: RemoteSession; target: PushTarget };

async function upload({ app, session, target }: Setting, output: PushableOutput): Promise<void> {
  const path = posix.join(target.path, output.name);
  const hidden = posix.join(target.path, `.${output.name}.part`);
  if ((await session.stat(path))?.bytes !== output.bytes) {
    await session.upload(join(app.settings.paths.out, output.name), hidden);
    const arrived = await session.stat(hidden);
    if (arrived?.bytes !== output.bytes) {
      const reason = `${counted(output.bytes, 'byte')} sent and ${arrived?.bytes ?? 0} there`;
      throw new PipelineError('REMOTE_FAILED', `upload "${output.name}" to remote "${target.remote}"`, reason);
    }
    // Left by an unfinished upload; its name is paydrop's alone.
    if (await session.stat(path)) await session.remove(path);
    await session.rename(hidden, path);
  }
  if (target.marker !== undefined) await session.writeEmpty(path + target.marker);
}
