import { z } from 'zod';

/** Files that arrive together share a job, because each job costs BullMQ at least five statements. */
export const MOST_FILES = 10;

/**
 * Payloads of the queues: ids only. A job only says what to look at; the ledger says what to do. So jobs may be lost,
 * repeated or invented without harm. An `atSite` queue exists once per site (`ROLES`).
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
  intake: { payload: FileJob, atSite: true, about: 'check a claimed file and cut its batches' },
  submit: { payload: BatchJob, atSite: false, about: 'send a batch if the ledger allows it' },
  poll: { payload: BatchJob, atSite: false, about: 'ask for the result of a submitted batch' },
  deliver: { payload: FileJob, atSite: true, about: 'write the output files that are due' },
  schedule: { payload: ScheduleJob, atSite: true, about: 'make due runs of a schedule' },
} as const;

export type QueueName = keyof typeof QUEUES;
export type Payload<Name extends QueueName> = z.infer<(typeof QUEUES)[Name]['payload']>;

/**
 * What a process may do. By default one process does everything; several can share the work by role. `atSite` roles
 * need folders and sealed originals, so they run where the folder is. The others run anywhere, because what is sent
 * travels sealed through the ledger.
 */
export const ROLES = {
  watch: { atSite: true, about: 'lists the drop folders and claims what is complete' },
  intake: { atSite: true, about: 'checks claimed files and cuts their batches' },
  submit: { atSite: false, about: 'sends batches; keeps its own send journal' },
  poll: { atSite: false, about: 'fetches results' },
  deliver: { atSite: true, about: 'writes the output files' },
  web: {
    atSite: false,
    about: 'serves the dashboard; its users drop and fetch files where the folders are',
  },
  schedule: { atSite: true, about: 'makes due runs of schedules' },
} as const;

export type Role = keyof typeof ROLES;

export const EVERY_ROLE: ReadonlySet<Role> = new Set(Object.keys(ROLES) as Role[]);

/** The site of a folder or a process that names none. */
export const HOME_SITE = 'main';
