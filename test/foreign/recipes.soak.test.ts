import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { useSandboxes } from '../sandbox/support/sandbox-world.ts';
import { serviceVerdict } from '../support/service-verdict.ts';

const world = useSandboxes();
const PAID = 'OK: 678594:\n';
const NO_SUCH_CHARGE = 'REJECT: 39\n';

type Recipe = {
  readonly heading: string;
  readonly needs: string;
  /** Ends with 0 where it is installed. */
  readonly probe: readonly [command: string, ...words: string[]];
  /** The blocks of code are saved as these files. */
  readonly files: readonly string[];
  readonly run: readonly [command: string, ...words: string[]];
  /** The end of what it prints. */
  readonly prints: string;
};

const RECIPES: readonly Recipe[] = [
  {
    heading: 'PHP',
    needs: 'php with its soap and xml extensions',
    probe: ['php', '-r', 'exit((int) !(class_exists("SoapClient") && function_exists("simplexml_load_string")));'],
    files: ['charge.php'],
    run: ['php', 'charge.php'],
    prints: PAID,
  },
  {
    heading: 'Python',
    needs: 'python3-zeep',
    probe: ['/usr/bin/python3', '-c', 'import zeep'],
    files: ['charge.py'],
    run: ['/usr/bin/python3', 'charge.py'],
    prints: PAID,
  },
  {
    heading: 'Perl',
    needs: 'libsoap-lite-perl',
    probe: ['perl', '-MSOAP::Lite', '-e1'],
    files: ['charge.pl'],
    run: ['perl', 'charge.pl'],
    prints: PAID,
  },
  {
    heading: 'Ruby',
    needs: 'ruby-soap4r',
    probe: ['ruby', '-rsoap/wsdlDriver', '-e1'],
    files: ['charge.rb'],
    run: ['ruby', 'charge.rb'],
    prints: PAID,
  },
  {
    heading: '.NET',
    needs: 'mono-devel',
    probe: ['sh', '-c', 'command -v wsdl mcs mono'],
    files: ['Refund.cs', 'run.sh'],
    run: ['sh', '-e', 'run.sh'],
    prints: NO_SUCH_CHARGE,
  },
  {
    heading: 'Node',
    needs: 'node',
    probe: [process.execPath, '-e', ''],
    files: ['charge.mjs'],
    run: [process.execPath, 'charge.mjs'],
    prints: PAID,
  },
];

describe.each(RECIPES)('the recipe for $heading in docs/sandbox-clients.md', (recipe) => {
  const [probe, ...probed] = recipe.probe;
  const isThere = spawnSync(probe, probed).status === 0;
  const verdict = serviceVerdict(recipe.needs, `recipe for ${recipe.heading}`, isThere);
  it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

  it.runIf(verdict.isInstalled)('works as it stands, and prints one line and nothing after it', async () => {
    const root = new URL('../../', import.meta.url);
    const page = await readFile(new URL('docs/sandbox-clients.md', root), 'utf8');
    const section = page.split(`\n## ${recipe.heading}\n`)[1]?.split('\n## ')[0] ?? '';
    const blocks = [...section.matchAll(/```\w+\n(.*?)```/gs)].map(([, code = '']) => code);
    expect(blocks).toHaveLength(recipe.files.length);
    const sandbox = await world.start();
    const folder = await world.folder();
    await symlink(fileURLToPath(new URL('node_modules', root)), join(folder, 'node_modules'));
    for (const [index, file] of recipe.files.entries()) {
      const code = blocks[index]?.replaceAll('127.0.0.1:8899', `127.0.0.1:${sandbox.port}`) ?? '';
      await writeFile(join(folder, file), code);
    }
    const [command, ...words] = recipe.run;
    const child = spawn(command, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    expect({ output: output.slice(-recipe.prints.length), status: child.exitCode, errors }).toEqual({
      output: recipe.prints,
      status: 0,
      errors: expect.any(String),
    });
    expect(sandbox.calls()).toHaveLength(1);
  });
});
