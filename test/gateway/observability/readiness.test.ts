import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChildProcess, startChild } from '#gateway/start/start-child.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('/readyz', () => {
  const gateway = startTestGateway({ storage: true })
  let worker: ChildProcess
  beforeAll(async () => {
    const module = new URL(import.meta.resolve('#gateway/jobs.ts'))
    worker = await startChild('the jobs', module, { ...gateway.environment, LOG_LEVEL: 'silent' })
  })
  afterAll(() => worker.stop())

  const ready = () => gateway.request('GET', '/readyz')
  const past = (interval: string) => gateway.database.sql`
    update pgboss.queue set monitor_claim_on = monitor_claim_on - ${interval}::interval`

  it('tells that a worker is there, as soon as one has started', async () => {
    expect(await ready()).toMatchObject({
      status: 200,
      body: { status: 'ready', database: 'up', core: 'none', jobs: 'up' },
    })
    await past('1 minute')
    expect((await ready()).body.jobs).toBe('down')
    await expect.poll(async () => (await ready()).body.jobs, { timeout: 10_000 }).toBe('up')
  })

  it('tells that the worker has died, and stays with its balancer', async () => {
    process.kill(worker.pid, 'SIGKILL')
    await worker.exited
    await past('10 seconds')
    expect((await ready()).body.jobs).toBe('up')
    await past('10 seconds')
    expect(await ready()).toMatchObject({
      status: 200,
      body: { status: 'ready', database: 'up', jobs: 'down' },
    })
  })
})

describe('/readyz of a gateway with a core', () => {
  const gateway = startTestGateway({ core: 'recording' })
  const coreIs = async () => (await gateway.request('GET', '/readyz')).body.core

  it('tells that the core has gone although nobody asked it for anything, and stays with its balancer', async () => {
    expect(await coreIs()).toBe('up')
    await gateway.stopCore()
    await expect.poll(coreIs, { timeout: 3000 }).toBe('down')
    expect((await gateway.request('GET', '/readyz')).status).toBe(200)
  })

  it('goes on to tell so when nobody asks any more', async () => {
    for (let turn = 0; turn < 6; turn++) await gateway.request('GET', '/v1/tracks')
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(await coreIs()).toBe('down')
    expect(gateway.core.requests).toEqual([])
  })
})
