import { afterAll, beforeAll, expect } from 'vitest'
import { startJobs } from '#bin/process/start-jobs.ts'
import { readJobSettings } from '#gateway/settings/settings.ts'
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

export const waitForProcessing = async (account: TestAccount, trackId: string) => {
  const status = async () => (await account.get(`/v1/tracks/${trackId}/processing-status`)).body
  const isProcessing = ({ readiness, ingestionRun }: Awaited<ReturnType<typeof status>>) =>
    ingestionRun?.status === 'queued' ||
    ingestionRun?.status === 'running' ||
    Object.values<{ status: string }>(readiness).some((lane) => /pending|processing/.test(lane.status))
  await expect.poll(async () => isProcessing(await status()), { timeout: 12_000, interval: 100 }).toBe(false)
  return status()
}
