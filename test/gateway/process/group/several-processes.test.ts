import { fork } from 'node:child_process'
import { once } from 'node:events'
import { text as readText } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { findValue, parseMetrics } from '#test/support/metrics.ts'
import { requestAt } from '#test/support/request-at.ts'
import { openConnections, startLoad } from './send-load.ts'
import { killProcessesAfterEach, startProcesses } from './start-processes.ts'

const core = startTestGateway({ core: 'recording' })
killProcessesAfterEach()

const start = (changes: Readonly<Record<string, string>> = {}) =>
  startProcesses({ ...core.environment, PROCESSES: '2', ...changes })

const forwarded = (url: string) => `${url}/v1/tracks`
const isFailed = ({ status }: { readonly status: number | null }) => status !== 200

const scrape = async (adminUrl: string) => {
  const { body } = await requestAt(adminUrl, 'GET', '/metrics')
  const families = parseMetrics(String(body))
  const sumOf = (family: string, name = family) =>
    (families.get(family)?.samples ?? [])
      .filter((sample) => sample.name === name)
      .reduce((sum, { value }) => sum + value, 0)
  return {
    processes: sumOf('crossfade_processes'),
    configured: sumOf('crossfade_processes_configured'),
    connections: sumOf('crossfade_client_connections'),
    requests: sumOf('crossfade_request_duration_seconds', 'crossfade_request_duration_seconds_count'),
  }
}

// Processes start slowly on a machine that others use as well.
const slow = { timeout: 60_000 }

