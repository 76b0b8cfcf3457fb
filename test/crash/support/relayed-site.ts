import { type DatabaseRelay, relayDatabase } from '../../support/database-relay.ts';
import { type ScriptedService, startScriptedService } from '../../support/scripted-service.ts';
import { type CrashSite, openCrashSite, type SiteOptions } from './crash-site.ts';
import type { Daemon } from './daemon.ts';

/** A running process whose network to its database can fail at any step. */
export type RelayedSite = {
  readonly service: ScriptedService;
  readonly site: CrashSite;
  readonly relay: DatabaseRelay;
  readonly daemon: Daemon;
  close(): Promise<void>;
};

export async function openRelayedSite(options: Pick<SiteOptions, 'accounts' | 'special'>): Promise<RelayedSite> {
  const service = await startScriptedService();
  const settings = { sweepMs: 200, rescanMs: 300, batch: { maxRows: 2 } };
  const site = await openCrashSite({ ...options, serviceUrl: service.url, settings });
  const relay = await relayDatabase(site.databaseUrl);
  const daemon = site.start({ env: { DATABASE_URL: relay.url } });
  await daemon.said(/paydrop is running/);
  return {
    service,
    site,
    relay,
    daemon,
    close: async () => {
      await site.close();
      relay.close();
      await service.close();
    },
  };
}
