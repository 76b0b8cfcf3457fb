export type Printed = { out: string; err: string };

/**
 * Captures what the console and the streams print during `work`; the log bypasses both. Of two concurrent captures, the
 * later one gets everything until it ends.
 * @param work receives what was printed so far
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
