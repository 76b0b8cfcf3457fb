import { readFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../docs/gateway-client.md', import.meta.url), 'utf8');
const programs = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map((match) => match[1] ?? '');

let consumer: Consumer;
/** Complaints by module: PROGRAM, WRONG, VITEST_TEST and those of the page. */
let complaints: string[][];
beforeAll(async () => {
  consumer = await openConsumer();
  complaints = await consumer.complaints(PROGRAM, WRONG, VITEST_TEST, ...programs);
}, 300_000);
afterAll(() => consumer?.close());

const CHARGE = `{
  creditCardNum: '4222222222222220', creditCardExpiry: '12/30', cvv2: '000', mop: 'VISA', firstName: 'Ada',
  lastName: 'Byron', address: '1 Some Road', city: 'Troy', state: 'NY', zipCode: '12180', total: '5.00',
}`;

const PROGRAM = `
import { createGatewayClient } from 'paydrop/gateway';
import { startSandbox } from 'paydrop/sandbox';
const sandbox = await startSandbox();
const client = createGatewayClient({
  server: 'NA', agentCode: 'TEST88', password: 'TEST88', currency: 'USD', baseUrl: sandbox.url,
});
const answer = await client.processCreditCard(${CHARGE});
console.log(answer.kind, answer.kind === 'approved' ? answer.result.authorization : '', sandbox.books().length);
await sandbox.close();
`;

/** A test of a stranger, for node:test; the other is for vitest and TypeScript. */
const NODE_TEST = `
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { startSandbox } from 'paydrop/sandbox';
test('many sandboxes at once, each with its own port and books, and no file', async () => {
  const sandboxes = await Promise.all(Array.from({ length: 100 }, () => startSandbox()));
  assert.equal(new Set(sandboxes.map(({ port }) => port)).size, 100);
  const { status } = await fetch(sandboxes[7].url + '/NetGate/ProcessLinkv2.asmx', { method: 'POST' });
  assert.equal(status, 415);
  assert.deepEqual(sandboxes.map((sandbox) => sandbox.calls().length), sandboxes.map((_, index) => (index === 7 ? 1 : 0)));
  await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  assert.deepEqual(await readdir(process.env.TMPDIR), []);
});
`;

const VITEST_TEST = `
import { expect, test } from 'vitest';
import { createGatewayClient } from 'paydrop/gateway';
import { type BookRow, startSandbox } from 'paydrop/sandbox';
test('a charge is in the books, until the block ends', async () => {
  let url = '';
  {
    await using sandbox = await startSandbox({ now: '2026-06-15T09:00:00Z' });
    url = sandbox.url;
    const client = createGatewayClient({ server: 'NA', agentCode: 'TEST88', password: 'TEST88', baseUrl: url, currency: 'USD' });
    await client.processCreditCard(${CHARGE});
    const rows: readonly BookRow[] = sandbox.books();
    expect(rows).toMatchObject([{ amountCents: 500, lastFour: '2220', outcome: 'approved' }]);
    expect(sandbox.complaints()).toEqual([]);
  }
  await expect(fetch(url)).rejects.toThrow();
});
`;

const WRONG = `
import { createGatewayClient, type ClientAnswer } from 'paydrop/gateway';
const client = createGatewayClient({ server: 'NA', agentCode: 'A', password: 'P' });
await client.deleteCustomerCode({});
await client.deleteCustomerCode({ customerCode: 'A1', customercode: 'A1' });
await client.dropCustomerCode({ customerCode: 'A1' });
createGatewayClient({ server: 'EU', agentCode: 'A', password: 'P' });
const answer: ClientAnswer<'deleteCustomerCode'> = await client.deleteCustomerCode({ customerCode: 'A1' });
console.log(answer.result);
`;

describe('the package as others import it', () => {
  it('charges a card of its own sandbox', async () => {
    expect(await consumer.run(PROGRAM)).toBe('approved 678594 1\n');
  });

  it('has a sandbox for tests of node:test and of vitest', async () => {
    expect(await consumer.test('node', NODE_TEST)).toMatch(/^# pass 1$/m);
    expect(await consumer.test('vitest', VITEST_TEST)).toMatch(/Tests +1 passed/);
  });

  it('has types that a strict program accepts', () => {
    expect([complaints[0], complaints[2]]).toEqual([[], []]);
  });

  it('has types that refuse what is missing, misspelt or unknown', () => {
    expect(complaints[1]?.map((line) => /\((\d+),/.exec(line)?.[1])).toEqual(['4', '5', '6', '7', '9']);
  });

  it('is documented by programs that compile, of which the first runs', async () => {
    expect(programs.length).toBeGreaterThan(1);
    expect(complaints.slice(3)).toEqual(programs.map(() => []));
    expect(await consumer.run(programs[0] ?? '')).toMatch(/^paid A[0-9A-F]{7}\n$/);
  });

  it('offers nothing but its entries', async () => {
    await expect(consumer.run(`import 'paydrop/dist/src/app.js';`)).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A foreign program with paydrop among its packages, compiled as `npm run build` does, packed and unpacked. */
type Consumer = {
  /** Runs a module of that program. Returns its standard output. */
  run(code: string): Promise<string>;
  /** Runs a test file of that program, with an empty folder for temporary files. Returns what the runner says. */
  test(runner: 'node' | 'vitest', code: string): Promise<string>;
  /** Checks modules of that program, with declarations, as strictly as TypeScript can. Returns their complaints. */
  complaints(...modules: string[]): Promise<string[][]>;
  close(): Promise<void>;
};

async function openConsumer(): Promise<Consumer> {
  const dir = await mkdtemp(join(tmpdir(), 'paydrop-consumer-'));
  const [source, modules] = [join(dir, 'source'), join(dir, 'node_modules')];
  await mkdir(source);
  await mkdir(join(modules, 'paydrop'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(source, 'package.json'));
  for (const name of ['node_modules', 'samples', 'docs', 'deploy']) await symlink(join(ROOT, name), join(source, name));
  await run(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), join(source, 'dist')]);
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', dir], { cwd: source });
  const pack = (await readdir(dir)).find((name) => name.endsWith('.tgz')) ?? '';
  await run('tar', ['-xzf', join(dir, pack), '-C', join(modules, 'paydrop'), '--strip-components=1']);
  await symlink(join(ROOT, 'node_modules'), join(modules, 'paydrop', 'node_modules'));
  for (const name of ['@types', 'vitest']) await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  await writeFile(join(dir, 'package.json'), '{ "type": "module" }');
  return {
    run: async (code) => {
      await writeFile(join(dir, 'program.mjs'), code);
      return (await run(process.execPath, ['program.mjs'], { cwd: dir })).stdout;
    },
    test: async (runner, code) => {
      const [folder, temporary] = [join(dir, runner), join(dir, `${runner}-temporary`)];
      for (const path of [folder, temporary]) await mkdir(path);
      const file = join(folder, runner === 'node' ? 'some.test.mjs' : 'some.test.ts');
      await writeFile(file, code);
      const words = runner === 'node' ? ['--test', file] : [VITEST, 'run', '--root', folder, '--reporter', 'default'];
      const { PATH = '', HOME = '' } = process.env;
      const env = { PATH, HOME, TMPDIR: temporary, NO_COLOR: '1' };
      return (await run(process.execPath, words, { cwd: folder, env })).stdout;
    },
    complaints: async (...modules) => {
      const files = modules.map((_, index) => `program-${index}.ts`);
      for (const [index, code] of modules.entries()) await writeFile(join(dir, files[index]!), code);
      await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ ...TSCONFIG, files }));
      const { stdout } = await run(TSC, ['-p', '.', '--pretty', 'false'], { cwd: dir }).catch(
        (error: { stdout: string }) => error,
      );
      const lines = stdout.split('\n').filter((line) => line.includes('error'));
      const strange = lines.filter((line) => !files.some((file) => line.startsWith(`${file}(`)));
      return files.map((file) => [...lines.filter((line) => line.startsWith(`${file}(`)), ...strange]);
    },
    close: () => rm(dir, { recursive: true, force: true }),
  };
}

const TSC = join(ROOT, 'node_modules', '.bin', 'tsc');
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    types: ['node'],
    exactOptionalPropertyTypes: true,
  },
};
