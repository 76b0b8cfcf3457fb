import { decideOpening } from '../../src/ledger/admission/decide-opening.ts';
import { LEAP } from '../../src/ledger/admission/close-ledger.ts';
import {
  alteredOf,
  compare,
  copyOf,
  Dice,
  drop,
  hasNoted,
  isAdmitted,
  isOlder,
  knownTo,
  type Flight,
  type Host,
  type Journal,
  type Ledger,
  newestFence,
  newHost,
  newLedger,
  readyBatches,
  rowOf,
  type Rule,
  type Server,
  tellOf,
  tellWithout,
} from './rules.ts';

export type Walk = { sends: number; openings: number; withheld: number; doubles: number; story: string[] };

/**
 * @param without a rule to leave out
 * @param options.isOneFolder one host with its ledger and journal in a folder, which is put back while the machine runs
 */
export function walk(
  seed: number,
  without?: Rule,
  { steps = 300, isOneFolder = false }: { steps?: number; isOneFolder?: boolean } = {},
): Walk {
  const world = new World(seed, without, isOneFolder);
  for (let n = 0; n < steps && world.doubles === 0; n += 1) world.step();
  return world;
}

class World extends Dice implements Walk {
  sends = 0;
  openings = 0;
  withheld = 0;
  doubles = 0;
  readonly story: string[] = [];
  private readonly books: { batch: number; call: string }[] = [];
  private readonly hosts: Host[];
  private readonly servers: Server[];
  private copies: Ledger[] = [];
  private readonly losesJournals: boolean;
  private readonly without: Rule | undefined;
  private readonly isOneFolder: boolean;
  private folders: { ledger: Ledger; journal: Journal }[] = [];

  constructor(seed: number, without: Rule | undefined, isOneFolder: boolean) {
    super(seed);
    this.without = without;
    this.isOneFolder = isOneFolder;
    const names = isOneFolder ? ['a'] : ['a', 'b', 'c'].slice(0, this.upTo(3) + 1);
    this.losesJournals = !isOneFolder && this.random() < 0.4;
    const members = this.random() < 0.6 ? names : names.slice(0, 1);
    const run = this.next();
    this.servers = [{ run, ledger: newLedger(run) }];
    this.hosts = names.map((name) => newHost(name, members.includes(name) ? members : [], this.newJournal()));
  }

  step(): void {
    if (this.isOneFolder && this.random() < 0.09)
      return this.one([() => this.copyFolder(), () => this.putFolderBack(), () => this.dropAgain()])!();
    const pick = this.random();
    if (pick < 0.82) return this.letAct();
    if (pick < 0.87) return this.moveHost();
    if (pick < 0.9) return this.takeCopy();
    if (pick < 0.93) return this.changeServer();
    if (pick < 0.965) return this.killOrStart();
    if (pick < 0.985) return this.letPersonAct();
    return this.losesJournals ? this.damageJournal() : this.changeList();
  }

  private has(rule: Rule): boolean {
    return rule !== this.without;
  }

  // Hosts

  private letAct(): void {
    const host = this.one(this.hosts.filter(({ isUp }) => isUp));
    if (!host) return;
    const flight = this.one(host.flights);
    // Another process of the host may act between two steps of a call.
    if (flight && this.random() < 0.7) return this.fly(host, flight);
    const server = this.servers[host.at]!;
    if (!isAdmitted(host, server, this.without)) this.report(host, server);
    else if (host.flights.length < 2) this.declare(host, server);
  }

  private declare(host: Host, at: Server): void {
    const { ledger } = at;
    if (this.isOneFolder) this.lookAhead(ledger);
    const batch = this.one(readyBatches(ledger, this.without));
    if (batch === undefined) return;
    const attempt = (ledger.attempts[batch] ?? 0) + 1;
    const call = this.has('callIds') ? `call ${this.next()}` : `batch ${batch}, attempt ${attempt}`;
    ledger.attempts[batch] = attempt;
    ledger.calls[call] = { batch, journal: host.journal.id };
    host.flights.push({ step: 'declared', batch, call, epoch: ledger.epoch, at });
    this.say(`${host.name} declares ${call} of batch ${batch} at ${this.nameOf(at)}, epoch ${ledger.epoch}`);
  }

  /** Asks the service for the batches that came after the newest one that the ledger knows. */
  private lookAhead(ledger: Ledger): void {
    if (ledger.lookedIn === ledger.epoch || !this.has('ahead')) return;
    ledger.lookedIn = ledger.epoch;
    for (const { batch, call } of this.books) ledger.calls[call] ??= { batch, isForgotten: true };
  }

