import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import type { Order } from './serve-starter.ts';

const Figures = z.object({ busySeconds: z.number(), batches: z.number().optional(), rows: z.number().optional() });

/** Processor time of the service, and what it accepted, if it counts that. */
export type ServiceFigures = z.infer<typeof Figures>;

export type Service = {
  readonly url: string;
  figures(): Promise<ServiceFigures>;
  /** Reports every batch as running from now on. */
  hold(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts a service in a process of its own. @param program compiled, such as programs/serve-lean */
export async function startService(program: string): Promise<Service> {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const { url } = z.object({ url: z.string() }).parse(await answerOf(child));
  const ask = async (order: Order) => {
    child.send(order);
    return Figures.parse(await answerOf(child));
  };
  return {
    url,
    figures: () => ask('figures'),
    hold: async () => void (await ask('hold')),
    stop: async () => {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the service ended')));
  const [message] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});
  return message;
}
