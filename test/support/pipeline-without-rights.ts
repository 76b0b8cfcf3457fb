/**
 * Runs the workers of a world in a process with the rights of an ordinary user. The superuser becomes `nobody` before
 * the workers start, but after the app is open: the checkout with the migrations may be readable to the superuser only.
 * The log goes to standard error and the user to standard output; the process stops when its standard input ends.
 */
import { Config } from '../../schemas/config.ts';
import { openApp } from '../../src/app.ts';
import { resolveSettings } from '../../src/config/config.ts';
import { openLog } from '../../src/kernel/log.ts';
import { startWorkers } from '../../workers/main.ts';

const NOBODY = 65_534;
const [root = '', config = '', databaseUrl = ''] = process.argv.slice(2);
const env = { DATABASE_URL: databaseUrl };
const app = await openApp(resolveSettings(Config.parse(JSON.parse(config)), root, env), { log: openLog(), env });
if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}
const workers = await startWorkers(app);
process.stdout.write(`user ${process.getuid?.()}\n`);
for await (const _ of process.stdin);
await workers.stop();
await app.close();