  private fly(host: Host, flight: Flight): void {
    const { lines } = host.journal;
    if (flight.step === 'declared') {
      lines.push({ k: 'send', call: flight.call, batch: flight.batch });
      flight.step = 'noted';
    } else if (flight.step === 'noted') {
      const place = lines.findIndex((line) => line.k === 'send' && line.call === flight.call);
      const isFenced = lines.slice(0, place).some((line) => line.k === 'fence' && line.epoch > flight.epoch);
      if (isFenced && this.has('fence')) this.withhold(host, flight);
      else this.leave(host, flight);
    } else {
      const call = this.servers[host.at]!.ledger.calls[flight.call];
      if (call) call.became = 'answered';
      drop(host.flights, flight);
    }
  }

  private withhold(host: Host, flight: Flight): void {
    this.withheld += 1;
    drop(host.flights, flight);
    const call = flight.at.ledger.calls[flight.call];
    if (call) call.became = 'withheld';
    this.say(`${host.name} withholds ${flight.call}`);
  }

  private leave(host: Host, flight: Flight): void {
    flight.step = 'sent';
    this.sends += 1;
    this.books.push({ batch: flight.batch, call: flight.call });
    this.say(`${host.name} SENDS batch ${flight.batch} by ${flight.call}`);
    if (this.books.filter(({ batch }) => rowOf(batch) === rowOf(flight.batch)).length > 1) this.doubles += 1;
  }

  // Reports and openings

  private report(host: Host, server: Server): void {
    const { ledger, run } = server;
    if (host.list.length === 0) return;
    const { journal, name, list } = host;
    if (ledger.closing?.run !== run || ledger.openFor !== undefined) {
      ledger.openFor = undefined;
      ledger.closing = { id: this.next(), epoch: ledger.epoch + 1, run, reports: {} };
    }
    const [closing, newest] = [ledger.closing, newestFence(journal)];
    if (journal.isRefused || ledger.retired.some((one) => one.journal === journal.id)) return;
    if (this.has('answeredCalls') && isOlder(journal, ledger)) {
      journal.isRefused = true;
      return this.say(`the journal of ${name} is older than the ledger`);
    }
    if (newest?.closing !== closing.id && newest && newest.epoch >= closing.epoch) {
      closing.epoch = newest.epoch + 1;
      if (this.has('oneEpoch')) Object.assign(closing, { id: this.next(), reports: {} });
    }
    const knows = knownTo(ledger, this.without);
    if (!hasNoted(host, ledger, knows))
      journal.lines.push({ k: 'fence', epoch: closing.epoch, closing: closing.id, list: [...list], knows });
    compare(journal, ledger);
    closing.reports[name] = tellOf(host, ledger);
    this.say(`${name} reports to ${this.nameOf(server)}, epoch ${closing.epoch}`);
    this.open(server);
  }

  private open(server: Server): void {
    const { ledger } = server;
    const closing = ledger.closing!;
    const senders = Object.entries(ledger.senders).map(([name, one]) => ({ name, ...one }));
    const reports = Object.values(closing.reports).map((told) =>
      tellWithout(this.without, told, Object.values(closing.reports)),
    );
    const { members, waits } = decideOpening(reports, {
      senders: this.has('knownJournals')
        ? senders
        : senders.map((one) => ({ ...one, journal: closing.reports[one.name]?.journal ?? one.journal })),
      lost: ledger.lost,
      retired: ledger.retired,
      mayBeCopy: this.has('witness') && ledger.madeIn !== server.run,
    });
    if (waits.length > 0) return;
    ledger.retired.push(...reports.flatMap(({ retired }) => retired));
    ledger.members = Object.fromEntries(members.map(({ name, journal }) => [name, { journal, epoch: closing.epoch }]));
    Object.assign(ledger.senders, ledger.members);
    ledger.lost = ledger.lost.filter(({ journal }) => !members.some((member) => member.journal === journal));
    ledger.epoch = closing.epoch;
    ledger.openFor = server.run;
    ledger.closing = undefined;
    this.openings += 1;
    this.say(`${this.nameOf(server)} OPENS, epoch ${ledger.epoch}, for ${members.map(({ name }) => name).join(' ')}`);
  }

  // What goes wrong

  private copyFolder(): void {
    const [host, server] = [this.hosts[0]!, this.servers[0]!];
    this.folders = [...this.folders, copyOf({ ledger: server.ledger, journal: host.journal })].slice(-4);
  }

  /** Somebody drops a file with some rows of an earlier one. */
  private dropAgain(): void {
    const { ledger } = this.servers[0]!;
    const altered = alteredOf(this.upTo(4));
    if (!ledger.again.includes(altered)) ledger.again.push(altered);
  }

  /** The machine runs on: nothing but the folder is older than before. */
  private putFolderBack(): void {
    const folder = this.one(this.folders);
    if (!folder) return;
    const [host, server] = [this.hosts[0]!, this.servers[0]!];
    host.flights = [];
    Object.assign(server, { ledger: copyOf(folder.ledger), run: this.next() });
    host.journal = copyOf(folder.journal);
    this.say(`the data folder is put back to epoch ${folder.ledger.epoch}`);
  }

