import { z } from 'zod';

/** Files that arrive together share a job, because each job costs BullMQ at least five statements. */
export const MOST_FILES = 10;

/**
 * Payloads of the queues: ids only. A job only says what to look at; the ledger says what to do. So jobs may be lost,
 * repeated or invented without harm. An `atSite` queue exists once per site (roles.ts).
 */
const FileJob = z.strictObject({
  fileId: z.string(),
  more: z
    .array(z.string())
    .max(MOST_FILES - 1)
    .optional(),
});
/** Schedules are in the configuration, which has no ids, so the name serves as the id. */
const ScheduleJob = z.strictObject({ schedule: z.string() });
const BatchJob = z.strictObject({ fileId: z.string(), batchNo: z.int().positive() });

export const QUEUES = {
  intake: { payload: FileJob, atSite: true, about: 'check a claimed file, cut its batches' },
  submit: { payload: BatchJob, atSite: false, about: 'send a batch, if the ledger lets it' },
  poll: { payload: BatchJob, atSite: false, about: 'ask for the result of a submitted batch' },
  deliver: { payload: FileJob, atSite: true, about: 'write the output files that are due' },
  schedule: { payload: ScheduleJob, atSite: true, about: 'make the runs of a schedule that are due' },
} as const;

export type QueueName = keyof typeof QUEUES;
export type Payload<Name extends QueueName> = z.infer<(typeof QUEUES)[Name]['payload']>;
