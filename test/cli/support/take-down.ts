import { vi } from 'vitest';

/** What is printed while something runs, by the console and by the streams. The log writes past both. */
export async function takeDown<Result>(
  work: () => Result | Promise<Result>,
): Promise<{ result: Result; out: string; err: string }> {
  const printed = { out: '', err: '' };
  const collect = (stream: 'out' | 'err', end: string) => (text: unknown) => {
    printed[stream] += `${String(text)}${end}`;
    return true;
  };
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(collect('out', '\n')),
    vi.spyOn(console, 'error').mockImplementation(collect('err', '\n')),
    vi.spyOn(process.stdout, 'write').mockImplementation(collect('out', '')),
    vi.spyOn(process.stderr, 'write').mockImplementation(collect('err', '')),
  ];
  try {
    const result = await work();
    return { result, ...printed };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
