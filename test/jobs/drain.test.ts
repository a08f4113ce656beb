import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startJobs } from '#bin/process/start-jobs.ts'
import { readJobSettings } from '#gateway/settings/settings.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { wav } from '#test/support/media/audio-files.ts'
import { createFile, uploadFile } from '#test/support/uploads.ts'

describe('a job worker that is stopping', () => {
  const gateway = startTestGateway({ storage: true })
  // Holds back what the object store sends to the worker.
  const held: { client: Socket; upstream: Socket }[] = []
  let isReleased = false
  const relay = createServer((client) => {
    const { STORAGE_ENDPOINT = '' } = gateway.storage.environment
    const upstream = connect(Number(new URL(STORAGE_ENDPOINT).port), '127.0.0.1')
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    client.pipe(upstream)
    if (isReleased) upstream.pipe(client)
    else held.push({ client, upstream })
  })
  const release = () => {
    isReleased = true
    for (const { client, upstream } of held) upstream.pipe(client)
  }
  beforeAll(async () => {
    relay.listen(0, '127.0.0.1')
    await once(relay, 'listening')
  })
  afterAll(() => {
    for (const { client } of held) client.destroy()
    relay.close()
  })

  const startWithRunningJob = async () => {
    const settings = readJobSettings(
      {
        ...gateway.environment,
        STORAGE_ENDPOINT: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
      },
      () => true,
    )
    held.length = 0
    isReleased = false
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const { versionId } = await uploadFile(account, trackId, createFile({ bytes: wav({}) }))
    const worker = await startJobs(settings, gateway.log)
    await expect.poll(() => held.length, { timeout: 10_000 }).toBeGreaterThan(0)
    const findState = async () => {
      const rows = await gateway.database.sql`
        select state from pgboss.job
        where name = 'process-version' and data->>'runId' in
          (select id from ingestion_runs where version_id = ${versionId})`
      return rows[0]?.state
    }
    expect(await findState()).toBe('active')
    return { worker, findState }
  }

  it('lets its running job finish', async () => {
    const { worker, findState } = await startWithRunningJob()
    const stopped = worker.stop(60_000)
    // Holds the job until the worker has begun to stop.
    setTimeout(release, 700)
    await stopped
    expect(await findState()).toBe('completed')
  }, 60_000)

  it('puts a job back in the queue if it does not finish in time', async () => {
    const { worker, findState } = await startWithRunningJob()
    await worker.stop(100)
    expect(await findState()).toBe('retry')
  }, 30_000)
})
