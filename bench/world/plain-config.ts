/** Name of the import profile of the folder, if it has one. */
export const PROFILE_NAME = 'cards';

/** Names of the one folder and of the one account. */
const DROP = 'drop';
const MAIN = 'main';

type PlainOptions = {
  serviceUrl: string;
  maxBadPercent?: number;
  byProfile?: boolean;
  /** One by default. */
  accounts?: number;
  /** Rows of a batch; paydrop's default if left out. */
  batchRows?: number;
};

/** Returns the names of drop folders: `drop`, or one for each of several accounts. */
export function dropFolders(accounts = 1): string[] {
  return accounts === 1 ? [DROP] : Array.from({ length: accounts }, (_, index) => `${DROP}-${index + 1}`);
}

/** Returns one account, or several, each with its folder, with paydrop's defaults except where they cause waiting. */
export function plainConfig(options: PlainOptions) {
  const { accounts, batchRows } = options;
  const named = dropFolders(accounts).map((path) => ({
    path,
    account: path === DROP ? MAIN : path.replace(DROP, 'account'),
  }));
  return {
    accounts: Object.fromEntries(named.map(({ account }) => [account, accountAt(options.serviceUrl, account)])),
    folders: named.map((folder) => ({ ...folder, ...folderLike(options) })),
    ...(batchRows !== undefined && { batch: { maxRows: batchRows } }),
  };
}

/** Each account has an agent code of its own, because no agent sees the batches of another. */
function accountAt(baseUrl: string, account: string) {
  return {
    server: 'NA',
    country: 'US',
    currency: 'USD',
    agentCode: account === MAIN ? 'TEST88' : account,
    password: 'TEST88',
    baseUrl,
    // The stand-in has its results at once.
    poll: { firstMs: 0, factor: 1, longestMs: 100 },
  };
}

function folderLike({ maxBadPercent = 10, byProfile }: PlainOptions) {
  return {
    operation: 'card',
    // Files are renamed into the folder whole, so there is nothing to wait for.
    complete: { by: 'quiet', quietMs: 0, probes: 1 },
    badRows: { policy: 'withhold', maxPercent: maxBadPercent },
    // The files of a run are too uniform or too different for this check.
    unusualFactor: 0,
    ...(byProfile && { profile: PROFILE_NAME }),
  };
}
