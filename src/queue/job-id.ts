/** Letters, digits, `-`, `_` and `.`. BullMQ separates with `:` in Redis and refuses it. */
const JOB_ID = /^[\w.-]{1,200}$/;

const PREFIX = 'job-';

/** Before the names of all keys in Redis. */
export const REDIS_PREFIX = 'paydrop';

/** Whether `toStoredId` takes this id. */
export function isJobId(id: string): boolean {
  return JOB_ID.test(id);
}

/**
 * The id under which BullMQ keeps a job. In Redis a job lies beside the lists of its queue, so a job called `failed`
 * would break the list of failed jobs; and BullMQ refuses whole numbers. The prefix keeps clear of both.
 */
export function toStoredId(id: string): string {
  return PREFIX + id;
}

/** The id that a job was added with. A job that another program put there keeps the id it has. */
export function fromStoredId(storedId: string): string {
  return storedId.startsWith(PREFIX) ? storedId.slice(PREFIX.length) : storedId;
}
