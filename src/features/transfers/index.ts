import type { Feature } from '../../feature.ts';
import { findRemoteFaults } from './setting-faults.ts';

/** Fetches files from SFTP servers, and uploads outputs to them. */
export const transfers: Feature = {
  name: 'transfers',
  settingFaults: findRemoteFaults,
  restsOn: ({ remotes }, { pull }) => (pull === undefined ? 'no server' : remotes[pull.remote]),
  work: async () => (await import('./work.ts')).work,
  checks: async () => [(await import('./check-servers.ts')).sftpServers],
  samples: async (app) => {
    const { transferHealth } = await import('./transfer-health.ts');
    return [{ name: 'paydrop_transfers_failing', value: transferHealth(app).broken.size }];
  },
};
