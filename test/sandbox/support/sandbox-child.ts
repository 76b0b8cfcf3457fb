import { startSandbox } from '../../../src/sandbox/start-sandbox.ts';

/** A sandbox in its own process, to be killed. Its folder is the first argument; it prints its address. */
const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error('no folder given');
const { url } = await startSandbox({ dataDir });
process.stdout.write(`${url}\n`);
