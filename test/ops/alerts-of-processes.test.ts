import { describe, expect, onTestFinished } from 'vitest'
import { handlers } from '#native-routes/index.ts'
import {
  isAbove,
  itWithPromtool,
  gatewayJob as job,
  repeat,
  scrape,
  scrapeUntil,
} from '#test/support/alert-scrapes.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { killGatewaysAfterEach, startGatewayProcess } from '#test/support/gateway-process.ts'
import { expectAlerts } from '#test/support/promtool.ts'
import { openRawClient } from '#test/support/raw-client.ts'

describe('a gateway process', () => {
  const core = startTestGateway({ core: 'recording' })
  killGatewaysAfterEach()

  const openIdleConnection = async ({ url }: { readonly url: string }) => {
    const { socket } = await openRawClient(Number(new URL(url).port))
    onTestFinished(() => void socket.destroy())
  }

  itWithPromtool('raises the alerts for instances when it has been killed', async () => {
    const gateway = await startGatewayProcess(core.environment)
    const before = await scrape(gateway)
    gateway.child.kill('SIGKILL')
    await gateway.exited
    await expect(scrape(gateway)).rejects.toThrow()
    await expectAlerts(['CrossfadeInstanceDown', 'CrossfadeGatewaysGone'], [{ job, before, during: [] }])
  })

  itWithPromtool('raises the alert for open files when idle connections occupy most of them', async () => {
    const openFiles = 200
    const gateway = await startGatewayProcess(core.environment, { openFiles })
    const before = await scrape(gateway)
    const during = await scrapeUntil(gateway, {
      metric: 'process_open_fds',
      isReached: isAbove(0.72 * openFiles),
      fail: () => repeat(10, () => openIdleConnection(gateway)),
    })
    await expectAlerts(['CrossfadeFilesExhausted'], [{ job, before, during: [during] }])
  })
})

describe('a handler that computes for a long time', () => {
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

  itWithPromtool('raises the alert for a blocked event loop', async () => {
    const account = await gateway.signUp()
    // Each scrape begins a new period. The first periods still contain delays from the start of the tests.
    const before = await scrapeUntil(gateway, { metric, isReached: (value = 1) => value < 0.25 })
    const during = await scrapeUntil(gateway, {
      metric,
      isReached: isAbove(0.5),
      fail: () => account.get('/v1/libraries'),
    })
    await expectAlerts(['CrossfadeEventLoopBlocked'], [{ job, before, during: [during] }])
  })
})
