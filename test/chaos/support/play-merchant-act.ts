import { setTimeout as sleep } from 'node:timers/promises';
import { findWrongPayees } from '../invariants/check-rows.ts';
import { describeUnrest } from '../tell-story.ts';
import type { Act, Ending } from './acts.ts';
import { altered, besideOf, comingAgain, type Drop, partnerOf, payeeOf } from './make-drops.ts';
import type { PlaceConfig } from './open-world.ts';
import { LONGEST_WAY_MS, type Play } from './play-act.ts';
import { runCommand } from './service.ts';

export type MerchantAct = Extract<Act, { kind: 'rename' | 'second-name' | 'exchange' | 'other-currency' }>;

/**
 * Kills the daemon while it works, changes in paydrop.yaml what a name means, and starts it again.
 * @returns what went wrong, or undefined when all is well
 */
export function playMerchantAct(act: MerchantAct, play: Play): Promise<string | undefined> {
  switch (act.kind) {
    case 'rename':
      return rename(act, play);
    case 'second-name':
      return addSecondName(act, play);
    case 'exchange':
      return exchange(act, play);
    case 'other-currency':
      return changeCurrency(act, play);
  }
}

type ActOf<Kind extends MerchantAct['kind']> = Extract<MerchantAct, { kind: Kind }>;

async function rename({ afterMs, againMs }: ActOf<'rename'>, play: Play): Promise<string | undefined> {
  const { world, account, dropFiles } = play;
  const name = besideOf(account, 'renamed');
  await dropFiles();
  await killAfter(afterMs, play);
  await world.place.configure(({ accounts, folders }) => {
    accounts[name] = accounts[account]!;
    delete accounts[account];
    for (const folder of folders) if (folder.account === account) folder.account = name;
  });
  await world.start();
  count('account renamed', play);
  const trouble = await comeAgain(play, againMs, (drop) => [
    comingAgain(drop),
    comingAgain(drop, { mark: '-copy' }),
    ...(drop.verdict === 'accept' ? [altered(drop, 'less', { verdict: 'again' })] : []),
  ]);
  if (trouble !== undefined) return trouble;
  const files = world.drops.filter((drop) => drop.account === account).map((drop) => drop.name);
  const lost = await world.ledger.query<{ name: string; account: string }>(
    'SELECT name, account FROM file WHERE name = ANY ($1) AND account <> $2',
    [files, name],
  );
  return lost.length === 0 ? undefined : `${name} has not taken over: ${JSON.stringify(lost)}`;
}

async function addSecondName({ afterMs, againMs }: ActOf<'second-name'>, play: Play): Promise<string | undefined> {
  const { world, account, dropFiles } = play;
  const second = besideOf(account, 'second');
  await dropFiles();
  await killAfter(afterMs, play);
  await world.place.configure(({ accounts }) => {
    accounts[second] = { ...accounts[account]! };
  });
  await world.start();
  count('agent code named twice', play);
  return comeAgain(play, againMs, (drop) => [
    comingAgain(drop, { account: second }),
    comingAgain(drop, { account: second, mark: '-copy' }),
    ...(drop.verdict === 'accept' ? [altered(drop, 'less', { account: second, verdict: 'again' })] : []),
  ]);
}

/** The sender drops all files of the account again. The daemon dies a second time, while it decides them. */
async function comeAgain(play: Play, againMs: number, copiesOf: (drop: Drop) => Drop[]): Promise<string | undefined> {
  const { world, account } = play;
  // The first to be decided is the one that is accepted.
  const undecided = await waitUntilDecided(play);
  if (undecided !== undefined) return undecided;
  const copies = world.drops.filter((drop) => drop.account === account).flatMap(copiesOf);
  for (const copy of copies) {
    world.drops.push(copy);
    await world.drop(copy);
  }
  await killAfter(againMs, play);
  await world.start();
  return (await world.waitForRest(LONGEST_WAY_MS)) === undefined
    ? `not at rest after the files came again: ${await describeUnrest(world)}`
    : undefined;
}

