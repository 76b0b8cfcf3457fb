export type Printed = { out: string; err: string };

/**
 * What is printed while something runs, by the console and by the streams. The log writes past both. Of two that run at the
 * same time the one that began later has it all, until it ends.
 * @param work is given what has been printed so far
 */
export async function takeDown<Result>(
  work: (printed: Readonly<Printed>) => Result | Promise<Result>,
): Promise<Printed & { result: Result }> {
  const printed: Printed = { out: '', err: '' };
  const collect = (stream: keyof Printed, end: string) => (text: unknown) => {
    printed[stream] += `${String(text)}${end}`;
    return true;
  };
  const { log, error } = console;
  const { stdout, stderr } = process;
  const [writeOut, writeErr] = [stdout.write, stderr.write];
  console.log = collect('out', '\n');
  console.error = collect('err', '\n');
  stdout.write = collect('out', '');
  stderr.write = collect('err', '');
  try {
    const result = await work(printed);
    return { result, ...printed };
  } finally {
    Object.assign(console, { log, error });
    stdout.write = writeOut;
    stderr.write = writeErr;
  }
}
