import { Dice, type Named, type Rule, sendableNamed } from './rules.ts';

/**
 * One file of one sender that comes again and again, for an account that is renamed, comes to mean other merchants, and is
 * set to other addresses: of the same service, which moved, or of another one.
 */
export type NameWalk = { sends: number; doubles: number; astray: number; story: string[] };

const NAMES = ['main', 'cards'];
const MERCHANTS = ['first', 'second'];

/** @param without a rule to leave out */
export function walkNames(seed: number, without?: Rule): NameWalk {
  const walk = new NameWorld(seed, without);
  for (let n = 0; n < 40 && walk.doubles + walk.astray === 0; n += 1) walk.step();
  return walk;
}

class NameWorld extends Dice implements NameWalk {
  sends = 0;
  /** Sends of the file to a merchant that has it. */
  doubles = 0;
  /** Sends of the file to a merchant for which it was not taken. */
  astray = 0;
  readonly story: string[] = [];
  private readonly sent: Named[] = [];
  private readonly books: string[] = [];
  private taken: Named[] = [];
  private now: Named = { name: 'main', charges: 'first', merchant: 'first' };
  private readonly without: Rule | undefined;

  constructor(seed: number, without: Rule | undefined) {
    super(seed);
    this.without = without;
  }

  step(): void {
    const pick = this.random();
    if (pick < 0.3) this.drop();
    else if (pick < 0.7) this.send();
    else if (pick < 0.8) this.rename();
    else if (pick < 0.87) this.changeMeaning();
    else if (pick < 0.93) this.changeAddress();
    else this.answer();
  }

  private drop(): void {
    if (this.now.merchant === undefined) return;
    this.taken.push(this.now);
    this.story.push(`the file is taken for ${this.now.name}`);
  }

  private send(): void {
    const { now } = this;
    const file = this.one(this.taken.filter((taken) => sendableNamed(this.sent, taken, now, this.without)));
    if (!file) return;
    this.taken = this.taken.filter((taken) => taken !== file);
    this.sent.push(now);
    this.sends += 1;
    if (this.books.includes(now.charges)) this.doubles += 1;
    if (file.charges !== now.charges) this.astray += 1;
    this.books.push(now.charges);
    this.story.push(`the file is SENT for ${now.name} to ${now.charges}`);
  }

  /** What was sent and what waits goes on under its merchant. */
  private rename(): void {
    this.now = { ...this.now, name: this.one(NAMES)! };
    this.story.push(`the account is called ${this.now.name}`);
  }

  private changeMeaning(): void {
    const merchant = this.one(MERCHANTS)!;
    this.now = { ...this.now, charges: merchant, merchant };
    this.story.push(`${this.now.name} means ${merchant}`);
  }

  /** Without the rule, the ledger guesses whether the service at the new address is the former one. */
  private changeAddress(): void {
    const { charges, merchant } = this.now;
    const hasMoved = this.random() < 0.5;
    const now = hasMoved ? charges : `service ${this.next()}`;
    const guessed = this.random() < 0.5 ? merchant : `guess ${this.next()}`;
    this.now = { ...this.now, charges: now, merchant: this.without === 'asked' ? guessed : undefined };
    this.story.push(`${this.now.name} is at another address; the service ${hasMoved ? 'moved' : 'is another one'}`);
  }

  /** A user knows whether the service moved. */
  private answer(): void {
    if (this.now.merchant !== undefined) return;
    this.now = { ...this.now, merchant: this.now.charges };
    this.story.push(`a user says that ${this.now.name} charges ${this.now.charges}`);
  }
}
