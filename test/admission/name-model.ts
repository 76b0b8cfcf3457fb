import { Dice, type Named, type Rule, sendableNamed } from './rules.ts';

/** One file of one sender that comes again and again, for an account that is renamed and comes to mean other merchants. */
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
  private now: Named = { name: 'main', merchant: 'first' };
  private readonly without: Rule | undefined;

  constructor(seed: number, without: Rule | undefined) {
    super(seed);
    this.without = without;
  }

  step(): void {
    const pick = this.random();
    if (pick < 0.3) this.drop();
    else if (pick < 0.7) this.send();
    else if (pick < 0.85) this.rename();
    else this.changeMeaning();
  }

  private drop(): void {
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
    if (this.books.includes(now.merchant)) this.doubles += 1;
    if (file.merchant !== now.merchant) this.astray += 1;
    this.books.push(now.merchant);
    this.story.push(`the file is SENT for ${now.name} to ${now.merchant}`);
  }

  /** What was sent and what waits goes on under its merchant. */
  private rename(): void {
    this.now = { ...this.now, name: this.one(NAMES)! };
    this.story.push(`the account is called ${this.now.name}`);
  }

  private changeMeaning(): void {
    this.now = { ...this.now, merchant: this.one(MERCHANTS)! };
    this.story.push(`${this.now.name} means ${this.now.merchant}`);
  }
}
