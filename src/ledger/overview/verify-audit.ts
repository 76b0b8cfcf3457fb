import { timingSafeEqual } from 'node:crypto';
import { type LedgerReader, openSnapshot } from '../engine/list-page.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import { readAuditHead } from './list-audit.ts';
import { counted } from '../../kernel/counted.ts';

/** A chain of the audit trail: an account, or '' for the installation. */
type ChainName = string;

/** Where a chain ends. `seq` is the number of its last link in the whole trail. */
type ChainEnd = { readonly links: number; readonly seq: number; readonly hash: string };

/** What a root signs: the UTC day, and the ends of all chains. */
type Root = { readonly day: string; readonly chains: Readonly<Record<string, ChainEnd>> };

/** The first fault of a chain, or a fault of a root. `seq` is null when nothing is left to point at. */
export type TrailBreak = {
  readonly chain: ChainName;
  readonly seq: number | null;
  readonly says: string;
};

export type TrailReport = {
  /** Smallest number with a fault; 0 when a fault has none. */
  readonly brokenAt: number | undefined;
  readonly breaks: readonly TrailBreak[];
  readonly links: number;
  /** Over the ends of all chains. */
  readonly hash: string;
  readonly chains: readonly (ChainEnd & { readonly chain: ChainName })[];
  /** `unchecked` counts the roots of each key that is not here. */
  readonly roots: { readonly signed: number; readonly unchecked: Readonly<Record<string, number>> };
  /** The last root whose signature is right. Its hash, kept elsewhere, proves all that it names. */
  readonly lastRoot: { readonly seq: number; readonly day: string; readonly hash: string } | undefined;
  /** First link that no checked root covers, besides the last root itself; null when all are covered. */
  readonly unsignedFrom: number | null;
};

/** Signs lists of texts with a master key (`signerOf` in src/crypto/key-ring.ts). */
type Signer = { readonly id: string; sign(parts: readonly string[]): string };
type FindSigner = (id: string) => Signer | undefined;

/** The move of a root in the trail. */
const SIGN = 'sign-root';

/**
 * Adds a root to the trail: a signed link that names the end of every chain. What a chain had before then cannot go
 * unnoticed, not even with the whole chain.
 * @param options.onlyNightly adds none when the UTC day, by the clock of the database, has one
 * @returns whether one was added
 */
export async function signRoot(ledger: Ledger, key: Signer, { onlyNightly = false } = {}): Promise<boolean> {
  if (onlyNightly && (await hasRoot(ledger, ledger.databaseNow()))) return false;
  return transact(ledger, async (tx) => {
    // Of two processes, the second one waits here and then sees the root of the first.
    await tx.client.query(`SELECT lock_audit_chains('{""}')`);
    if (onlyNightly && (await hasRoot({ pool: tx.client }, tx.databaseNow))) return false;
    const { rows } = await tx.client.query<{ day: string }>(`SELECT ${dayOf(tx.databaseNow)} AS day`);
    const root = { day: rows[0]!.day, chains: await readEnds({ pool: tx.client }) };
    const evidence = { ...root, key: key.id, signature: key.sign(partsOf(root)) };
    tx.audit({ actor: 'system', move: SIGN, reason: 'signed the ends of all chains', evidence });
    return true;
  });
}

const dayOf = (databaseNow: string) => `to_char(${databaseNow} AT TIME ZONE 'UTC', 'YYYY-MM-DD')`;

