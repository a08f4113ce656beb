import { spawn, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startJobsProcess } from '#dev/start/start-child.ts'
import { killChildProcesses } from '#test/support/child-processes.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { startTestJobs, waitForProcessing } from '#test/support/jobs.ts'
import { readMediaFile, wav } from '#test/support/media/audio-files.ts'
import { createFile, type UploadedFile, uploadFile } from '#test/support/uploads.ts'
import { observeJobs, readProcessing, readStage, startOutages } from '#test/support/waiting-jobs.ts'

const attemptsInOutage = 7
const queue = 'process-version'
const sound = createFile({ bytes: wav() })

const createUploads = (gateway: TestGateway) => async (file: UploadedFile) => {
  const account = await gateway.signUp()
  const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
  await uploadFile(account, trackId, file)
  return {
    account,
    trackId,
    readPlayback: async () => (await readProcessing(account, trackId)).readiness.playback.status,
    readPlaybackStage: () => readStage(account, trackId, 'playback'),
    waitUntilDone: () => waitForProcessing(account, trackId),
  }
}

describe('a worker whose analyser fails', () => {
  const gateway = startTestGateway({ storage: true })
  startTestJobs(gateway, { environment: () => ({ FFMPEG_PATH: 'off' }) })
  const jobs = observeJobs(gateway)
  const upload = createUploads(gateway)

  it('keeps retrying a file while the system kills the analyser', async () => {
    const end = killChildProcesses('SIGKILL')
    onTestFinished(() => void end())
    const track = await upload(sound)
    for (let attempt = 1; attempt <= attemptsInOutage; attempt++) {
      await jobs.waitForRetry(queue, attempt)
      expect(await track.readPlayback()).toBe('processing')
      expect(await track.readPlaybackStage()).toMatchObject({
        status: 'queued',
        error: { code: 'analyser_unavailable', message: 'The file analyser is unavailable.' },
      })
      if (attempt < attemptsInOutage) await jobs.startRetries()
    }
    end()
    await jobs.startRetries()
    await track.waitUntilDone()
    expect(await track.readPlayback()).toBe('ready')
  })

  it('fails a file without another job attempt once the analyser has crashed on it three times', async () => {
    const end = killChildProcesses('SIGSEGV')
    onTestFinished(() => void end())
    const track = await upload(sound)
    await track.waitUntilDone()
    expect(end()).toBe(3)
    expect(await track.readPlaybackStage()).toMatchObject({
      status: 'failed',
      attempt: 1,
      error: {
        code: 'analysis_crashed',
        message: 'The file cannot be analysed: the analyser crashes every time it reads the file.',
      },
    })
    expect(await jobs.find(queue)).toBeUndefined()
  })

  it('processes a file if the analyser crashes on it twice', async () => {
    const end = killChildProcesses('SIGSEGV', 2)
    onTestFinished(() => void end())
    const track = await upload(sound)
    await track.waitUntilDone()
    expect(await track.readPlaybackStage()).toMatchObject({ status: 'succeeded', attempt: 1 })
  })

  it('fails artwork without another job attempt once the analyser has crashed on it three times', async () => {
    const end = killChildProcesses('SIGSEGV')
    onTestFinished(() => void end())
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const bytes = await readMediaFile('cover.png')
    await uploadFile(account, trackId, createFile({ bytes, contentType: 'image/png' }), 'artwork')
    const readArtwork = async () => (await account.get(`/v1/tracks/${trackId}/media-assets`)).body.artwork
    await expect.poll(readArtwork, { timeout: 10_000 }).toMatchObject([{ status: 'failed' }])
    expect(end()).toBe(3)
  })
})

