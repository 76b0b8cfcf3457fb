import { closedAccounts, nextSendAt } from '../../src/calendar/send-window.ts';
import { isMoving } from '../../src/ledger/overview/overview.ts';
import { isBarred } from '../../workers/admit-here.ts';
import { reasonOf } from '../../src/kernel/errors.ts';
import { findOpenRuns } from '../../src/ledger/reprocess/move-run.ts';
import { readAdmission } from '../../src/ledger/admission/read-admission.ts';
import { endOldServers, type Host, isWide } from './hosts/installation.ts';
import type { Instance } from './instance/open-instance.ts';
import { runStage, startInstance, sweepAndWake } from './steps/run-stage.ts';
import { chooseRing, endWrongTimes, holdServiceClock, moveClock, runChore, shortened, tell } from './steps/step.ts';
import { mendService, WRONG } from './steps/steps.ts';
import { answerAll, nameAllFormer } from './steps/change-merchants.ts';
import { spreadSettings } from './steps/configure.ts';
import type { World } from './world.ts';
import { ACTS, performAct } from './steps/acts.ts';
import { findLostJournal, helpHost, loseOverwritten, orphaned, reportOrphan } from './hosts/persons.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Steps of time until nothing moves: short enough for young batches, long enough for those polled daily. */
const WAITS_MS = [...repeat(10 * MINUTE_MS, 12), ...repeat(2 * HOUR_MS, 13), ...repeat(25 * HOUR_MS, 12)];

/**
 * Ends all trouble and lets the program work, undisturbed and without a person.
 * @returns what still moves when it should have come to rest
 */
export async function driveToRest(world: World): Promise<string[]> {
  tell(world, '— from here on nothing goes wrong any more —');
  await mendService(world);
  endWrongTimes(world);
  if (world.installation.timesConfigured > 0) await startAnew(world);
  const complaints = isWide(world) ? await bringHostsBack(world) : [];
  await answerAll(world);
  complaints.push(...(await settle(world)));
  if (complaints.length > 0) return complaints;
  // Late changes are checked for up to a day later.
  for (const waitMs of [2 * HOUR_MS, 25 * HOUR_MS]) {
    await moveClock(world, waitMs);
    await catchUp(world, await anInstance(world));
  }
  return settle(world);
}

/** Every host gets the present configuration, and every process starts with it. */
async function startAnew(world: World): Promise<void> {
  spreadSettings(world);
  while (world.instances[0]) await world.remove(world.instances[0]);
  await startInstance(world, 0);
}

/** Lets time pass until nothing moves. Returns what still moves when it should have come to rest. */
export async function settle(world: World): Promise<string[]> {
  // Every process sweeps: what one has taken and could not give back is only known to itself.
  if (!isWide(world))
    for (const other of world.instances.slice(1))
      await runStage(world, other, { stage: 'sweep', what: 'sweeps' }, () => sweepAndWake(world, other), 0);
  for (const waitMs of WAITS_MS) {
    const instance = await anInstance(world);
    // What these drop is seen by the next scan.
    const runs = await findOpenRuns(world.office, world.settings.site);
    const settling = await workOff(world, instance);
    const isOnItsWay = await isMoving(seenBy(world, instance));
    if (runs.length === 0 && settling === 0 && !isOnItsWay && world.queue.waiting().length === 0)
      return world.complaints.splice(0);
    if (world.complaints.length > 0) return world.complaints.splice(0);
    await moveClock(world, (await untilOpening(world, instance)) ?? waitMs);
  }
  return ['after two weeks something still moves'];
}

/** Returns the ledger as an instance sees it, which knows what its accounts mean. */
function seenBy({ office }: World, { app }: Instance): World['office'] {
  return { ...office, bound: app.ledger.bound };
}

