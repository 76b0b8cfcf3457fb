import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import type { Settings } from '../../config/config.ts';
import { silentLog } from '../../kernel/log.ts';
import { type Ledger, openLedger } from '../../ledger/engine/open-ledger.ts';
import { bad, type Check, type Finding, warn } from './check.ts';
import { CHECKS } from './checks.ts';
import { findingOf } from './finding-of.ts';

export type Examined = { name: string; findings: Finding[] };

/**
 * Runs every check, whatever the results of the others. Nothing is changed: the ledger is opened as it is, and a
 * missing one is not created.
 */
export async function examine(
  parts: { settings: Settings; env: NodeJS.ProcessEnv; clock: Clock },
  checks: readonly Check[] = CHECKS,
): Promise<Examined[]> {
  const opened = await openAsIs(parts.settings, parts.clock);
  const examined: Examined[] = 'trouble' in opened ? [{ name: 'Ledger', findings: [opened.trouble] }] : [];
  try {
    for (const check of checks) {
      const findings = await lookOnce(check, parts, 'ledger' in opened ? opened.ledger : undefined);
      if (findings.length > 0) examined.push({ name: check.name, findings });
    }
  } finally {
    if ('ledger' in opened) await opened.ledger.close();
  }
  return examined;
}

async function lookOnce(
  check: Check,
  parts: Parameters<typeof examine>[0],
  ledger: Ledger | undefined,
): Promise<Finding[]> {
  try {
    if (check.needs === 'nothing') return await check.look(parts);
    return ledger ? await check.look({ ...parts, ledger }) : [];
  } catch (error) {
    return [findingOf(error, bad)];
  }
}

async function openAsIs(settings: Settings, clock: Clock): Promise<{ ledger: Ledger } | { trouble: Finding }> {
  const { databaseUrl, paths } = settings;
  if (!databaseUrl && !(await hasEmbeddedLedger(paths.data))) {
    return { trouble: warn('there is none yet', 'Nothing: the first start makes it. If there was one, restore data.') };
  }
  const place = databaseUrl ? { url: databaseUrl } : { dataDir: paths.data };
  try {
    return { ledger: await openLedger(place, { clock, log: silentLog(), asIs: true }) };
  } catch (error) {
    return { trouble: findingOf(error, bad) };
  }
}

/** Looks for the cluster, or the note that says where it is. */
async function hasEmbeddedLedger(dataDir: string): Promise<boolean> {
  const found = await Promise.allSettled([access(join(dataDir, 'postgres')), access(join(dataDir, 'WHERE.txt'))]);
  return found.some(({ status }) => status === 'fulfilled');
}