  private moveHost(): void {
    this.one(this.hosts)!.at = this.upTo(this.servers.length);
  }

  private takeCopy(): void {
    this.copies = [...this.copies, copyOf(this.one(this.servers)!.ledger)].slice(-4);
  }

  private changeServer(): void {
    const server = this.one(this.servers)!;
    const copy = this.one(this.copies);
    const pick = this.random();
    if (pick < 0.3 || !copy) {
      server.run = this.next();
      this.say(`${this.nameOf(server)} is restarted`);
    } else if (pick < 0.6 && this.servers.length < (this.isOneFolder ? 1 : 3)) {
      this.servers.push({ run: this.next(), ledger: copyOf(copy) });
      this.say(`a server comes up with a copy of epoch ${copy.epoch}`);
    } else {
      server.ledger = copyOf(copy);
      server.run = this.next();
      this.say(`${this.nameOf(server)} goes back to epoch ${copy.epoch}`);
    }
  }

  private killOrStart(): void {
    const host = this.one(this.hosts)!;
    host.isUp = !host.isUp;
    host.flights = [];
    this.say(`${host.name} is ${host.isUp ? 'started' : 'killed'}`);
  }

  private letPersonAct(): void {
    const server = this.one(this.servers)!;
    const host = this.one(this.hosts.filter(({ isUp, list }) => !isUp && list.length > 0));
    if (!host) return;
    if (!this.losesJournals) this.retire(host, server);
    else this.declareLost(host, server);
  }

  /** Retires a host at another one that may send and has its journal at hand. */
  private retire(host: Host, server: Server): void {
    const { ledger } = server;
    const heir = this.hosts.find((one) => one.isUp && one !== host && this.servers[one.at] === server);
    if (!heir || !isAdmitted(heir, server, this.without)) return;
    if (ledger.members[host.name]?.journal !== host.journal.id) return;
    if (this.has('inheritance')) heir.journal.lines.push(...host.journal.lines.filter(({ k }) => k !== 'fence'));
    const retired = { name: host.name, journal: host.journal.id, epoch: ledger.epoch };
    heir.journal.lines.push({ k: 'retired', ...retired });
    ledger.retired.push(retired);
    if (this.has('membersOnly')) delete ledger.members[host.name];
    this.say(`${host.name} is retired at ${heir.name}`);
    for (const other of this.hosts) if (other !== host) other.list = other.list.filter((name) => name !== host.name);
  }

  /** Declares a journal lost because its disk is gone. The host comes back with a new one. */
  private declareLost(host: Host, { ledger, run }: Server): void {
    if (!this.isKnown(host.journal)) return;
    if (ledger.closing?.run !== run || ledger.openFor !== undefined) return;
    if (this.has('leap')) ledger.closing = { id: this.next(), epoch: ledger.closing.epoch + LEAP, run, reports: {} };
    ledger.lost.push({ name: host.name, journal: host.journal.id, epoch: ledger.closing.epoch });
    if (this.has('reconcile')) for (const { batch } of this.books) ledger.calls[`books ${batch}`] = { batch };
    host.journal = this.newJournal();
    this.say(`${host.name} is declared lost`);
  }

  private damageJournal(): void {
    const host = this.one(this.hosts.filter(({ isUp, list }) => !isUp && list.length > 0));
    if (!host) return;
    if (this.random() < 0.5) {
      if (!this.isKnown(host.journal)) return;
      host.journal = this.newJournal();
      this.say(`the journal of ${host.name} is lost`);
    } else {
      const older = { ...host.journal, lines: host.journal.lines.slice(0, -1 - this.upTo(4)) };
      if (!this.ledgers().every((ledger) => isOlder(older, ledger))) return;
      host.journal = older;
      this.say(`the journal of ${host.name} is an older one`);
    }
  }

  /** Returns whether every ledger knows it. Without a mirror, nothing reveals a journal lost with all that knew it. */
  private isKnown({ id }: Journal): boolean {
    return this.ledgers().every(({ senders }) => Object.values(senders).some(({ journal }) => journal === id));
  }

  private ledgers(): Ledger[] {
    return [...this.copies, ...this.servers.map(({ ledger }) => ledger)];
  }

  private changeList(): void {
    const host = this.one(this.hosts)!;
    const all = this.hosts.map(({ name }) => name);
    const list = all.filter(() => this.random() < 0.7);
    const takes = this.random() < 0.6 ? this.hosts : [host];
    for (const one of takes) one.list = [...list];
    this.say(`the list of ${takes.map(({ name }) => name).join(' ')} is now ${list.join(' ')}`);
  }

  private newJournal(): Journal {
    return { id: `journal ${this.next()}`, lines: [], isRefused: false };
  }

  private nameOf(server: Server): string {
    return `server ${this.servers.indexOf(server)}`;
  }

  private say(sentence: string): void {
    this.story.push(sentence);
  }
}