/** Returns how long it is until a window opens, when nothing but unsent batches of closed accounts is left. */
async function untilOpening(world: World, instance: Instance): Promise<number | undefined> {
  const { settings, clock } = world;
  const now = clock.now();
  const accounts = [...settings.accounts.values()];
  const closed = closedAccounts(accounts, now);
  if (closed.length === 0 || (await isMoving(seenBy(world, instance), closed))) return undefined;
  const opens = accounts
    .flatMap((account) => nextSendAt(account, now)?.getTime() ?? [])
    .filter((ms) => ms > now.getTime());
  return Math.min(...opens) - now.getTime() + MINUTE_MS;
}

async function anInstance(world: World): Promise<Instance> {
  if (world.instances.length === 0) await startInstance(world, 0);
  return world.instances[0]!;
}

/** Scans, sweeps and runs every due job. Returns how many drops are still settling. */
async function workOff(world: World, instance: Instance): Promise<number> {
  holdServiceClock(world);
  let settling = 0;
  await runStage(
    world,
    instance,
    { stage: 'watch', what: 'looks at the folders' },
    async () => {
      settling = await instance.look();
    },
    0,
  );
  await catchUp(world, instance);
  return settling;
}

async function catchUp(world: World, instance: Instance): Promise<void> {
  holdServiceClock(world);
  if (isWide(world)) await sweepEverywhere(world);
  else await runStage(world, instance, { stage: 'sweep', what: 'sweeps' }, () => sweepAndWake(world, instance), 0);
  for (let chore = chooseRing(world); chore; chore = chooseRing(world)) {
    const { name, about } = chore;
    const due = chore;
    const taker = name === 'submit' ? senderOf(world, instance) : instance;
    world.queue.take(name);
    await runStage(
      world,
      taker,
      { stage: name, what: `runs ${name} for ${about}`, ...(isWide(world) && { expected: WRONG }) },
      () => runChore(taker, due),
      0,
    );
    world.queue.finish(name);
    if (world.complaints.length > 0) break;
  }
}

/** Returns an instance that may send: one on a barred host takes nothing (workers/main.ts). */
function senderOf({ instances }: World, instance: Instance): Instance {
  return instances.find(({ app }) => !isBarred(app)) ?? instance;
}

function repeat(ms: number, times: number): number[] {
  return Array.from({ length: times }, () => ms);
}

/** Acts that bring everything to an end. None of them stops anything, and closing doubt comes last. */
const FINISHING = [
  'resume',
  'approve',
  'decline',
  'decide about a late charge',
  'retry',
  'withdraw',
  'adopt a batch id',
  'read a report',
  'declare as not received',
  'disown a result',
  'confirm a proposal',
  'close in doubt',
];

/** Acts that only lead back to the start; they are left out of the later rounds. */
const EARLY = ['disown a result', 'retry'];

const ROUNDS = 8;

/**
 * Lets operators act on everything that is listed for them, round by round, while the program works in between.
 * @returns the files that no verb can finish
 */
export async function letPersonsFinish(world: World): Promise<string[]> {
  tell(world, '— persons take up whatever is left —');
  if (world.choose.happens(0.5)) await doAll(world, 'move');
  await nameAllFormer(world);
  // A person who brings everything to an end names it everywhere; one host alone may not be among those that work here.
  if (isWide(world)) await startAnew(world);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const open = await findOpen(world);
    if (open.length === 0) return [];
    // The first rounds try to find out what happened; the later ones close doubt as it is.
    const names = round <= 3 ? FINISHING.slice(0, -1) : FINISHING.filter((name) => !EARLY.includes(name));
    // Unsent batches are cancelled: a service that refuses every batch would otherwise be called for each of them.
    if (round > 5) names.push('cancel a file');
    for (const name of names) await doAll(world, name);
    // A service that may still be processing gets the time that the account allows.
    await moveClock(world, 2 * 3_600_000);
    const unrest = await settle(world);
    if (unrest.length > 0) return unrest;
  }
  return (await findOpen(world)).map((name) => `${name} cannot be brought to an end by any verb`);
}

