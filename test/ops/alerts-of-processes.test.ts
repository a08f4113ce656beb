import { describe, expect, onTestFinished } from 'vitest'
import { handlers } from '#native-routes/index.ts'
import { killProcessesAfterEach, startProcesses } from '#test/gateway/process/group/start-processes.ts'
import {
  isAbove,
  itWithPromtool,
  gatewayJob as job,
  repeat,
  scrape,
  scrapeUntil,
} from '#test/support/alert-scrapes.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { expectAlerts } from '#test/support/promtool.ts'
import { openRawClient } from '#test/support/raw-client.ts'

describe('a gateway process', () => {
  const core = startTestGateway({ core: 'recording' })
  killProcessesAfterEach()

  const openIdleConnection = async ({ url }: { readonly url: string }) => {
    const { socket } = await openRawClient(Number(new URL(url).port))
    onTestFinished(() => void socket.destroy())
  }

  itWithPromtool(
    'raises the alert of missing processes while it does not respond, and another one does',
    async () => {
      const gateway = await startProcesses({ ...core.environment, PROCESSES: '2' })
      const before = await scrape(gateway)
      const [, second] = await gateway.listProcesses()
      process.kill(second?.pid ?? 0, 'SIGSTOP')
      const during = await scrapeUntil(gateway, {
        metric: 'crossfade_processes',
        isReached: (value) => value === 1,
      })
      await expectAlerts(['CrossfadeProcessesMissing'], [{ job, before, during: [during] }])
    },
  )

  itWithPromtool('raises the alert of instances when it has been killed', async () => {
    const gateway = await startProcesses(core.environment)
    const before = await scrape(gateway)
    gateway.child.kill('SIGKILL')
    await gateway.exited
    await expect(scrape(gateway)).rejects.toThrow()
    await expectAlerts(['CrossfadeInstanceDown'], [{ job, before, during: [] }])
  })

  itWithPromtool('raises the alert of open files when idle connections occupy most of them', async () => {
    const openFiles = 200
    const gateway = await startProcesses(core.environment, { openFiles })
    const before = await scrape(gateway)
    const during = await scrapeUntil(gateway, {
      metric: 'process_open_fds',
      isReached: isAbove(0.85 * openFiles),
      fail: () => repeat(10, () => openIdleConnection(gateway)),
    })
    await expectAlerts(['CrossfadeFilesExhausted'], [{ job, before, during: [during] }])
  })
})

describe('a handler that computes for long', () => {
  const list = handlers['libraries.list']!
  const blockingHandlers: typeof handlers = {
    ...handlers,
    'libraries.list': {
      ...list,
      handle: (input, ports) => {
        for (const end = performance.now() + 700; performance.now() < end; );
        return list.handle(input, ports)
      },
    },
  }
  const gateway = startTestGateway({ handlers: blockingHandlers })
  const metric = 'nodejs_eventloop_lag_max_seconds'

  itWithPromtool('raises the alert of a blocked event loop', async () => {
    const account = await gateway.signUp()
    // Each scrape begins a new period: the first ones contain what the start of the tests has blocked.
    const before = await scrapeUntil(gateway, { metric, isReached: (value = 1) => value < 0.25 })
    const during = await scrapeUntil(gateway, {
      metric,
      isReached: isAbove(0.5),
      fail: () => account.get('/v1/libraries'),
    })
    await expectAlerts(['CrossfadeEventLoopBlocked'], [{ job, before, during: [during] }])
  })
})
