import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

/** Runs vitest on files with endless loops, as `npm test` would run them, with a limit of seconds. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const LOOPS = [
  {
    place: 'a test',
    file: 'test.test.js',
    code: "it('passes', () => {});\nit('never ends', () => { for (;;); });",
    name: 'test.test.js > never ends',
  },
  {
    place: 'the hook of a group, where promises are awaited',
    file: 'hook.test.js',
    code: "describe('a group', () => {\n  beforeAll(async () => { for (;;) await undefined; });\n  it('waits', () => {});\n});",
    name: 'hook.test.js > a group',
  },
];

let run: { status: number; output: string };

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'loops-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const settings = { pool: 'forks', isolate: false, maxWorkers: 2, runner: join(ROOT, 'test/support/run-watched.mjs') };
  await writeFile(join(folder, 'vitest.config.mjs'), `export default { test: ${JSON.stringify(settings)} };`);
  for (const { file, code } of LOOPS)
    await writeFile(join(folder, file), `import { beforeAll, describe, it } from 'vitest';\n${code}`);
  run = await new Promise((resolve) => {
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const env = { ...process.env, PAYDROP_TEST_BLOCKED_S: '2' };
    execFile(process.execPath, [vitest, 'run'], { cwd: folder, env }, (error, out, complaints) =>
      resolve({ status: Number(error?.code ?? 0), output: out + complaints }),
    );
  });
  await rm(folder, { recursive: true });
});

describe('an endless loop', () => {
  it.each(LOOPS)('in $place ends by the limit, and is named', ({ name }) => {
    expect(run.output).toContain(`${name} blocked its process for 2 s`);
  });

  it('fails the run', () => {
    expect(run.status, run.output).toBe(1);
  });
});
