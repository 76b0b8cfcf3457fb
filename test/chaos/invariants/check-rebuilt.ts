import { openApp } from '../../../src/app.ts';
import { loadSettings } from '../../../src/kernel/config.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import type { FileRow } from '../../../src/ledger/records.ts';
import { rebuildOutputs } from '../../../workers/rebuild-outputs.ts';
import type { World } from '../support/open-world.ts';

/** Every output, made once more from the ledger and the sealed original, has the same bytes. */
export async function checkRebuilt({ place, redis }: World): Promise<string[]> {
  const env = redis ? { REDIS_URL: redis.url } : {};
  const app = await openApp(loadSettings(place.root, env), { log: silentLog(), env });
  try {
    const wrong: string[] = [];
    const { rows: files } = await app.ledger.pool.query<FileRow>(
      'SELECT * FROM file LEFT JOIN file_secret USING (file_id) ORDER BY file_no',
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
