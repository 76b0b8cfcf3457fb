/** Name of the import profile of the folder, if it has one. */
export const PROFILE_NAME = 'cards';

type PlainOptions = { serviceUrl: string; maxRows?: number; maxBadPercent?: number; byProfile?: boolean };

/** Returns one account and one folder, with paydrop's defaults except where they cause waiting. */
export function plainConfig(options: PlainOptions) {
  const { serviceUrl, maxRows, maxBadPercent = 10, byProfile } = options;
  return {
    accounts: {
      main: {
        server: 'NA',
        country: 'US',
        currency: 'USD',
        agentCode: 'TEST88',
        password: 'TEST88',
        baseUrl: serviceUrl,
        // The stand-in has its results at once.
        poll: { firstMs: 0, factor: 1, longestMs: 100 },
      },
    },
    folders: [
      {
        path: 'drop',
        account: 'main',
        operation: 'card',
        // Files are renamed into the folder whole, so there is nothing to wait for.
        complete: { by: 'quiet', quietMs: 0, probes: 1 },
        badRows: { policy: 'withhold', maxPercent: maxBadPercent },
        // The files of a run are too uniform or too different for this check.
        unusualFactor: 0,
        ...(byProfile && { profile: PROFILE_NAME }),
      },
    ],
    ...(maxRows !== undefined && { batch: { maxRows } }),
  };
}
