import { openApp } from '../../../src/app.ts';
import { loadSettings } from '../../../src/config/config.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { rebuildOutputs } from '../../../workers/deliver/rebuild-outputs.ts';
import type { StoryHost } from '../support/story-world.ts';

/** Checks that every output, rebuilt from the ledger and the sealed original, has the same bytes. */
export async function checkRebuilt(hosts: readonly StoryHost[]): Promise<string[]> {
  const wrong = await Promise.all(hosts.map(checkHost));
  return wrong.flat();
}

/** Checks one host, because the originals of a site lie on its host. */
async function checkHost({ root, env }: StoryHost): Promise<string[]> {
  const settings = loadSettings(root, env);
  const app = await openApp(settings, { log: silentLog(), env });
  try {
    const wrong: string[] = [];
    const { rows: files } = await app.ledger.pool.query<FileRow>(
      'SELECT * FROM file LEFT JOIN file_secret USING (file_id) WHERE site = $1 ORDER BY file_no',
      [settings.site],
    );
    for (const file of files) {
      for (const { name, onDisk, rebuilt } of await rebuildOutputs(app, file)) {
        if (onDisk !== 'same' || rebuilt !== 'same')
          wrong.push(`output ${name}: on the disk ${onDisk}, again ${rebuilt}`);
      }
    }
    return wrong;
  } finally {
    await app.close();
  }
}
