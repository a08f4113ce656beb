import { expect } from 'vitest'
import type { TestAccount } from '#test/support/gateway.ts'
import { requestAt } from '#test/support/request-at.ts'
import type { FaultyInstances } from './faulty-instances.ts'

export interface WriteResult {
  readonly accountId: string
  /** Null if the connection ended before the whole response. */
  readonly status: number | null
  /** The side that the response names; null without a response. */
  readonly runtime: string | null
  readonly fellBack: boolean
}

interface WriteOptions {
  readonly target: FaultyInstances
  readonly accounts: readonly Pick<TestAccount, 'accountId' | 'token'>[]
  readonly random: () => number
  readonly isDone: (results: ReadonlyMap<string, WriteResult>) => boolean
}

const write = async (url: string, token: string, name: string): Promise<Omit<WriteResult, 'accountId'>> => {
  try {
    const { status, headers } = await requestAt(url, 'POST', '/v1/libraries', { token, body: { name } })
    const fellBack = headers.get('x-service-proxy-fallback') === '1'
    return { status, runtime: headers.get('x-service-core-runtime'), fellBack }
  } catch {
    return { status: null, runtime: null, fellBack: false }
  }
}

/**
 * Sends each account's writes one after the other, each to a random instance. Returns the results, keyed by the name
 * that each write sends.
 */
export const writeUntil = async ({ target, accounts, random, isDone }: WriteOptions) => {
  const urls = target.instances().map(({ running }) => running.url)
  const results = new Map<string, WriteResult>()
  const writeAs = async ({ accountId, token }: (typeof accounts)[number]) => {
    while (!isDone(results)) {
      const name = crypto.randomUUID()
      const url = urls[Math.floor(random() * urls.length)] ?? ''
      results.set(name, { accountId, ...(await write(url, token, name)) })
    }
  }
  await Promise.all(accounts.map(writeAs))
  return results
}

/** Lists the wanted outcomes that did not occur, such as `fallback 200`. */
export const listMissing = (results: ReadonlyMap<string, WriteResult>, wanted: readonly string[]) => {
  const missing = new Set(wanted)
  for (const { status, runtime, fellBack } of results.values()) {
    missing.delete(`${fellBack ? 'fallback' : runtime} ${status ?? 'aborted'}`)
    if (missing.size === 0) break
  }
  return [...missing]
}

// Waits, because an abandoned handler might still write. Cuts stalled connections, because their transactions would
// take seconds to end.
const waitForHandlers = async ({ healthy, relay, faults }: FaultyInstances) => {
  const options = { timeout: 30_000, interval: 50 }
  relay().cutStalled()
  await expect.poll(faults.countActive, options).toBe(0)
  const findTransactions = () => healthy.database.sql`
    select state, query from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`
  await expect.poll(findTransactions, options).toEqual([])
}

/**
 * Expects that no write was applied twice, and that each successful one was applied by the side that its response
 * names.
 */
export const expectAppliedOnce = async (
  target: FaultyInstances,
  results: ReadonlyMap<string, WriteResult>,
) => {
  await waitForHandlers(target)
  const rows = await target.healthy.database.sql<{ name: string }[]>`select name from libraries`
  const native = new Set(rows.map(({ name }) => name))
  const core = target.core().applied
  const writes = [...results].map(([name, result]) => ({
    ...result,
    native: native.has(name) ? 1 : 0,
    core: core.get(name) ?? 0,
  }))
  expect(writes.filter((write) => write.native + write.core > 1)).toEqual([])
  const isLost = ({ status, ...write }: (typeof writes)[number]) =>
    status !== null && status < 300 && write[write.runtime === 'native' ? 'native' : 'core'] !== 1
  expect(writes.filter(isLost)).toEqual([])
  return {
    native: writes.filter((write) => write.native === 1).length,
    core: writes.filter((write) => write.core === 1).length,
  }
}
