import type { QueueName } from '../../schemas/jobs.ts';
import type { Queue } from '../../src/queue/open-queue.ts';

/** Stages of files and batches. A simulation configures no schedule. */
export type FileStage = Exclude<QueueName, 'schedule'>;

export const FILE_STAGES: readonly FileStage[] = ['intake', 'submit', 'poll', 'deliver', 'reprocess'];

/** A queue that does nothing by itself: the simulation decides which ring is heard, is lost or is one too many. */
export type MemoryQueue = {
  /** The queue as an instance sees it. */
  readonly queue: Queue;
  /** Stages that were rung and have not heard it, in order of arrival. */
  waiting(): readonly FileStage[];
  /** Rings for all stages, as the process that swept wakes its own. */
  ringAll(): void;
  ring(stage: FileStage): void;
  /** Moves a ring from waiting to heard. */
  take(stage: FileStage): void;
  /** Ends the hearing of a ring. That of an instance that died is not ended: until the queue notices, other rings wait. */
  finish(stage: FileStage): void;
  /** Ends what dead instances have heard, as a queue does when their locks run out. */
  giveUpDead(): void;
  drop(stage: FileStage): void;
  /** As after a FLUSHALL. */
  dropAll(): void;
};

export function memoryQueue(): MemoryQueue {
  const waiting = new Set<FileStage>();
  const heard = new Set<FileStage>();
  /** Rings that came while another of the same stage was heard. */
  const next = new Set<FileStage>();
  const ring = (stage: FileStage) => void (heard.has(stage) ? next : waiting).add(stage);
  const finish = (stage: FileStage) => {
    heard.delete(stage);
    if (next.delete(stage)) waiting.add(stage);
  };
  return {
    queue: {
      ring: async (name) => {
        if (name !== 'schedule') ring(name);
      },
      hear: () => {
        throw new Error('nobody works by itself in a simulation');
      },
      plan: async () => {},
      counts: async () => ({ waiting: waiting.size, active: heard.size }),
      heal: async () => {},
      look: async () => ({ counts: {}, oldestAt: null, failed: [] }),
      close: async () => {},
    },
    waiting: () => [...waiting],
    ring,
    ringAll: () => FILE_STAGES.forEach((stage) => waiting.add(stage)),
    take: (stage) => {
      waiting.delete(stage);
      heard.add(stage);
    },
    finish,
    giveUpDead: () => [...heard].forEach(finish),
    drop: (stage) => void waiting.delete(stage),
    dropAll: () => {
      waiting.clear();
      heard.clear();
      next.clear();
    },
  };
}
