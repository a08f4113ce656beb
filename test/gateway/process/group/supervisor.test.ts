import { describe, expect, it, onTestFinished } from 'vitest'
import { createSupervisor } from '#gateway/process/group/supervisor.ts'
import { defaultTiming } from '#gateway/process/group/supervisor-timing.ts'
import { createFakeProcess, type FakeProcess } from './fake-process.ts'

const createTestSupervisor = (
  count: number,
  changes: Partial<typeof defaultTiming> = {},
  beforeStart = (_started: number) => {},
) => {
  const started: FakeProcess[] = []
  const lines: string[] = []
  let attempts = 0
  const log = (_fields: object, message: string) => void lines.push(message)
  const supervisor = createSupervisor({
    count,
    start() {
      beforeStart(++attempts)
      const fake = createFakeProcess(attempts)
      started.push(fake)
      return fake.process
    },
    onReplace: () => {},
    log: { info: log, warn: log, error: log },
    drainMs: 0,
    timing: { ...defaultTiming, minRestartDelayMs: 1, maxRestartDelayMs: 5, ...changes },
  })
  onTestFinished(() => supervisor.stop())
  const waitForStarted = async (processes: number) => {
    await expect.poll(() => started.length, { timeout: 10_000 }).toBe(processes)
    return started[processes - 1] as FakeProcess
  }
  /** Starts all processes, which are ready at once. */
  const startReady = async () => {
    const completed = supervisor.start()
    for (let index = 1; index <= count; index++) (await waitForStarted(index)).becomeReady()
    await completed
  }
  return { supervisor, started, lines, waitForStarted, startReady }
}

describe('the supervisor', () => {
  it('tries again when the system cannot start a process', async () => {
    const { started, lines, waitForStarted, startReady } = createTestSupervisor(2, {}, (attempt) => {
      if (attempt === 3 || attempt === 4) throw new Error('spawn ENOMEM')
    })
    await startReady()
    started[1]?.exit('SIGKILL')
    await waitForStarted(3)
    expect(lines.filter((line) => line === 'failed to start gateway process')).toHaveLength(2)
  })

  it('starts no process after it was stopped', async () => {
    const { supervisor, started, waitForStarted } = createTestSupervisor(3)
    const completed = supervisor.start()
    const first = await waitForStarted(1)
    first.becomeReady()
    await supervisor.stop()
    expect(await completed).toBeNull()
    expect(started.map(({ signals }) => signals)).toEqual([['SIGTERM']])
  })

  it('reports no failure of a start or a restart that a stop interrupts', async () => {
    const starting = createTestSupervisor(2)
    const completed = starting.supervisor.start()
    await starting.waitForStarted(1)
    await starting.supervisor.stop()
    expect(await completed).toBeNull()
    const restarting = createTestSupervisor(1)
    await restarting.startReady()
    const restarted = restarting.supervisor.restart()
    await restarting.waitForStarted(2)
    await restarting.supervisor.stop()
    await restarted
    expect(restarting.lines).toEqual(['restart of gateway processes started'])
  })

  it('does not wait for another process that hangs while it starts', async () => {
    const { supervisor, waitForStarted } = createTestSupervisor(2, { startWaitMs: 10 })
    const completed = supervisor.start()
    const first = await waitForStarted(1)
    first.becomeReady()
    expect(await completed).toMatchObject({ url: 'http://127.0.0.1:8787' })
  })

  it('ignores a restart while it starts', async () => {
    const { supervisor, started, lines, startReady } = createTestSupervisor(2)
    const ready = startReady()
    await supervisor.restart()
    await ready
    expect(lines).toEqual(['restart of gateway processes ignored'])
    expect(started).toHaveLength(2)
  })

  it('kills a process that is not ready in time', async () => {
    const { started, waitForStarted, startReady } = createTestSupervisor(2, { startTimeoutMs: 2000 })
    await startReady()
    started[1]?.exit('SIGKILL')
    const hanging = await waitForStarted(3)
    await waitForStarted(4)
    expect(hanging.signals).toEqual(['SIGKILL'])
  })

  it('starts another process at once when one that replaced another exits', async () => {
    const { supervisor, started, waitForStarted, startReady } = createTestSupervisor(1)
    await startReady()
    const restarted = supervisor.restart()
    const next = await waitForStarted(2)
    next.becomeReady()
    await expect.poll(() => started[0]?.messages).toEqual([{ kind: 'replaced' }])
    // The former process still drains.
    next.exit('SIGKILL')
    await waitForStarted(3)
    started[0]?.exit(null)
    await restarted
  })

  it('ends a process that is still starting when it is replaced', async () => {
    const { supervisor, started, waitForStarted, startReady } = createTestSupervisor(1)
    await startReady()
    const restarted = supervisor.restart()
    const next = await waitForStarted(2)
    started[0]?.exit('SIGKILL')
    const starting = await waitForStarted(3)
    next.becomeReady()
    await restarted
    expect([starting.signals, starting.messages]).toEqual([['SIGTERM'], []])
    expect(supervisor.listReady()).toEqual([next.process])
  })
})