describe('a worker that loses the database', () => {
  const gateway = startTestGateway({ storage: true })
  const outages = startOutages(gateway)
  startTestJobs(gateway, { environment: outages.environment })
  const jobs = observeJobs(gateway)
  const upload = createUploads(gateway)

  it('completes the job in progress once the database is back', async () => {
    // The database goes away while the worker is waiting for the store's response.
    const held = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    outages.storage.onStatement = () => {
      reached.resolve()
      return held.promise
    }
    onTestFinished(() => {
      outages.storage.onStatement = () => null
    })
    // The gateway does not use this relay to finalize the upload, so it does not wait for the held response.
    const track = await upload(sound)
    await reached.promise
    outages.database.setUnavailable(true)
    outages.storage.onStatement = () => null
    held.resolve()
    const failed = () => gateway.log.lines.filter(({ message }) => message === 'job failed')
    await expect
      .poll(failed, { timeout: 20_000 })
      .toMatchObject([{ fields: { queue, waitsFor: 'database_unavailable' } }])
    expect(await track.readPlayback()).toBe('processing')
    outages.database.setUnavailable(false)

    await expect.poll(track.readPlaybackStage, { timeout: 20_000 }).toMatchObject({
      status: 'queued',
      error: { code: 'database_unavailable', message: 'The database is unavailable.' },
    })
    await jobs.startRetries()
    await track.waitUntilDone()
    expect(await track.readPlaybackStage()).toMatchObject({ status: 'succeeded', attempt: 2 })
  }, 60_000)
})

describe('a worker whose disk fails', () => {
  const gateway = startTestGateway({ storage: true })
  const jobs = observeJobs(gateway)
  const upload = createUploads(gateway)
  const module = new URL(import.meta.resolve('#bin/jobs.ts'))
  const environment = { LOG_LEVEL: 'silent', DRAIN_MS: '0', JOBS_ADMIN_PORT: 'off' }
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossfade-disk-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const expectWait = async (
    track: Awaited<ReturnType<typeof upload>>,
    error: { readonly code: string; readonly message: string },
  ) => {
    for (let attempt = 1; attempt <= attemptsInOutage; attempt++) {
      await jobs.waitForRetry(queue, attempt)
      expect(await track.readPlayback()).toBe('processing')
      expect(await track.readPlaybackStage()).toMatchObject({ status: 'queued', error })
      if (attempt < attemptsInOutage) await jobs.startRetries()
    }
  }

  it('retries a file that it cannot write until the write succeeds', async () => {
    const missing = join(folder, 'tmp')
    await mkdir(missing)
    const worker = await startJobsProcess('the jobs', module, {
      ...gateway.environment,
      ...environment,
      TMPDIR: missing,
    })
    onTestFinished(() => worker.stop())
    await rm(missing, { recursive: true })
    const track = await upload(sound)
    await expectWait(track, {
      code: 'disk_unavailable',
      message: 'The processing service cannot use its disk.',
    })
    await mkdir(missing)
    await jobs.startRetries()
    await track.waitUntilDone()
    expect(await track.readPlayback()).toBe('ready')
  }, 60_000)

  // Mounting a file system needs a user namespace, which containers may not permit.
  const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
  it.skipIf(!canMount)(
    'retries a file that does not fit on its disk until there is space',
    async () => {
      const full = join(folder, 'full')
      await mkdir(full)
      const program = 'mount -t tmpfs -o size=16k tmpfs "$TMPDIR" && exec "$0" "$1"'
      const small = spawn('unshare', ['-rm', 'sh', '-c', program, process.execPath, fileURLToPath(module)], {
        env: { ...process.env, ...gateway.environment, ...environment, TMPDIR: full },
        stdio: 'inherit',
      })
      const exited = new Promise((resolve) => small.once('exit', resolve))
      onTestFinished(async () => {
        small.kill('SIGKILL')
        await exited
      })
      const track = await upload(createFile({ bytes: wav({ seconds: 10 }) }))
      await expectWait(track, {
        code: 'disk_full',
        message: "The processing service's disk is full.",
      })
      small.kill('SIGKILL')
      await exited
      const worker = await startJobsProcess('the jobs', module, { ...gateway.environment, ...environment })
      onTestFinished(() => worker.stop())
      await jobs.startRetries()
      await track.waitUntilDone()
      expect(await track.readPlayback()).toBe('ready')
    },
    90_000,
  )
})
