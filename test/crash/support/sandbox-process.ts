import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BookRow } from '../../../src/sandbox/books/book-row.ts';
import { buildProgram } from '../../support/build-program.ts';
import { agentCodeOf, PASSWORD } from '../../support/installation.ts';
import { startDaemon } from '../../support/daemon.ts';

/** The payment service as a process of its own, so that nothing that happens to the others touches its books. */
export type SandboxProcess = {
  readonly url: string;
  /** Returns every row that it took, in order. */
  books(): Promise<BookRow[]>;
  close(): Promise<void>;
};

export async function startSandboxProcess(accounts: readonly string[]): Promise<SandboxProcess> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-books-'));
  const codes = accounts.map((name) => `${agentCodeOf(name)}:${PASSWORD}`).join(',');
  const program = await buildProgram();
  const process = startDaemon({
    program,
    root,
    words: ['sandbox', '--port', '0', '--accounts', codes, '--batch-delay', '50'],
  });
  const { msg } = await process.said(/The sandbox listens on/);
  const [url = ''] = /http:\/\/[\d.:]+\d/.exec(msg) ?? [];
  return {
    url,
    books: async () => {
      const text = await (await fetch(`${url}/sandbox/books`)).text();
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as BookRow);
    },
    close: async () => {
      await process.kill();
      await program.remove();
      await rm(root, { recursive: true, force: true });
    },
  };
}
