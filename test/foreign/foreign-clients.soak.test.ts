import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { useSandboxes } from '../sandbox/support/sandbox-world.ts';
import { serviceVerdict } from '../support/service-verdict.ts';
import { BOOKED, foreignCalls, NOW, PLANNED } from './support/foreign-calls.ts';

/**
 * SOAP stacks of other languages, as they come, call everything that an address of the sandbox has. A program of each in
 * test/foreign/clients reads on its standard input
 *
 *     {"services": {name: address of its WSDL}, "port": end of the port's name, "calls": [foreign-calls.ts]}
 *
 * and prints for each call, in one line, `{"answer": [[element, text], …]}`, every element without children, or
 * `{"fault": kind, "says": text}`.
 */
type Client = {
  readonly name: string;
  readonly needs: string;
  /** Ends with 0 where it is installed. */
  readonly probe: readonly string[];
  /** In test/foreign/clients. A shell script is given a folder, the address before a service's name, and what follows. */
  readonly program: readonly string[];
  readonly version: 1 | 2 | 3 | 4;
  readonly port: 'Soap' | 'Soap12';
  readonly tls: boolean;
  /** How it is told which CA to trust, as the start lines of the sandbox say. */
  readonly trust?: readonly string[];
  /** The stack itself sends a call again whose answer is lost, and so charges twice. */
  readonly repeats?: true;
  /** Its stack sees only the first of two reports of one name. */
  readonly seesFirst?: true;
};

const CLIENTS: readonly Client[] = [
  {
    name: 'PHP with SoapClient',
    needs: 'php with its soap and xml extensions',
    probe: ['php', '-r', 'exit((int) !(class_exists("SoapClient") && function_exists("simplexml_load_string")));'],
    program: ['php', 'soap-client.php'],
    version: 2,
    port: 'Soap12',
    tls: true,
  },
  {
    name: 'Python with zeep',
    needs: 'python3-zeep',
    probe: ['/usr/bin/python3', '-c', 'import zeep'],
    program: ['/usr/bin/python3', 'zeep-client.py'],
    version: 4,
    port: 'Soap12',
    tls: true,
    trust: ['REQUESTS_CA_BUNDLE', 'SSL_CERT_FILE'],
  },
  {
    name: 'Perl with SOAP::Lite',
    needs: 'libsoap-lite-perl and liblwp-protocol-https-perl',
    probe: ['perl', '-MSOAP::Lite', '-MLWP::Protocol::https', '-e1'],
    program: ['perl', 'soap-lite.pl'],
    version: 1,
    port: 'Soap',
    tls: true,
    trust: ['PERL_LWP_SSL_CA_FILE', 'HTTPS_CA_FILE'],
  },
  {
    name: 'Ruby with soap4r',
    needs: 'ruby-soap4r',
    probe: ['ruby', '-rsoap/wsdlDriver', '-e1'],
    program: ['ruby', 'soap4r-client.rb'],
    version: 1,
    port: 'Soap',
    tls: true,
    trust: ['SSL_CERT_FILE'],
    seesFirst: true,
  },
  {
    name: 'Java with Axis 1',
    needs: 'default-jdk-headless, libaxis-java and libgoogle-gson-java',
    probe: ['sh', '-c', 'command -v javac && ls /usr/share/java/axis.jar /usr/share/java/gson.jar'],
    program: ['sh', 'axis.sh'],
    version: 1,
    port: 'Soap',
    tls: false,
  },
  {
    name: 'Java with JAX-WS',
    needs: 'default-jdk-headless, jaxws and libgoogle-gson-java',
    probe: ['sh', '-c', 'command -v javac wsimport && ls /usr/share/java/gson.jar'],
    program: ['sh', 'jaxws.sh'],
    version: 3,
    port: 'Soap',
    tls: true,
    trust: ['SANDBOX_CA'],
    repeats: true,
  },
  {
    name: '.NET with the classes of wsdl',
    needs: 'mono-devel and libmono-system-web-extensions4.0-cil',
    probe: ['sh', '-c', 'command -v wsdl mcs mono && ls /usr/lib/mono/4.5/System.Web.Extensions.dll'],
    program: ['sh', 'dotnet.sh'],
    version: 2,
    port: 'Soap',
    tls: false,
  },
  {
    name: 'Node with soap',
    needs: 'node',
    probe: [process.execPath, '-e', ''],
    program: [process.execPath, 'soap-client.mjs'],
    version: 3,
    port: 'Soap12',
    tls: true,
    trust: ['NODE_EXTRA_CA_CERTS'],
  },
];