describe('PROCESSES=2', { timeout: 180_000 }, () => {
  it('starts two instances on one port and divides the connections equally', async () => {
    const gateway = await start()
    const processes = await gateway.listProcesses()
    expect(processes.map(({ status }) => status)).toEqual(['ready', 'ready'])
    for (const count of [32, 100]) {
      const before = gateway.lines.length
      const { sent, close } = await openConnections(forwarded(gateway.url), count)
      expect(sent.filter(isFailed)).toEqual([])
      const listServed = () => gateway.lines.slice(before).filter(({ msg }) => msg === 'request')
      await expect.poll(() => listServed().length, slow).toBe(count)
      for (const { instance } of processes)
        expect(listServed().filter((line) => line.instance === instance).length).toBe(count / 2)
      close()
      // The next connections are divided by how many of these are still open.
      await expect.poll(async () => (await scrape(gateway.adminUrl)).connections, slow).toBe(0)
    }
  })

  it('sums the metrics, and a sum does not decrease when a process is killed', async () => {
    const gateway = await start()
    const { sent, close } = await openConnections(forwarded(gateway.url), 20)
    expect(sent.filter(isFailed)).toEqual([])
    const before = await scrape(gateway.adminUrl)
    expect(before).toEqual({ processes: 2, configured: 2, connections: 20, requests: 20 })
    const [, second] = await gateway.listProcesses()
    process.kill(second?.pid ?? 0, 'SIGKILL')
    await expect.poll(async () => (await scrape(gateway.adminUrl)).processes, slow).toBe(1)
    expect(await scrape(gateway.adminUrl)).toMatchObject({ connections: 10, requests: 20 })
    await expect.poll(async () => (await scrape(gateway.adminUrl)).processes, slow).toBe(2)
    expect(await scrape(gateway.adminUrl)).toMatchObject({ configured: 2, requests: 20 })
    close()
  })

  it('divides the connections to the database', async () => {
    const gateway = await start({ DATABASE_POOL_SIZE: '12' })
    const { body } = await requestAt(gateway.adminUrl, 'GET', '/metrics')
    const families = parseMetrics(String(body))
    expect(findValue(families, 'crossfade_processes')).toBe(2)
    expect(findValue(families, 'crossfade_database_connections_max', { pool: 'requests' })).toBe(12)
  })

  it('fails only the requests in flight in a process that is killed, and starts another', async () => {
    const gateway = await start()
    const load = startLoad(forwarded(gateway.url), 16)
    await expect.poll(() => load.sent.length, slow).toBeGreaterThan(200)
    const processes = await gateway.listProcesses()
    for (const killed of processes) {
      process.kill(killed.pid, 'SIGKILL')
      const isReplaced = async () => {
        const now = await gateway.listProcesses()
        return now.length === 2 && now.every(({ pid }) => pid !== killed.pid)
      }
      // A request to the process that serves the admin listener fails with that process.
      await expect.poll(() => isReplaced().catch(() => false), slow).toBe(true)
    }
    const sent = await load.stop()
    const failed = sent.filter(isFailed)
    // Of 16 kept connections and 4 new ones, the first process has half. The second one may have all of them when it is
    // killed, because clients reconnect before another process has started.
    expect(failed.length).toBeLessThanOrEqual(30)
    expect(failed.filter(({ error }) => !/ECONNRESET|aborted|EPIPE/.test(String(error)))).toEqual([])
    expect(Math.max(...failed.map(({ durationMs }) => durationMs), 0)).toBeLessThan(5000)
    expect(gateway.lines.filter(({ msg }) => msg === 'gateway process exited')).toHaveLength(2)
  })

  it('ends every connection of a blocked process that is killed', async () => {
    const gateway = await start()
    const [first] = await gateway.listProcesses()
    const pid = first?.pid ?? 0
    process.kill(pid, 'SIGSTOP')
    // Half of them are passed to the other process.
    const responses = openConnections(forwarded(gateway.url), 20)
    const load = startLoad(forwarded(gateway.url), 4)
    await expect.poll(() => load.sent.length, slow).toBeGreaterThan(20)
    process.kill(pid, 'SIGKILL')
    const { sent, close } = await responses
    close()
    const failed = [...sent, ...(await load.stop())].filter(isFailed)
    expect(failed.filter(({ error }) => error === 'HANGS')).toEqual([])
    // Only those that were in the channel fail; the others wait for no process that has exited.
    expect(failed.length).toBeLessThanOrEqual(8)
    expect(sent.length - failed.length).toBeGreaterThanOrEqual(12)
    // The exit was noticed: its last counts remain, and its states do not.
    await expect.poll(async () => (await scrape(gateway.adminUrl)).processes, slow).toBe(2)
  })

  it('replaces its processes one after the other on SIGUSR2 and fails no request', async () => {
    const gateway = await start()
    const former = await gateway.listProcesses()
    const load = startLoad(forwarded(gateway.url), 16)
    const readiness = startLoad(`${gateway.url}/readyz`, 2)
    await expect.poll(() => load.sent.length, slow).toBeGreaterThan(200)
    gateway.child.kill('SIGUSR2')
    await expect
      .poll(() => gateway.lines.some(({ msg }) => msg === 'gateway processes restarted'), slow)
      .toBe(true)
    const sent = [...(await load.stop()), ...(await readiness.stop())]
    expect(sent.filter(isFailed)).toEqual([])
    const now = await gateway.listProcesses()
    expect(now).toHaveLength(2)
    expect(now.filter(({ pid }) => former.some((each) => each.pid === pid))).toEqual([])
    const { requests } = await scrape(gateway.adminUrl)
    expect(requests).toBeGreaterThanOrEqual(sent.length)
  })

  it('passes no connection to a process that got SIGTERM itself, and starts another', async () => {
    const gateway = await start({ DRAIN_MS: '4000' })
    const [, second] = await gateway.listProcesses()
    process.kill(second?.pid ?? 0, 'SIGTERM')
    const isDraining = async () =>
      (await gateway.listProcesses()).some(({ pid, status }) => pid === second?.pid && status === 'draining')
    await expect.poll(isDraining, slow).toBe(true)
    const before = gateway.lines.length
    const { sent, close } = await openConnections(forwarded(gateway.url), 10)
    close()
    expect(sent.filter(isFailed)).toEqual([])
    const listServed = () => gateway.lines.slice(before).filter(({ msg }) => msg === 'request')
    await expect.poll(() => listServed().length, slow).toBe(10)
    expect(listServed().filter(({ instance }) => instance === second?.instance)).toEqual([])
    await expect.poll(() => gateway.listRunning().includes(second?.pid ?? 0), slow).toBe(false)
    await expect.poll(async () => (await gateway.listProcesses()).length, slow).toBe(2)
  })

  it('drains all processes on SIGTERM', async () => {
    const gateway = await start()
    gateway.child.kill('SIGTERM')
    await expect.poll(async () => (await fetch(`${gateway.url}/readyz`)).status, slow).toBe(503)
    expect(await gateway.exited).toEqual([0, null])
    expect(gateway.listRunning()).toEqual([])
  })

  it('drains all processes when the supervisor is killed', async () => {
    const gateway = await start()
    const load = startLoad(forwarded(gateway.url), 4)
    await expect.poll(() => load.sent.length, slow).toBeGreaterThan(20)
    gateway.child.kill('SIGKILL')
    await once(gateway.child, 'exit').catch(() => {})
    await expect.poll(gateway.listRunning, slow).toEqual([])
    await load.stop()
  })

  it('kills and replaces a process whose event loop does not run for long', async () => {
    const program = new URL(import.meta.resolve('./quick-supervisor.ts'))
    const gateway = await startProcesses({ ...core.environment, PROCESSES: '2' }, { program })
    const [, stopped] = await gateway.listProcesses()
    process.kill(stopped?.pid ?? 0, 'SIGSTOP')
    const isReported = () =>
      gateway.lines.some(
        ({ msg, pid }) => msg === 'unresponsive gateway process killed' && pid === stopped?.pid,
      )
    await expect.poll(isReported, slow).toBe(true)
    await expect.poll(async () => (await gateway.listProcesses()).length, slow).toBe(2)
    expect((await gateway.listProcesses()).map(({ pid }) => pid)).not.toContain(stopped?.pid)
  })

  it('ignores SIGUSR2 if it has one process', async () => {
    const gateway = await start({ PROCESSES: '1' })
    gateway.child.kill('SIGUSR2')
    const isIgnored = () => gateway.lines.some(({ msg }) => msg === 'restart of gateway processes ignored')
    await expect.poll(isIgnored, slow).toBe(true)
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
  })

  it('exits with the error of the setting if the port is in use', async () => {
    const { port } = new URL(core.url)
    const child = fork(new URL(import.meta.resolve('#gateway/server.ts')), {
      env: {
        PATH: process.env.PATH,
        ...core.environment,
        PUBLIC_BASE_URL: 'https://api.example',
        PROCESSES: '2',
        PORT: port,
      },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    const [exit, output] = await Promise.all([
      once(child, 'exit'),
      child.stderr ? readText(child.stderr) : '',
    ])
    expect(exit).toEqual([1, null])
    expect(output).toContain(`port ${port} of 127.0.0.1 is in use: set PORT to a free port`)
  })
})
