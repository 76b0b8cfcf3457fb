import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { serveStarter } from '../service/serve-starter.ts';

/** `serve-sandbox`: paydrop's sandbox, which judges and books every row, with results ready at once. */
const { url } = await startSandbox({ batchDelayMs: 0 });
serveStarter({ url });
