import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LaunchedProcess, startJobsProcess, startServer } from '#dev/start/start-child.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { waitForProcessing } from '#test/support/jobs.ts'
import { wav } from '#test/support/media/audio-files.ts'
import { createFile, putBytes } from '#test/support/uploads.ts'

const uploads = 20
const killsPerProcess = 10
const file = createFile({ bytes: wav({ seconds: 20, sampleRate: 22_050 }) })

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Retries a request until the response has this status, like a client that has lost its connection. */
const retryUntil = async (status: number, send: () => Promise<Response>): Promise<Response> => {
  for (;;) {
    const response = await send().catch(() => null)
    if (response?.status === status) return response
    // A response below 500 is final, because neither the connection nor a dependency was lost.
    if (response && response.status < 500) throw new Error(`${response.status} ${await response.text()}`)
    await response?.body?.cancel()
    await sleep(100)
  }
}

describe('killed processes', () => {
  // Provides the database, the object store and accounts. The killed processes run separately.
  const harness = startTestGateway({ storage: true })
  const names = ['gateway', 'jobs'] as const
  type Name = (typeof names)[number]
  const running = new Map<Name, LaunchedProcess & { readonly url?: string }>()
  let compiled: string

  // Compiling modules takes most of the startup time. A process that shuts down gracefully writes the compile cache for
  // later processes.
  const environment = () => ({
    ...harness.environment,
    PUBLIC_BASE_URL: 'https://api.example',
    DRAIN_MS: '500',
    LOG_LEVEL: 'silent',
    NODE_COMPILE_CACHE: compiled,
  })
  const start = async (name: Name) => {
    const child =
      name === 'gateway'
        ? await startServer('the gateway', new URL(import.meta.resolve('#bin/server.ts')), environment())
        : await startJobsProcess('the jobs', new URL(import.meta.resolve('#bin/jobs.ts')), environment())
    running.set(name, child)
  }
  const stop = () => Promise.all([...running.values()].map((child) => child.stop()))
  beforeAll(async () => {
    compiled = await mkdtemp(join(tmpdir(), 'crossfade-compiled-'))
    await Promise.all(names.map(start))
    await stop()
    await Promise.all(names.map(start))
  })
  afterAll(async () => {
    await stop()
    await rm(compiled, { recursive: true, force: true })
  })

  const killRepeatedly = async (name: Name) => {
    for (let count = 0; count < killsPerProcess; count++) {
      await sleep(Math.random() * 1000)
      const child = running.get(name)!
      process.kill(child.pid, 'SIGKILL')
      await child.exited
      await start(name)
    }
  }

  const uploadWithRetries = async ({ token }: TestAccount, trackId: string) => {
    const { fileName, contentType, bytes } = file
    const post = (path: string, body: object = {}) =>
      fetch(running.get('gateway')!.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      })
    const declaration = { fileName, contentType, byteSize: bytes.length }
    const created = await retryUntil(201, () => post(`/v1/tracks/${trackId}/versions/uploads`, declaration))
    const intent = (await created.json()) as {
      signedUrl: string
      method: string
      requiredHeaders: Record<string, string>
      finalizeUrl: string
    }
    await retryUntil(200, () => putBytes(intent, bytes))
    await (await retryUntil(200, () => post(new URL(intent.finalizeUrl).pathname))).json()
  }

  it('leave every upload finalized exactly once and every lane completed', async () => {
    const account = await harness.signUp()
    const trackIds = await Promise.all(
      Array.from({ length: uploads }, () => insertTrackOf(harness.database.sql, account.accountId)),
    )
    const uploading = Promise.all(
      trackIds.map(async (trackId) => {
        await sleep(Math.random() * 10_000)
        await uploadWithRetries(account, trackId)
      }),
    )
    await Promise.all([...names.map(killRepeatedly), uploading])

    for (const trackId of trackIds) {
      const isCompleted = async () => (await waitForProcessing(account, trackId).catch(() => null)) !== null
      await expect.poll(isCompleted, { timeout: 90_000 }).toBe(true)
      const { readiness } = await waitForProcessing(account, trackId)
      expect(readiness).toMatchObject({ playback: { status: 'ready' }, waveform: { status: 'ready' } })
      const { versions } = (await account.get(`/v1/tracks/${trackId}/versions`)).body
      expect(versions).toMatchObject([{ versionNumber: 1, status: 'ready' }])
      const runs = await harness.database.sql`select status from ingestion_runs where track_id = ${trackId}`
      expect(runs).toMatchObject([{ status: 'succeeded' }])
    }
    const [open] = await harness.database.sql`
      select count(*)::int from pgboss.job where state < 'completed' or name = 'lost-jobs'`
    expect(open?.count).toBe(0)
  }, 240_000)
})
