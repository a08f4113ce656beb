import { afterAll, beforeAll, expect } from 'vitest'
import { type DatabaseRelay, startDatabaseRelay } from './database-relay.ts'
import type { TestAccount, TestGateway } from './gateway.ts'

interface StoredTestJob {
  readonly id: string
  readonly state: string
  readonly retryCount: number
  readonly delayS: number
  readonly data: Readonly<Record<string, unknown>>
}

export const startOutages = (gateway: TestGateway) => {
  let database: DatabaseRelay
  let storage: DatabaseRelay
  beforeAll(async () => {
    database = await startDatabaseRelay(gateway.database.url)
    storage = await startDatabaseRelay(gateway.storage.environment.STORAGE_ENDPOINT ?? '')
  })
  afterAll(() => Promise.all([database.close(), storage.close()]))
  return {
    get database() {
      return database
    },
    get storage() {
      return storage
    },
    environment: () => ({ DATABASE_URL: database.url, STORAGE_ENDPOINT: storage.url.replace(/\/$/, '') }),
  }
}

export const observeJobs = (gateway: TestGateway) => {
  const sql = () => gateway.database.sql
  const find = async (queue: string) => {
    const [job] = await sql()<StoredTestJob[]>`
      select id, state, retry_count as "retryCount", data, extract(epoch from start_after - started_on)::float8 as "delayS"
      from pgboss.job where name = ${queue} and state <> 'completed' order by created_on desc`
    return job
  }
  return {
    find,
    /**
     * Waits until a queue's only open job has failed `failures` times and is waiting for its next attempt. Returns how
     * many seconds it waits.
     */
    async waitForRetry(queue: string, failures: number) {
      await expect
        .poll(() => find(queue), { timeout: 20_000 })
        .toMatchObject({ state: 'retry', retryCount: failures - 1 })
      return (await find(queue))?.delayS ?? 0
    },
    async startRetries() {
      await sql()`update pgboss.job set start_after = now() where state = 'retry'`
      await sql()`select pg_notify('crossfade_jobs', name || ' 0') from pgboss.queue`
    },
    /** Backdates the start of the outages that jobs are waiting out. */
    async ageOutages(hours: number) {
      await sql()`
        update pgboss.job set data = jsonb_set(data, '{outage,since}',
          to_jsonb((data->'outage'->>'since')::timestamptz - ${hours} * interval '1 hour'))
        where data ? 'outage' and state = 'retry'`
    },
    /** Waits until no job is open. When it resolves, dead-lettered jobs have been marked as failed. */
    async waitForDeadLetters() {
      const open = async () => (await sql()`select from pgboss.job where state < 'completed'`).length
      await expect.poll(open, { timeout: 20_000 }).toBe(0)
    },
  }
}

export const readProcessing = async (account: TestAccount, trackId: string) =>
  (await account.get(`/v1/tracks/${trackId}/processing-status`)).body

export const readStage = async (account: TestAccount, trackId: string, lane: string) =>
  (await readProcessing(account, trackId)).stages.find((stage: { lane: string }) => stage.lane === lane)
