import { afterAll, beforeAll, expect } from 'vitest'
import { startJobs } from '#bin/process/start-jobs.ts'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { readJobSettings } from '#gateway/settings/settings.ts'
import type { JobPorts } from '#jobs/ports.ts'
import type { TestAccount, TestGateway } from './gateway.ts'

interface TestJobsOptions {
  readonly environment?: () => Readonly<Record<string, string>>
}

export const startTestJobs = (gateway: TestGateway, { environment = () => ({}) }: TestJobsOptions = {}) => {
  let worker: Awaited<ReturnType<typeof startJobs>> | undefined
  beforeAll(async () => {
    const settings = readJobSettings(
      {
        ...gateway.database.environment,
        PUBLIC_BASE_URL: gateway.url,
        ...gateway.storage.environment,
        FFMPEG_PATH: process.env.FFMPEG_PATH,
        ...environment(),
      },
      () => true,
    )
    worker = await startJobs(settings, gateway.log, { sweepIntervalMs: 200 })
  })
  afterAll(async () => {
    await worker?.stop()
  })
}

/** The ports of a worker without providers. */
export const createJobPorts = (
  { database: { db }, log }: Pick<TestGateway, 'database' | 'log'>,
  ports: Pick<JobPorts, 'storage'> & Partial<JobPorts>,
): JobPorts => ({
  db: createDatabasePort({ db, reader: db }),
  analysis: null,
  stems: { download: () => Promise.reject(new Error('this worker downloads no stems')) },
  ffmpeg: null,
  billing: null,
  sales: null,
  email: null,
  notices: null,
  appOrigin: null,
  eventRetentionDays: 400,
  threadRetentionDays: 90,
  clock: { now: () => new Date() },
  log,
  ...ports,
})

export const waitForProcessing = async (account: TestAccount, trackId: string) => {
  const status = async () => (await account.get(`/v1/tracks/${trackId}/processing-status`)).body
  const isProcessing = ({ readiness, ingestionRun }: Awaited<ReturnType<typeof status>>) =>
    ingestionRun?.status === 'queued' ||
    ingestionRun?.status === 'running' ||
    Object.values<{ status: string }>(readiness).some((lane) => /pending|processing/.test(lane.status))
  await expect.poll(async () => isProcessing(await status()), { timeout: 12_000, interval: 100 }).toBe(false)
  return status()
}