/** Performs an act up to six times, once for each candidate; a refusal only goes into the story. */
async function doAll(world: World, name: string): Promise<void> {
  const act = ACTS.find((one) => one.name === name);
  if (!act) throw new Error(`nobody knows how to ${name}`);
  for (let times = 0; times < 6; times += 1) {
    const chosen = await act.find(world);
    if (!chosen) return;
    const place = tell(world, `a person ${chosen.words}`);
    await performAct(world, act, chosen.perform).then(
      () => undefined,
      (error: unknown) => place.add(`which is refused: ${shortened(reasonOf(error))}`),
    );
  }
}

async function findOpen(world: World): Promise<string[]> {
  const { rows } = await world.office.pool.query<{ name: string }>(
    `SELECT name || ', ' || state AS name FROM file
     WHERE state NOT IN ('rejected', 'completed', 'cancelled', 'partly_cancelled') ORDER BY file_no`,
  );
  return rows.map(({ name }) => name);
}

/** Putting one journal back may reveal that another is missing, and a lost one is found at the end. */
const ADMISSION_ROUNDS = 5;

/**
 * Keeps one server and brings every host back. With whole journals the ledger opens without a person. Otherwise it
 * names the journals it waits for, and a person acts on them.
 * @returns what is wrong with that
 */
async function bringHostsBack(world: World): Promise<string[]> {
  const { hosts } = world.installation;
  tell(world, await endOldServers(world));
  const missing = () => [
    ...hosts.filter(({ journal, hasBegunAnother }) => journal !== 'whole' || hasBegunAnother),
    ...orphaned(world),
  ];
  const wrong = (await startEverywhere(world)).filter((wait) => !missing().some((host) => isAbout(wait, host)));
  let hasLooked = false;
  for (let round = 0; round < ADMISSION_ROUNDS && wrong.length === 0; round += 1) {
    const isOpen = (await readAdmission(world.office)).isOpen;
    const damaged = hosts.filter(({ journal }) => journal !== 'whole');
    if (isOpen && (hasLooked || damaged.length === 0)) return [];
    for (const host of damaged) {
      const done = isOpen ? await findLostJournal(world, host) : await helpHost(world, host);
      if (done !== undefined) tell(world, `a person ${done}`);
    }
    for (const host of isOpen ? [] : hosts) {
      const done = await loseOverwritten(world, host);
      if (done !== undefined) tell(world, `a person ${done}`);
    }
    for (const host of isOpen ? [] : orphaned(world)) {
      const done = await reportOrphan(world, host);
      if (done !== undefined) tell(world, `a person ${done}`);
    }
    hasLooked ||= isOpen;
    await startEverywhere(world);
  }
  const { isOpen, waits } = await readAdmission(world.office);
  if (isOpen) return wrong.map((wait) => `nobody is missing, and yet: ${wait}`);
  return [`the ledger stays closed although all hosts are back: ${waits.join(' ')}`];
}

/** Starts an instance on every host and sweeps. Returns what the ledger waits for then. */
async function startEverywhere(world: World): Promise<string[]> {
  for (const host of world.installation.hosts) {
    host.isAway = false;
    if (!world.instances.some((instance) => instance.host === host)) await startInstance(world, 0, host);
  }
  await sweepEverywhere(world);
  return (await readAdmission(world.office)).waits;
}

function isAbout(wait: string, host: Host): boolean {
  return wait.includes(`host ${host.name}`) || wait.includes(`name ${host.name}`);
}

/** Sweeps twice, because an instance that reported first learns of the others at its next sweep. */
async function sweepEverywhere(world: World): Promise<void> {
  for (let round = 0; round < 2; round += 1)
    for (const instance of world.instances.slice())
      await runStage(
        world,
        instance,
        { stage: 'sweep', what: 'sweeps', expected: WRONG },
        () => sweepAndWake(world, instance),
        0,
      );
}
