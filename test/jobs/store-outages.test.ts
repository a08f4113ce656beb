import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { itThoroughly } from '#test/support/count-cases.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestJobs, waitForProcessing } from '#test/support/jobs.ts'
import { readMediaFile, wav } from '#test/support/media/audio-files.ts'
import { createFile, uploadFile } from '#test/support/uploads.ts'
import { observeJobs, readProcessing, readStage, startOutages } from '#test/support/waiting-jobs.ts'

// The queue alone would give up after the fifth retry.
const attemptsInOutage = 12

describe('jobs during an outage of the object store', () => {
  const gateway = startTestGateway({ storage: true })
  const outages = startOutages(gateway)
  startTestJobs(gateway, { environment: outages.environment })
  const jobs = observeJobs(gateway)

  const signUp = async () => {
    const account = await gateway.signUp()
    return { account, trackId: await insertTrackOf(gateway.database.sql, account.accountId) }
  }
  const upload = async () => {
    const owner = await signUp()
    return { ...owner, ...(await uploadFile(owner.account, owner.trackId, createFile({ bytes: wav() }))) }
  }

  it('are retried any number of times, say what they are waiting for, and complete without help', async () => {
    outages.storage.setUnavailable(true)
    const { account, trackId, versionId } = await upload()
    const delaysS: number[] = []
    for (let attempt = 1; attempt <= attemptsInOutage; attempt++) {
      delaysS.push(await jobs.waitForRetry('process-version', attempt))
      const { readiness, ingestionRun } = await readProcessing(account, trackId)
      expect(readiness.playback).toMatchObject({ status: 'processing' })
      expect(ingestionRun).toMatchObject({ status: 'queued', error: null })
      expect(await readStage(account, trackId, 'playback')).toMatchObject({
        status: 'queued',
        attempt,
        error: { code: 'storage_unavailable', message: 'The file store is unavailable.' },
      })
      if (attempt < attemptsInOutage) await jobs.startRetries()
    }
    // Retry n is delayed by 2^n to 2^(n+1) seconds, but at most ten minutes. The attempt itself takes less than 10 s.
    for (const [retry, delayS] of delaysS.entries()) {
      expect(delayS).toBeGreaterThanOrEqual(Math.min(600, 2 ** retry))
      expect(delayS).toBeLessThan(Math.min(600, 2 ** (retry + 1)) + 10)
    }
    expect(delaysS.reduce((sum, delayS) => sum + delayS, 0)).toBeGreaterThan(15 * 60)

    outages.storage.setUnavailable(false)
    await jobs.startRetries()
    const { ingestionRun } = await waitForProcessing(account, trackId)
    expect(ingestionRun).toMatchObject({ status: 'succeeded', error: null })
    expect(await readStage(account, trackId, 'playback')).toMatchObject({
      status: 'succeeded',
      attempt: attemptsInOutage + 1,
      error: null,
    })
    const { versions } = (await account.get(`/v1/tracks/${trackId}/versions`)).body
    expect(versions).toMatchObject([{ id: versionId, status: 'ready' }])
    expect(gateway.log.lines.filter(({ message }) => /dead-letter/.test(message))).toEqual([])
  }, 120_000)

  itThoroughly(
    'complete an upload within a minute after the store was away for 26 seconds',
    async () => {
      outages.storage.setUnavailable(true)
      const { account, trackId } = await upload()
      await sleep(26_000)
      const { readiness } = await readProcessing(account, trackId)
      expect(readiness.playback).toMatchObject({ status: 'processing' })
      expect(await readStage(account, trackId, 'playback')).toMatchObject({
        status: 'queued',
        error: { code: 'storage_unavailable' },
      })
      outages.storage.setUnavailable(false)
      const readPlayback = async () => (await readProcessing(account, trackId)).readiness.playback.status
      await expect.poll(readPlayback, { timeout: 60_000, interval: 500 }).toBe('ready')
    },
    120_000,
  )

  it('leave artwork in processing until the store is back', async () => {
    const { account, trackId } = await signUp()
    outages.storage.setUnavailable(true)
    const bytes = await readMediaFile('cover.png')
    await uploadFile(account, trackId, createFile({ bytes, contentType: 'image/png' }), 'artwork')
    for (let attempt = 1; attempt <= attemptsInOutage; attempt++) {
      await jobs.waitForRetry('check-asset', attempt)
      if (attempt < attemptsInOutage) await jobs.startRetries()
    }
    const readArtwork = async () => (await account.get(`/v1/tracks/${trackId}/media-assets`)).body.artwork
    expect(await readArtwork()).toMatchObject([{ status: 'processing' }])
    outages.storage.setUnavailable(false)
    await jobs.startRetries()
    await expect.poll(readArtwork, { timeout: 20_000 }).toMatchObject([{ status: 'ready', width: 40 }])
  }, 120_000)

  it('name the unavailable store in the log', () => {
    const failed = gateway.log.lines.filter(({ message }) => message === 'job failed')
    expect(failed.length).toBeGreaterThan(attemptsInOutage)
    for (const line of failed) expect(line).toMatchObject({ fields: { waitsFor: 'storage_unavailable' } })
  })

  it('do not hold up sweeps that do not need the store', async () => {
    const { sql } = gateway.database
    outages.storage.setUnavailable(true)
    await sql`insert into object_removals (storage_key, remove_after) values ('of-an-outage', now())`
    await sql`insert into pack_link_admissions (key, expires_at) values ('expired', now() - interval '1 second')`
    await expect.poll(() => sql`select from pack_link_admissions`, { timeout: 10_000 }).toEqual([])
    expect(await sql`select from object_removals where storage_key = 'of-an-outage'`).toHaveLength(1)
    outages.storage.setUnavailable(false)
    const listRemovals = () => sql`select from object_removals where storage_key = 'of-an-outage'`
    await expect.poll(listRemovals, { timeout: 10_000 }).toEqual([])
  })

  it('fail a file that is not audio at the first attempt once the store is back, and say what is wrong', async () => {
    outages.storage.setUnavailable(false)
    const { account, trackId } = await signUp()
    await uploadFile(account, trackId, createFile())
    const { readiness, ingestionRun } = await waitForProcessing(account, trackId)
    expect(readiness.playback).toMatchObject({ status: 'failed' })
    const error = { code: 'type_mismatch', message: 'The file is text, not audio/wav.' }
    expect(ingestionRun).toMatchObject({ status: 'failed', error })
    expect(await readStage(account, trackId, 'playback')).toMatchObject({
      status: 'failed',
      attempt: 1,
      error,
    })
    expect(await jobs.find('process-version')).toBeUndefined()
  })
})
