import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPgBouncer } from '#test/support/pgbouncer.ts'
import { countTransactions } from './count-transactions.ts'
import { followLog } from './fleet/instance-log.ts'
import { createGatewayEnvironment } from './gateway-process.ts'
import { useAllCpus } from './machine.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { startProcess } from './start-process.ts'
import { table } from './tables.ts'

// Until all but one have ceased to supervise the queues.
const warmUpMs = 10_000
const counts = [1, 10]

interface WorkerSettings {
  readonly DATABASE_URL: string
  readonly DATABASE_PREPARE: 'on' | 'off'
}

const startWorker = async (folder: string, environment: Readonly<Record<string, string>>) => {
  const outputFile = join(folder, `jobs-${crypto.randomUUID()}.log`)
  const readyAt = async () => {
    const log = followLog(outputFile)
    while (!log.read().some(({ msg }) => msg === 'job worker started')) await sleep(100)
    return ''
  }
  const worker = join(import.meta.dirname, '../gateway/jobs.ts')
  return startProcess({ command: process.execPath, arguments: [worker], environment, outputFile }, readyAt)
}

const measure = async (bench: Bench, count: number, settings: WorkerSettings, seconds: number) => {
  const { databaseUrl, issuer, folder } = bench
  const environment = {
    ...createGatewayEnvironment({ databaseUrl, coreUrl: 'none', issuer }),
    ...settings,
    JOBS_ADMIN_PORT: '0',
    MIGRATE_ON_START: 'off',
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  }
  const started = new AsyncDisposableStack()
  try {
    for (let index = 0; index < count; index++)
      started.adopt(await startWorker(folder, environment), (worker) => worker.stop())
    await sleep(warmUpMs)
    return await countTransactions(databaseUrl, seconds)
  } finally {
    await started.disposeAsync()
  }
}

/** Measures what idle job workers ask of the database, with notifications and behind a pooler that loses them. */
export const measureIdleJobs = async (bench: Bench, { seconds }: BenchOptions): Promise<string> => {
  useAllCpus()
  const pooler = bench.stopAtEnd(await startPgBouncer(bench.databaseUrl))
  const direct = { DATABASE_URL: bench.databaseUrl, DATABASE_PREPARE: 'on' } as const
  const pooledUrl = pooler.url.replace(/\/postgres$/, new URL(bench.databaseUrl).pathname)
  const pooled = { DATABASE_URL: pooledUrl, DATABASE_PREPARE: 'off' } as const
  const rows: string[][] = []
  for (const count of counts) {
    const received = await measure(bench, count, direct, seconds)
    const lost = await measure(bench, count, pooled, seconds)
    rows.push([String(count), received.toFixed(1), lost.toFixed(1)])
  }
  return table(['idle workers', 'transactions/s', 'behind PgBouncer, without DATABASE_DIRECT_URL'], rows)
}
