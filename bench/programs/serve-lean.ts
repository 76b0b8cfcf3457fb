import { startLeanService } from '../service/lean-service.ts';
import { serveStarter } from '../service/serve-starter.ts';

/** `serve-lean`: the stand-in service in a process of its own. */
const service = await startLeanService();
serveStarter(service);