async function waitUntilDecided({ world }: Play): Promise<string | undefined> {
  for (const end = performance.now() + LONGEST_WAY_MS; performance.now() < end; await sleep(20)) {
    if ((await world.leftovers()).length > 0) continue;
    if ((await world.ledger.query(`SELECT FROM file WHERE state = 'claimed'`)).length === 0) return undefined;
  }
  return `files are not decided: ${await describeUnrest(world)}`;
}

async function exchange(act: ActOf<'exchange'>, play: Play): Promise<string | undefined> {
  const { world, account, dropFiles, dropMore } = play;
  const partner = partnerOf(account);
  await world.daemon.stop();
  await world.place.configure(({ accounts }) => {
    const own = accounts[account]!;
    const currency = act.isForeign ? otherCurrency(own.currency) : own.currency;
    accounts[partner] = { ...own, currency, agentCode: payeeOf({ account: partner }) };
  });
  await world.start();
  await dropFiles();
  await dropMore(partner);
  await killAfter(act.afterMs, play);
  // What no process has taken yet is for whom its folder means from now on.
  const lying = new Set(await world.leftovers());
  for (const drop of world.drops) {
    if (!lying.has(drop.name)) continue;
    if (drop.account === account) drop.payee = payeeOf({ account: partner });
    else if (drop.account === partner) drop.payee = payeeOf({ account });
  }
  count('agent codes exchanged', play);
  const stops = act.isForeign ? [account, partner] : [];
  return changeMeaning(play, { names: [account, partner], stops, ending: act.ending }, ({ accounts }) => {
    const [own, other] = [accounts[account]!, accounts[partner]!];
    accounts[account] = { ...own, agentCode: other.agentCode };
    accounts[partner] = { ...other, agentCode: own.agentCode };
  });
}

async function changeCurrency(act: ActOf<'other-currency'>, play: Play): Promise<string | undefined> {
  const { account, dropFiles } = play;
  await dropFiles();
  await killAfter(act.afterMs, play);
  count('currency changed', play);
  return changeMeaning(play, { names: [account], stops: [account], ending: act.ending }, ({ accounts }) => {
    const own = accounts[account]!;
    accounts[account] = { ...own, currency: otherCurrency(own.currency) };
  });
}

function otherCurrency(currency: string): string {
  return currency === 'USD' ? 'CAD' : 'USD';
}

type Change = {
  /** The accounts that come to mean something else. */
  names: readonly string[];
  /** Those of them whose work no account takes over. */
  stops: readonly string[];
  ending: Ending;
};

/**
 * Changes what accounts mean while the daemon is dead. Their unsent work must not be charged to whom they mean then. A
 * person moves or cancels what stays behind, and gives the former merchants names of their own, so that what was sent ends.
 */
async function changeMeaning(
  play: Play,
  { names, stops, ending }: Change,
  change: (config: PlaceConfig) => void,
): Promise<string | undefined> {
  const { world } = play;
  const unsent = await world.ledger.query<Unsent>(
    `SELECT file_id, batch_no FROM batch WHERE account = ANY ($1) AND state = 'ready'`,
    [stops],
  );
  const former: Record<string, PlaceConfig['accounts'][string]> = {};
  await world.place.configure((config) => {
    for (const name of stops)
      former[besideOf(name, `former-${name.replace(/-?\d+$/, '')}`)] = { ...config.accounts[name]! };
    change(config);
  });
  for (const name of names) world.accounts.left.add(name);
  await world.start();
  if ((await world.waitForRest(LONGEST_WAY_MS)) === undefined)
    return `not at rest after the change: ${await describeUnrest(world)}`;
  const wrong = [...findWrongPayees(await world.service.books(), world.drops), ...(await findSent(play, unsent))];
  if (wrong.length > 0) return wrong.join('\n');
  count('unsent batch stopped under a former name', play, unsent.length);
  const trouble = await endLeft(play, ending);
  if (trouble !== undefined || stops.length === 0) return trouble;
  await world.daemon.stop();
  await world.place.configure(({ accounts }) => void Object.assign(accounts, former));
  await world.start();
  return (await world.waitForRest(LONGEST_WAY_MS)) === undefined
    ? `not at rest after the former merchants got names: ${await describeUnrest(world)}`
    : undefined;
}

