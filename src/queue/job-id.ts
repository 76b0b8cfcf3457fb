/** Letters, digits, `-`, `_` and `.`. BullMQ uses `:` as a separator in Redis and refuses it. */
const JOB_ID = /^[\w.-]{1,200}$/;

const PREFIX = 'job-';

/** Prefix of all keys in Redis. */
export const REDIS_PREFIX = 'paydrop';

/** Returns whether a job may have this id. */
export function isJobId(id: string): boolean {
  return JOB_ID.test(id);
}

/**
 * Returns the id under which BullMQ keeps a job. In Redis a job is stored beside the lists of its queue, so one called
 * `failed` would break the list of failed jobs. BullMQ also refuses whole numbers. The prefix avoids both.
 */
export function toStoredId(id: string): string {
  return PREFIX + id;
}

/** Returns the id that a job was added with. A job that another program added keeps its id. */
export function fromStoredId(storedId: string): string {
  return storedId.startsWith(PREFIX) ? storedId.slice(PREFIX.length) : storedId;
}
