import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { buildProgram } from '../../../support/build-program.ts';
import type { Connection } from '../../../../src/ledger/postgres/ask-server.ts';

type Answer =
  | { kind: 'joined'; connection: Connection }
  | { kind: 'left' }
  | { kind: 'failed'; code: string; message: string };

/** Starts `support/member.ts` as a separate process, as another user if one is given. */
export async function startMember(
  order: { dataDir: string; sharedFolder: string; stays?: boolean },
  user?: { uid: number; gid: number },
) {
  const { fileOf } = await buildProgram();
  const words = [fileOf('test/ledger/postgres/support/member.ts'), JSON.stringify({ stays: true, ...order })];
  const child = spawn(process.execPath, words, {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Another user may not write to the run's temporary folder.
    env: { ...process.env, ...(user && { TMPDIR: '/tmp' }) },
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const listen = async (): Promise<Answer> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the member ended without a word');
    return JSON.parse(value) as Answer;
  };
  const listenFor = async <Kind extends Answer['kind']>(kind: Kind) => {
    const answer = await listen();
    if (answer.kind !== kind) throw new Error(`expected ${kind}, got ${JSON.stringify(answer)}`);
    return answer as Extract<Answer, { kind: Kind }>;
  };

  return {
    joined: async () => (await listenFor('joined')).connection,
    failed: () => listenFor('failed'),
    leave: async () => {
      child.stdin.write('leave\n');
      await listenFor('left');
      await ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    /** Exit status after it ended by itself. */
    exitStatus: async () => (await ended)[0] as number | null,
  };
}
