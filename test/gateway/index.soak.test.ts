import { readFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../docs/gateway-client.md', import.meta.url), 'utf8');
const programs = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map((match) => match[1] ?? '');

let consumer: Consumer;
/** Complaints by module: PROGRAM, WRONG and those of the page. */
let complaints: string[][];
beforeAll(async () => {
  consumer = await openConsumer();
  complaints = await consumer.complaints(PROGRAM, WRONG, ...programs);
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

  it('has types that a strict program accepts', () => {
    expect(complaints[0]).toEqual([]);
  });

  it('has types that refuse what is missing, misspelt or unknown', () => {
    expect(complaints[1]?.map((line) => /\((\d+),/.exec(line)?.[1])).toEqual(['4', '5', '6', '7', '9']);
  });

  it('is documented by programs that compile, of which the first runs', async () => {
    expect(programs.length).toBeGreaterThan(1);
    expect(complaints.slice(2)).toEqual(programs.map(() => []));
    expect(await consumer.run(programs[0] ?? '')).toMatch(/^paid A[0-9A-F]{7}\n$/);
  });

  it('offers nothing but its entries', async () => {
    await expect(consumer.run(`import 'paydrop/dist/src/app.js';`)).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A foreign program with paydrop among its packages, compiled as `npm run build` does. */
type Consumer = {
  /** Runs a module of that program. Returns its standard output. */
  run(code: string): Promise<string>;
  /** Checks modules of that program, with declarations, as strictly as TypeScript can. Returns their complaints. */
  complaints(...modules: string[]): Promise<string[][]>;
  close(): Promise<void>;
};

async function openConsumer(): Promise<Consumer> {
  const dir = await mkdtemp(join(tmpdir(), 'paydrop-consumer-'));
  const installed = join(dir, 'node_modules', 'paydrop');
  await mkdir(installed, { recursive: true });
  // `npm run types` checks the types.
  const words = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', join(installed, 'dist')];
  await run(TSC, words, { cwd: ROOT });
  await cp(join(ROOT, 'package.json'), join(installed, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(installed, 'node_modules'));
  await symlink(join(ROOT, 'node_modules', '@types'), join(dir, 'node_modules', '@types'));
  await writeFile(join(dir, 'package.json'), '{ "type": "module" }');
  return {
    run: async (code) => {
      await writeFile(join(dir, 'program.mjs'), code);
      return (await run(process.execPath, ['program.mjs'], { cwd: dir })).stdout;
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
