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
  const ageHeartbeat = (interval: string) => gateway.database.sql`
    update pgboss.queue set monitor_claim_on = monitor_claim_on - ${interval}::interval`

  it('reports jobs up while a worker is running', async () => {
    expect(await ready()).toMatchObject({
      status: 200,
      body: { status: 'ready', database: 'up', core: 'none', jobs: 'up' },
    })
    await ageHeartbeat('1 minute')
    expect((await ready()).body.jobs).toBe('down')
    await expect.poll(async () => (await ready()).body.jobs, { timeout: 10_000 }).toBe('up')
  })

  it('reports jobs down after the worker died, with status 200', async () => {
    process.kill(worker.pid, 'SIGKILL')
    await worker.exited
    await ageHeartbeat('10 seconds')
    expect((await ready()).body.jobs).toBe('up')
    await ageHeartbeat('10 seconds')
    expect(await ready()).toMatchObject({
      status: 200,
      body: { status: 'ready', database: 'up', jobs: 'down' },
    })
  })
})

describe('/readyz of a gateway with a core', () => {
  const gateway = startTestGateway({ core: 'recording' })
  const readCoreState = async () => (await gateway.request('GET', '/readyz')).body.core

  it('reports an unreachable core without any forwarded request, with status 200', async () => {
    expect(await readCoreState()).toBe('up')
    await gateway.stopCore()
    await expect.poll(readCoreState, { timeout: 3000 }).toBe('down')
    expect((await gateway.request('GET', '/readyz')).status).toBe(200)
  })

  it('still reports an unreachable core when no more requests are forwarded', async () => {
    for (let round = 0; round < 6; round++) await gateway.request('GET', '/v1/tracks')
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(await readCoreState()).toBe('down')
    expect(gateway.core.requests).toEqual([])
  })
})
