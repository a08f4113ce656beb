import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorker } from '#gateway/start/start-child.ts'
import { startTestGateway } from '#test/support/gateway.ts'

// A state is reported for up to a second after it has changed.
const pollOptions = { timeout: 10_000 }

describe('/readyz of the admin listener', () => {
  const gateway = startTestGateway({ storage: true })
  let worker: Awaited<ReturnType<typeof startWorker>>
  beforeAll(async () => {
    const module = new URL(import.meta.resolve('#gateway/jobs.ts'))
    worker = await startWorker('the jobs', module, { ...gateway.environment, LOG_LEVEL: 'silent' })
  })
  afterAll(() => worker.stop())

  const ready = () => gateway.requestAdmin('GET', '/readyz')
  const expectJobs = () => expect.poll(async () => (await ready()).body.jobs, pollOptions)
  const ageHeartbeat = (interval: string) => gateway.database.sql`
    update pgboss.queue set monitor_claim_on = monitor_claim_on - ${interval}::interval`

  it('reports jobs up while a worker is running', async () => {
    await expectJobs().toBe('up')
    expect(await ready()).toMatchObject({
      status: 200,
      body: { status: 'ready', database: 'up', core: 'none', breakers: { core: 'none', routes: [] } },
    })
  })

  it('reports jobs down after the worker died, with status 200', async () => {
    process.kill(worker.pid, 'SIGKILL')
    await worker.exited
    await ageHeartbeat('10 seconds')
    await expectJobs().toBe('up')
    await ageHeartbeat('20 seconds')
    await expectJobs().toBe('down')
    expect(await ready()).toMatchObject({
      status: 200,
      body: { status: 'ready', database: 'up', jobs: 'down' },
    })
  }, 30_000)
})

describe('/readyz of the admin listener of a gateway with a core', () => {
  const gateway = startTestGateway({ core: 'recording' })
  const readStates = async () => (await gateway.requestAdmin('GET', '/readyz')).body
  const readCoreState = async () => (await readStates()).core

  it('reports an unreachable core without any forwarded request, with status 200', async () => {
    expect(await readStates()).toMatchObject({ core: 'up', breakers: { core: 'closed', routes: [] } })
    await gateway.stopCore()
    await expect.poll(readCoreState, pollOptions).toBe('down')
    for (const send of [gateway.request, gateway.requestAdmin])
      expect((await send('GET', '/readyz')).status).toBe(200)
  })

  it('reports the breaker that an unreachable core opens', async () => {
    for (let round = 0; round < 6; round++) await gateway.request('GET', '/v1/tracks')
    await expect.poll(async () => (await readStates()).breakers.core, pollOptions).toMatch(/open/)
    expect(await readCoreState()).toBe('down')
    expect(gateway.core.requests).toEqual([])
  })
})