async function hasRoot({ pool }: LedgerReader, databaseNow: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM audit WHERE move = '${SIGN}' AND evidence->>'day' = ${dayOf(databaseNow)} LIMIT 1`,
  );
  return rowCount === 1;
}

async function readEnds({ pool }: LedgerReader): Promise<Root['chains']> {
  const { rows } = await pool.query<ChainEnd & { chain: ChainName }>(
    `SELECT chain, link_no AS links, seq, encode(hash, 'hex') AS hash FROM audit_chain WHERE link_no > 0`,
  );
  return Object.fromEntries(rows.map(({ chain, ...end }) => [chain, end]));
}

/** Returns all that a root says, in one order. */
function partsOf({ day, chains }: Root): string[] {
  const parts = ({ links, seq, hash }: ChainEnd) => [String(links), String(seq), hash];
  const named = Object.keys(chains)
    .sort()
    .flatMap((chain) => [chain, ...parts(chains[chain]!)]);
  return [day, ...named];
}

/**
 * Walks every chain, compares its end with the recorded one, and compares both with every root.
 * @param find returns the key that checks a signature; without it, a root counts as unchecked
 */
export async function verifyAudit(ledger: Ledger, find: FindSigner = () => undefined): Promise<TrailReport> {
  // One moment for all: links that are added meanwhile would look like those that nobody recorded.
  const snapshot = await openSnapshot(ledger);
  try {
    const walked = await walkChains(snapshot.ledger);
    const { breaks, ...roots } = await checkRoots(snapshot.ledger, find);
    const all = [...walked.breaks, ...breaks];
    const brokenAt = all.length === 0 ? undefined : Math.min(...all.map(({ seq }) => seq ?? 0));
    const head = await readAuditHead(snapshot.ledger);
    return { brokenAt, breaks: all, ...head, chains: walked.chains, ...roots };
  } finally {
    await snapshot.close();
  }
}

type WalkedChain = {
  chain: ChainName;
  links: number;
  seq: number | null;
  hash: string | null;
  changedAt: number | null;
  gapAt: number | null;
};

async function walkChains(reader: LedgerReader): Promise<Pick<TrailReport, 'breaks' | 'chains'>> {
  const { rows } = await reader.pool.query<WalkedChain>(
    `WITH link AS (
       SELECT chain, seq, previous, hash, link_no,
              hash = audit_link_hash(previous, chain, link_no, seq, at, actor, file_id, batch_no, move, from_state, to_state,
                                     reason, evidence) AS is_own
       FROM audit),
     walked AS (
       SELECT *, coalesce(lag(hash) OVER chained, '\\x00'::bytea) AS before, row_number() OVER chained AS no
       FROM link WINDOW chained AS (PARTITION BY chain ORDER BY seq)),
     summed AS (
       SELECT chain, count(*) AS links, max(seq) AS seq, min(seq) FILTER (WHERE is_own IS NOT TRUE) AS "changedAt",
              min(seq) FILTER (WHERE previous <> before OR link_no <> no) AS "gapAt"
       FROM walked GROUP BY chain)
     SELECT summed.*, encode(audit.hash, 'hex') AS hash FROM summed JOIN audit USING (seq)`,
  );
  const found = new Map(rows.map((row) => [row.chain, row]));
  const recorded = new Map(Object.entries(await readEnds(reader)));
  const names = [...new Set([...recorded.keys(), ...found.keys()])].sort(byName);
  return {
    breaks: names.flatMap((chain) => breakOf(chain, found.get(chain), recorded.get(chain)) ?? []),
    chains: [...recorded]
      .map(([chain, end]) => ({ chain, ...end }))
      .sort((one, other) => byName(one.chain, other.chain)),
  };
}

/** The chain of the installation first. */
function byName(one: ChainName, other: ChainName): number {
  return one < other ? -1 : Number(one > other);
}

function breakOf(
  chain: ChainName,
  found: WalkedChain | undefined,
  recorded: ChainEnd | undefined,
): TrailBreak | undefined {
  const { changedAt = null, gapAt = null } = found ?? {};
  if (changedAt !== null && changedAt <= (gapAt ?? changedAt))
    return { chain, seq: changedAt, says: `link ${changedAt} was changed, or belongs to another chain` };
  if (gapAt !== null)
    return { chain, seq: gapAt, says: `link ${gapAt} does not follow the one before it, which was changed or removed` };
  if (recorded === undefined) return { chain, seq: found!.seq, says: 'its end is not recorded' };
  if (found?.seq === recorded.seq && found.hash === recorded.hash) return undefined;
  const says =
    found && found.links > recorded.links
      ? `it should end with link ${recorded.seq}, and others follow`
      : `it should end with link ${recorded.seq}, which is missing`;
  return { chain, seq: recorded.seq, says };
}

/** Names a chain in a sentence. */
export function describeChain(chain: ChainName): string {
  return chain === '' ? 'the chain of the installation' : `the chain of account ${chain}`;
}

/** Says in sentences what the roots prove, and from which link on they prove nothing. */
export function describeRoots({ roots: { signed, unchecked }, lastRoot, unsignedFrom }: TrailReport): string[] {
  const missing = Object.entries(unchecked);
  return [
    lastRoot
      ? `The last of ${counted(signed, 'signed root')} is link ${lastRoot.seq}, of ${lastRoot.day}; its hash is ${lastRoot.hash}.`
      : missing.length === 0
        ? 'No root is signed yet: the first night adds one.'
        : 'No signature of a root could be checked.',
    ...(lastRoot === undefined
      ? []
      : [
          unsignedFrom === null
            ? 'It covers every link before it, and none follows.'
            : `From link ${unsignedFrom} on, nothing is signed yet: who controls the database could still rewrite that part. The next night signs it.`,
        ]),
    ...missing.map(
      ([key, count]) => `Not checked for lack of master key ${key}: the signature of ${counted(count, 'root')}.`,
    ),
  ];
}

type RootLink = { seq: number; hash: string; evidence: unknown };

async function checkRoots(
  reader: LedgerReader,
  find: FindSigner,
): Promise<Pick<TrailReport, 'breaks' | 'roots' | 'lastRoot' | 'unsignedFrom'>> {
  const { rows } = await reader.pool.query<RootLink>(
    `SELECT seq, encode(hash, 'hex') AS hash, evidence FROM audit WHERE move = '${SIGN}' ORDER BY seq`,
  );
  const breaks: TrailBreak[] = [];
  // What a chain lost, each later root shows again.
  const lost = new Map<ChainName, TrailBreak>();
  const unchecked: Record<string, number> = {};
  let signed = 0;
  let lastRoot: TrailReport['lastRoot'];
  let covered: Root['chains'] = {};
  for (const { seq, hash, evidence } of rows) {
    const root = readRoot(evidence);
    const key = root && find(root.key);
    if (root && !key) {
      unchecked[root.key] = (unchecked[root.key] ?? 0) + 1;
    } else if (root && key && isSigned(root, key)) {
      signed += 1;
      lastRoot = { seq, day: root.day, hash };
      covered = root.chains;
    } else {
      breaks.push({ chain: '', seq, says: `the root at link ${seq} is forged, because its signature is wrong` });
      continue;
    }
    const says = `the root of ${root.day}, link ${seq}, names an end of it that is no longer there`;
    for (const chain of await findOthers(reader, root)) lost.set(chain, lost.get(chain) ?? { chain, seq, says });
  }
  const unsignedFrom = await findUnsigned(reader, covered, lastRoot?.seq);
  return { breaks: [...breaks, ...lost.values()], roots: { signed, unchecked }, lastRoot, unsignedFrom };
}

/** Returns the first link behind the ends that a root names, apart from the root itself. */
async function findUnsigned(
  { pool }: LedgerReader,
  chains: Root['chains'],
  root: number | undefined,
): Promise<number | null> {
  const ends = Object.entries(chains);
  const { rows } = await pool.query<{ seq: number | null }>(
    `SELECT min(a.seq) AS seq FROM audit a LEFT JOIN unnest($1::text[], $2::bigint[]) named (chain, seq) USING (chain)
     WHERE a.seq > coalesce(named.seq, 0) AND a.seq IS DISTINCT FROM $3`,
    [ends.map(([chain]) => chain), ends.map(([, { seq }]) => seq), root ?? null],
  );
  return rows[0]!.seq;
}

type SignedRoot = Root & { key: string; signature: string };

/** Returns undefined for what `signRoot` never wrote. */
function readRoot(evidence: unknown): SignedRoot | undefined {
  const { day, key, signature, chains } = evidence as Partial<SignedRoot>;
  const isRoot =
    [day, key, signature].every((text) => typeof text === 'string') &&
    typeof chains === 'object' &&
    Object.values(chains).every(isEnd);
  return isRoot ? (evidence as SignedRoot) : undefined;
}

function isEnd(end: unknown): boolean {
  if (typeof end !== 'object' || end === null) return false;
  const { links, seq, hash } = end as Partial<ChainEnd>;
  return Number.isSafeInteger(links) && Number.isSafeInteger(seq) && /^([0-9a-f]{2})+$/.test(String(hash));
}

function isSigned(root: SignedRoot, key: Signer): boolean {
  const [due, given] = [key.sign(partsOf(root)), root.signature].map((text) => Buffer.from(text, 'utf8'));
  return due!.length === given!.length && timingSafeEqual(due!, given!);
}

/** Returns the chains in which the link that the root names is another one, or missing. */
async function findOthers({ pool }: LedgerReader, { chains }: Root): Promise<ChainName[]> {
  const ends = Object.entries(chains);
  const { rows } = await pool.query<{ chain: ChainName }>(
    `SELECT named.chain FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) named (chain, link_no, seq, hash)
     LEFT JOIN audit a ON a.seq = named.seq
     WHERE a.chain IS DISTINCT FROM named.chain OR a.link_no IS DISTINCT FROM named.link_no
       OR encode(a.hash, 'hex') IS DISTINCT FROM named.hash`,
    [
      ends.map(([chain]) => chain),
      ...(['links', 'seq', 'hash'] as const).map((part) => ends.map(([, end]) => end[part])),
    ],
  );
  return rows.map(({ chain }) => chain);
}
