/** The longest pause that is shown, between two outputs and after a command. */
const LONGEST_PAUSE_S = 1.2;
const AFTER_COMMAND_S = 2.2;
const KEY_S = 0.035;

export type CastOptions = {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
  /** Texts that are true of this machine only, and what is shown in their place. */
  readonly hide: readonly (readonly [text: string, shown: string])[];
};

/** A recording of a terminal in the format of asciinema, version 2: a header, then one event a line. */
export class Cast {
  readonly #events: [seconds: number, kind: 'o', text: string][] = [];
  readonly #options: CastOptions;
  #at = 0;
  #shownAt = performance.now();

  constructor(options: CastOptions) {
    this.#options = options;
  }

  get seconds(): number {
    return this.#at;
  }

  /** Shows a sentence for the person who watches. */
  say(sentence: string): void {
    this.#pause(AFTER_COMMAND_S);
    this.#add(`\u001B[1;32m# ${sentence}\u001B[0m\r\n`);
    this.#pause(AFTER_COMMAND_S);
  }

  /** Shows a command as it is typed. */
  type(command: string): void {
    this.#pause(LONGEST_PAUSE_S);
    this.#add('\u001B[1m$ ');
    for (const key of command) {
      this.#pause(KEY_S);
      this.#add(key);
    }
    this.#add('\u001B[0m\r\n');
    this.#shownAt = performance.now();
  }

  /** Adds what a command has just shown, at its own time, without long waits. */
  show(text: string): void {
    const now = performance.now();
    this.#pause(Math.min((now - this.#shownAt) / 1000, LONGEST_PAUSE_S));
    this.#shownAt = now;
    this.#add(text);
  }

  /** @throws when a text that should be hidden was cut in two, and so is still there */
  text(): string {
    const { columns: width, rows: height, title, hide } = this.#options;
    const all = this.#events.map(([, , shown]) => shown).join('');
    const left = hide.find(([text]) => all.includes(text));
    if (left) throw new Error(`The recording shows ${left[0]}.`);
    this.#pause(AFTER_COMMAND_S);
    this.#add('\u001B[1m$ \u001B[0m');
    return [{ version: 2, width, height, title }, ...this.#events].map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  #pause(seconds: number): void {
    this.#at += seconds;
  }

  #add(text: string): void {
    const shown = this.#options.hide.reduce((words, [from, to]) => words.replaceAll(from, to), text);
    this.#events.push([Math.round(this.#at * 1000) / 1000, 'o', shown]);
  }
}
