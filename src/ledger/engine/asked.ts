import type { PoolClient } from 'pg';

/** What questions can be asked of: a connection, or what stands before one. */
export type Asked = Pick<PoolClient, 'query'>;
