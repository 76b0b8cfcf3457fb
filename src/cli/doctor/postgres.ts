import { inspectServer, type ServerState } from '../../ledger/engine/open-ledger.ts';
import { findMissingMigrations } from '../../ledger/engine/migrate.ts';
import { bad, type Check, type Finding, ok, warn } from './check.ts';

/** The oldest version that still gets fixes. */
const OLDEST = 140_000;

/** A commit must be on disk when it is acknowledged, or a power cut undoes transitions that were acted upon. */
export const postgres: Check = {
  name: 'PostgreSQL',
  needs: 'ledger',
  async look({ ledger }) {
    const [server, missing] = await Promise.all([inspectServer(ledger), findMissingMigrations(ledger.pool)]);
    const findings = judgeServer(server);
    if (missing.length > 0)
      findings.push(
        warn(`the ledger lacks ${missing.join(', ')}`, 'Nothing: the next start of this version adds them.'),
      );
    return findings.length > 0 ? findings : [ok(`version ${server.version}, every commit is on the disk`)];
  },
};

export function judgeServer(server: ServerState): Finding[] {
  const findings: Finding[] = [];
  if (server.versionNumber < OLDEST)
    findings.push(warn(`version ${server.version} gets no corrections any more`, 'Update PostgreSQL to 14 or newer.'));
  for (const [name, value] of [
    ['fsync', server.fsync],
    ['full_page_writes', server.fullPageWrites],
    ['synchronous_commit', server.synchronousCommit],
  ] as const) {
    if (value !== 'off') continue;
    findings.push(bad(`${name} is off: a power cut could take back what was sent`, `ALTER SYSTEM SET ${name} = on;`));
  }
  if (server.isStandby)
    findings.push(bad('the server is a standby and takes no writes', 'Set DATABASE_URL to the primary.'));
  return findings;
}
