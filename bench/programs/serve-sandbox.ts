import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { serveStarter } from '../service/serve-starter.ts';

/** `serve-sandbox`: the sandbox of the product, which judges and books every row, with its results ready at once. */
const { url } = await startSandbox({ batchDelayMs: 0 });
serveStarter({ url });