const world = useSandboxes();

async function run(client: Client, sandbox: Sandbox, calls: readonly unknown[]): Promise<unknown[]> {
  const folder = await world.folder();
  const caFile = join(folder, 'ca.pem');
  if (sandbox.ca !== undefined) await writeFile(caFile, sandbox.ca);
  const before = `${sandbox.url}/NetGate`;
  const after = `${client.version === 1 ? '' : `v${client.version}`}.asmx?WSDL`;
  const services = ['ProcessLink', 'CustomerLink', 'ReportLink'].map((name) => [name, `${before}/${name}${after}`]);
  const [command = '', script = ''] = client.program;
  const child = spawn(
    command,
    [
      ...(command === 'php' ? ['-d', `openssl.cafile=${caFile}`] : []),
      fileURLToPath(new URL(`clients/${script}`, import.meta.url)),
      folder,
      before,
      after,
    ],
    { env: { ...process.env, ...Object.fromEntries((client.trust ?? []).map((name) => [name, caFile])) } },
  );
  child.stdin.end(JSON.stringify({ services: Object.fromEntries(services), port: client.port, calls }));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (child.exitCode !== 0) throw new Error(`${client.name} ended with status ${child.exitCode}: ${errors}`);
  return output
    .trim()
    .split('\n')
    .map((line) => readLine(JSON.parse(line) as Line));
}

type Line = { readonly answer: readonly (readonly [string, string])[] } | { readonly fault: string };

/** Returns the first text of each element without its padding, files decoded; or 'fault'. */
function readLine(line: Line): unknown {
  if ('fault' in line) return 'fault';
  const first = new Map(line.answer.toReversed());
  return Object.fromEntries(
    [...first].map(([name, value]) => [name, name.endsWith('FILE') ? decode(value) : value.trim()]),
  );
}

function decode(file: string): string {
  return Buffer.from(file, 'base64').toString('utf8');
}

describe.each(CLIENTS)('$name', (client) => {
  const [command = '', ...words] = client.probe;
  const verdict = serviceVerdict(client.needs, `tests of ${client.name}`, spawnSync(command, words).status === 0);
  it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

  it.runIf(verdict.isInstalled)('calls everything, hears of every failure, and pays what the books say', async () => {
    const sandbox = await world.start({ now: NOW, batchDelayMs: 0, ...(client.tls ? { tls: {} } : {}) });
    for (const plan of PLANNED) sandbox.faults.plan(plan);
    const calls = foreignCalls(client.version, { seesFirst: client.seesFirst === true });
    const asked = calls.map(({ call }) => call);
    const answers = await run(client, sandbox, asked);
    const names = asked.map(({ operation }, place) => `${place} ${operation}`);
    // The answer to the repeated call is that of its second charge.
    const expected = calls.map((one) => one.expected);
    if (client.repeats) expected[expected.length - 1] = { STATUS: 'Success', AUTHORIZATIONRESULT: 'OK: 678594:' };
    expect(answers.map((answer, place) => [names[place], answer])).toEqual(
      expected.map((one, place) => [names[place], one === 'fault' ? one : expect.objectContaining(one)]),
    );
    const booked = sandbox.books().map((row) => [row.operation, row.invoice, row.amountCents, row.charged]);
    expect(booked).toEqual(client.repeats ? [...BOOKED, BOOKED.at(-1)] : BOOKED);
  });
});

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
