import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startJobsProcess } from '#dev/start/start-child.ts'
import { itThoroughly } from '#test/support/count-cases.ts'
import { startTestGateway } from '#test/support/gateway.ts'

// After a change, the old state can be reported for up to a second.
const pollOptions = { timeout: 10_000 }

describe("the admin listener's /readyz", () => {
  const gateway = startTestGateway({ storage: true })
  let worker: Awaited<ReturnType<typeof startJobsProcess>>
  beforeAll(async () => {
    const module = new URL(import.meta.resolve('#bin/jobs.ts'))
    worker = await startJobsProcess('the jobs', module, { ...gateway.environment, LOG_LEVEL: 'silent' })
  })
  afterAll(() => worker.stop())

  const ready = () => gateway.requestAdmin('GET', '/readyz')
  const expectJobs = () => expect.poll(async () => (await ready()).body.jobs, pollOptions)
  const ageHeartbeat = (interval: string) => gateway.database.sql`
    update pgboss.queue set monitor_claim_on = monitor_claim_on - ${interval}::interval`

  it('reports jobs as up while a worker is running', async () => {
    await expectJobs().toBe('up')
    expect(await ready()).toMatchObject({
      status: 200,
      body: { status: 'ready', database: 'up', core: 'none', breakers: { core: 'none', routes: [] } },
    })
  })

  it('still returns 200 after the worker has died, but reports jobs as down', async () => {
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

describe("the admin listener's /readyz on a gateway with a core", () => {
  const gateway = startTestGateway({ core: 'recording' })
  const readStates = async () => (await gateway.requestAdmin('GET', '/readyz')).body
  const readCoreState = async () => (await readStates()).core

  itThoroughly(
    'reports a hanging core until it responds again, as do the crossfade_core_hanging metric and the log',
    async () => {
      const { nextReplies } = gateway.core
      const silent = () => {}
      nextReplies.push(...Array.from({ length: 1000 }, () => silent))
      const readHanging = async () => {
        const { body } = await gateway.requestAdmin('GET', '/metrics')
        return /^crossfade_core_hanging (\d)$/m.exec(body)?.[1]
      }
      const changes = () =>
        gateway.log.lines
          .filter(({ message }) => message.startsWith('circuit breaker'))
          .map(({ message, fields }) => [message, fields])
      expect(await readHanging()).toBe('0')
      const waiting = Array.from({ length: 5 }, () => gateway.request('GET', '/v1/tracks'))
      for (const { status } of await Promise.all(waiting)) expect(status).toBe(504)
      await expect
        .poll(readStates, pollOptions)
        .toMatchObject({ core: 'hanging', breakers: { core: 'open' } })
      expect(await readHanging()).toBe('1')
      const endpoint = expect.stringMatching(/^127\.0\.0\.1:\d+$/)
      const fields = { breaker: 'core', endpoint, failures: 0, cause: 'hanging' }
      expect(changes()).toEqual([['circuit breaker opened', fields]])
      nextReplies.length = 0
      await expect.poll(readHanging, pollOptions).toBe('0')
      await expect.poll(readCoreState, pollOptions).toBe('up')
      expect(changes().at(-1)).toEqual(['circuit breaker closed', fields])
      gateway.core.requests.length = 0
    },
  )

  it('still returns 200 if the core is unreachable, but reports it as down even before a request is forwarded', async () => {
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
