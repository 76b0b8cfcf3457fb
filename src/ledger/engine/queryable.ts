import type { PoolClient } from 'pg';

/** Anything that takes queries: a connection or a wrapper around one. */
export type Queryable = Pick<PoolClient, 'query'>;