type Unsent = { file_id: string; batch_no: number };

/** Returns which batches are no longer as they were, although no account means what they are for. */
async function findSent({ world }: Play, unsent: readonly Unsent[]): Promise<string[]> {
  const moved = await world.ledger.query<Unsent & { state: string; account: string }>(
    `SELECT b.file_id, b.batch_no, b.state, b.account FROM batch b
     JOIN unnest($1::text[], $2::integer[]) u (file_id, batch_no) ON b.file_id::text = u.file_id AND b.batch_no = u.batch_no
     WHERE b.state <> 'ready' OR b.account NOT LIKE '%.%'`,
    [unsent.map((batch) => batch.file_id), unsent.map((batch) => batch.batch_no)],
  );
  return moved.map(
    ({ file_id: fileId, batch_no: batchNo, state, account }) =>
      `batch ${fileId}/${batchNo} was unsent when its account changed, and is ${state} as ${account}`,
  );
}

type Left = { fileId: string; name: string; state: string; isUnread: boolean; isUnsent: boolean };

/** A person ends what `paydrop account left` lists. */
async function endLeft(play: Play, ending: Ending): Promise<string | undefined> {
  const { world } = play;
  const left = await world.ledger.query<Left>(
    `SELECT file_id AS "fileId", name, state, layout IS NULL AS "isUnread",
            EXISTS (SELECT FROM batch b WHERE b.file_id = f.file_id AND b.state = 'ready') AS "isUnsent" FROM file f
     WHERE state IN ('held', 'accepted', 'in_progress') AND (account LIKE '%.%' OR reason_code = 'OTHER_MERCHANT')
     ORDER BY file_no`,
  );
  for (const file of left) {
    const drop = world.drops.find((one) => one.name === file.name)!;
    const trouble = await endFile(play, file, drop, ending);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

async function endFile(play: Play, file: Left, drop: Drop, ending: Ending): Promise<string | undefined> {
  const { program, world } = play;
  const reason = ['--reason', 'its account means another merchant now'];
  const say = async (...words: string[]) => {
    const { status, said } = await runCommand(program, world.place.root, [...words, file.fileId, ...reason]);
    count(`${words[0]} under a former name`, play);
    return status === 0 ? undefined : `"${words.join(' ')} ${file.name}" ended with ${status}: ${said}`;
  };
  if (file.state === 'held') {
    // It was never read, or its sender has to say what it is.
    drop.verdict = 'refuse';
    return say('decline');
  }
  if (!file.isUnsent) return undefined;
  const trouble = await say(ending);
  return trouble ?? (ending === 'move' ? followMove(play, file, drop) : undefined);
}

/** Notes the file that a move has made, with the rows that were canceled, for the present merchant of its folder. */
async function followMove({ world }: Play, { fileId, name }: Left, drop: Drop): Promise<string | undefined> {
  const canceled = await world.ledger.query<{ line: number; made: string | null }>(
    `SELECT r.line, s.name AS made FROM payment_row r JOIN file f USING (file_no)
     JOIN batch b ON b.file_id = f.file_id AND b.batch_no = r.batch_no
     LEFT JOIN resubmitted_row m ON m.file_no = r.file_no AND m.line = r.line LEFT JOIN resubmission s USING (resubmission_no)
     WHERE f.file_id = $1 AND b.state = 'cancelled' ORDER BY r.line`,
    [fileId],
  );
  const made = canceled[0]?.made;
  if (!made || canceled.some((row) => row.made !== made)) return `the move of ${name} left rows behind`;
  // The new file begins with a header.
  const rows = canceled.map(({ line }, index) => ({ ...drop.rows[line - 1]!, line: index + 2 }));
  world.drops.push({ ...drop, name: made, rows, payee: world.place.agentCodeOf(drop.account) });
  return undefined;
}

async function killAfter(afterMs: number, play: Play): Promise<void> {
  await sleep(afterMs);
  await play.world.daemon.kill();
  count('daemon, at a random moment', play);
}

function count(name: string, { tally }: Play, times = 1): void {
  tally[name] = (tally[name] ?? 0) + times;
}
